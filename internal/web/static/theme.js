// Sets the theme before the page is drawn, so that it does not flash.
"use strict";
{
  const kept = localStorage.getItem("theme");
  if (kept === "light" || kept === "dark") document.documentElement.dataset.theme = kept;
}

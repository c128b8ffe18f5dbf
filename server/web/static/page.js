// What moves on a page: the theme, copying, times, and a study that is watched.
import { watch } from "./study.js";

const root = document.documentElement;
const dark = matchMedia("(prefers-color-scheme: dark)");

function theme() {
  return root.dataset.theme || (dark.matches ? "dark" : "light");
}

function themeSwitch() {
  const button = document.getElementById("theme");
  const label = () => {
    button.textContent = theme() === "dark" ? "Light" : "Dark";
    button.setAttribute("aria-label", "Switch to " + button.textContent.toLowerCase() + " colours");
  };
  const changed = () => {
    label();
    document.dispatchEvent(new Event("theme-changed"));
  };
  button.hidden = false;
  button.addEventListener("click", () => {
    root.dataset.theme = theme() === "dark" ? "light" : "dark";
    localStorage.setItem("theme", root.dataset.theme);
    changed();
  });
  dark.addEventListener("change", changed);
  label();
}

async function copy(button) {
  const said = button.textContent;
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = "Copied";
  } catch {
    button.textContent = "The browser does not let this page copy";
  }
  setTimeout(() => { button.textContent = said; }, 1500);
}

function left(seconds) {
  if (seconds <= 0) return "lease lost";
  if (seconds < 120) return Math.ceil(seconds) + " s left";
  if (seconds < 7200) return Math.round(seconds / 60) + " min left";
  if (seconds < 172800) return Math.round(seconds / 3600) + " h left";
  return Math.round(seconds / 86400) + " days left";
}

function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function clocks() {
  for (const t of document.querySelectorAll("time[data-local]")) {
    write(t, new Date(t.dateTime).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" }));
  }
  for (const t of document.querySelectorAll("time.lease")) write(t, left((new Date(t.dateTime) - Date.now()) / 1000));
}

themeSwitch();
clocks();
setInterval(clocks, 1000);
document.addEventListener("htmx:after:settle", clocks);
document.addEventListener("click", (e) => {
  const button = e.target.closest("button.copy");
  if (button) copy(button);
});
const study = document.getElementById("study");
if (study) watch(study);

// What moves on a page: the theme, copying, times, and a study that is watched.
import { drawAll } from "./chart.js";
import { watch } from "./study.js";
import { compare } from "./compare.js";
import { rows } from "./create.js";

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

// copyOld is for pages that came without TLS from another machine.
function copyOld(text) {
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}

async function copy(button) {
  const text = button.dataset.copy, said = button.textContent;
  let done = false;
  try {
    await navigator.clipboard.writeText(text);
    done = true;
  } catch {
    done = copyOld(text);
  }
  button.focus();
  button.textContent = done ? "Copied" : "The browser forbids it";
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
// What is half written in the other forms of a page outlives the page that a form leads to.
const others = "other forms";
const fields = (form) => [...form.elements].filter((e) => e.name && e.type !== "hidden" && e.type !== "file" && e.type !== "password");

function keepOthers(sent) {
  const kept = [...document.querySelectorAll("main form[method=post]:not([hx-post])")].filter((form) => form !== sent && form.id !== "" && fields(form).length);
  sessionStorage.setItem(others, JSON.stringify(kept.map((form) => [form.getAttribute("action"), form.id, fields(form).map((e) => [e.name, e.value])])));
}

function restoreOthers() {
  const kept = JSON.parse(sessionStorage.getItem(others) || "[]");
  sessionStorage.removeItem(others);
  for (const [action, id, values] of kept) {
    const form = document.getElementById(id);
    if (form?.getAttribute("action") !== action) continue;
    for (const [name, value] of values) {
      const field = form.elements.namedItem(name);
      if (field) field.value = value;
    }
  }
}

addEventListener("submit", (e) => e.target.matches("main form[method=post]:not([hx-post])") && keepOthers(e.target));
restoreOthers();
const study = document.getElementById("study"), several = document.getElementById("compare"), table = document.getElementById("parameters");
if (study) watch(study);
else drawAll(document);
if (several) compare(several);
if (table) rows(table);

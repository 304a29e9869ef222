// Settings stored in this browser: the appearance of the page, and nothing about the user. If the browser stores
// nothing, they last until the page is closed.
import { emit, on, run } from "./run.js";
import { setLanguage } from "./i18n.js";

const place = "perturb settings";
export const settings = { look: "system", language: "", calm: matchMedia("(prefers-reduced-motion: reduce)").matches,
  colorBar: true, keys: true };

export function readSettings() {
  try {
    const kept = JSON.parse(localStorage.getItem(place) ?? "{}");
    for (const key of Object.keys(settings)) if (typeof kept[key] === typeof settings[key]) settings[key] = kept[key];
  } catch {
    // uses the defaults
  }
  applyTheme();
  on("lesson", applyTheme);
}

export function set(key, value) {
  settings[key] = value;
  try {
    localStorage.setItem(place, JSON.stringify(settings));
  } catch {
    // a browser that stores nothing
  }
  if (key === "look") applyTheme();
  if (key === "language") setLanguage(value);
  emit("settings", key);
}

// A lesson may set a theme while it is open, unless the user has chosen one.
function applyTheme() {
  const asked = settings.look === "system" ? run.lesson?.lesson.look : settings.look;
  if (asked) document.documentElement.dataset.theme = asked;
  else document.documentElement.removeAttribute("data-theme");
}

// In this order: the user's choice, the link's, the browser's; otherwise English.
export function chooseLanguage(languages, asked) {
  const there = new Set(languages.map((one) => one.id));
  const wanted = [asked, settings.language, ...(navigator.languages ?? [navigator.language])];
  setLanguage(wanted.filter(Boolean).map((id) => id.toLowerCase().split("-")[0]).find((id) => there.has(id)) ?? "en");
}

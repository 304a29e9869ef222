// What is kept in this browser: how the page looks, and nothing of who looks at it. Where the browser keeps nothing, it
// holds until the page is closed.
import { emit } from "./run.js";
import { setLanguage } from "./say.js";

const place = "perturb settings";
export const settings = { look: "system", language: "", calm: matchMedia("(prefers-reduced-motion: reduce)").matches,
  colorBar: true, keys: true };

export function readSettings() {
  try {
    const kept = JSON.parse(localStorage.getItem(place) ?? "{}");
    for (const key of Object.keys(settings)) if (typeof kept[key] === typeof settings[key]) settings[key] = kept[key];
  } catch {
    // as it begins
  }
  showLook();
}

export function set(key, value) {
  settings[key] = value;
  try {
    localStorage.setItem(place, JSON.stringify(settings));
  } catch {
    // a browser that keeps nothing
  }
  if (key === "look") showLook();
  if (key === "language") setLanguage(value);
  emit("settings", key);
}

function showLook() {
  if (settings.look === "system") document.documentElement.removeAttribute("data-look");
  else document.documentElement.dataset.look = settings.look;
}

// The page's own choice, then the link's, then the browser's; English where none of them is there.
export function chooseLanguage(languages, asked) {
  const there = new Set(languages.map((one) => one.id));
  const wanted = [asked, settings.language, ...(navigator.languages ?? [navigator.language])];
  setLanguage(wanted.filter(Boolean).map((id) => id.toLowerCase().split("-")[0]).find((id) => there.has(id)) ?? "en");
}

// What is kept in this browser: how the page looks, and nothing of who looks at it. Where the browser keeps nothing, it
// holds until the page is closed.
import { emit, on, run } from "./run.js";
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
  on("lesson", showLook);
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

// A lesson may ask for a look while it is open, where nobody has chosen one.
function showLook() {
  const asked = settings.look === "system" ? run.lesson?.lesson.look : settings.look;
  if (asked) document.documentElement.dataset.look = asked;
  else document.documentElement.removeAttribute("data-look");
}

// The page's own choice, then the link's, then the browser's; English where none of them is there.
export function chooseLanguage(languages, asked) {
  const there = new Set(languages.map((one) => one.id));
  const wanted = [asked, settings.language, ...(navigator.languages ?? [navigator.language])];
  setLanguage(wanted.filter(Boolean).map((id) => id.toLowerCase().split("-")[0]).find((id) => there.has(id)) ?? "en");
}

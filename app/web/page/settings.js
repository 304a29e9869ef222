// Settings stored in this browser: the appearance of the page, and nothing about the user. If the browser stores
// nothing, they last until the page is closed.
import { make } from "./dom.js";
import { currentLanguage, setLanguage, tr } from "./i18n.js";
import { emit, on, run } from "./run.js";

const storageKey = "perturb settings";
const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");
const defaults = { look: "system", language: "", get calm() {
  return reducedMotion.matches;
}, colorBar: true, keys: true, sceneUnits: true, simple: true };
export const settings = { ...defaults };

// The settings that were chosen in this browser: {key: value}. Others follow the browser.
function chosenOnes() {
  try {
    const kept = JSON.parse(localStorage.getItem(storageKey) ?? "{}") ?? {};
    // An earlier page stored all of its settings with the first one, and so froze what the browser had said of motion.
    if (Object.keys(defaults).every((key) => key in kept || key === "simple")) delete kept.calm;
    return Object.fromEntries(Object.entries(kept).filter(([key, value]) => typeof value === typeof defaults[key]));
  } catch {
    return chosenHere;
  }
}
let chosenHere = {}; // in a browser that stores nothing

export function readSettings() {
  Object.assign(settings, chosenOnes());
  applyTheme();
  applyDetail();
  on("lesson", applyTheme);
  reducedMotion.addEventListener("change", () => {
    if ("calm" in chosenOnes()) return;
    settings.calm = defaults.calm;
    emit("settings", "calm");
  });
}

// Only this one is stored: another tab may have changed others.
export function set(key, value) {
  settings[key] = value;
  chosenHere = { ...chosenOnes(), [key]: value };
  try {
    localStorage.setItem(storageKey, JSON.stringify(chosenHere));
  } catch {
    // storage is full or switched off
  }
  if (key === "look") applyTheme();
  if (key === "simple") applyDetail();
  if (key === "language") setLanguage(value);
  emit("settings", key);
}

// The simple view of the panels, or the full one; style.css hides what only the full one has.
const applyDetail = () => (document.documentElement.dataset.detail = settings.simple ? "simple" : "full");

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

// The language selector, wherever the page shows it.
export function languageChoice(more = "") {
  const choose = make("select", { class: `language ${more}`, "aria-label": () => tr("Language"),
    onchange: () => set("language", choose.value) });
  const fill = () => {
    choose.replaceChildren(...run.catalog.languages.map((one) => make("option", { value: one.id, lang: one.id,
      text: one.name })));
    choose.value = currentLanguage();
  };
  if (run.catalog) fill();
  on("engine", fill);
  // The link or the browser may set the language after the start of the engine.
  document.addEventListener("retranslated", () => (choose.value = currentLanguage()));
  return choose;
}

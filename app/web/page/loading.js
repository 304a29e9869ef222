// How much of the engine has come, while the gallery is shown already or a scene waits for it.
import { make } from "./dom.js";
import { tr } from "./i18n.js";

let share = null; // 0 to 1 of the download; null: not known
let bars = [];

const words = () => (share === null || share >= 1 ? tr("Starting the engine")
  : tr("Loading the engine: {} %", Math.floor(100 * share)));

// A bar with its text, for each of these places.
export function startLoading(...places) {
  for (const place of places) {
    const text = make("span", { class: "loading-words", text: words });
    const bar = make("progress", { max: 1, "aria-label": () => tr("Loading the engine") });
    place.replaceChildren(text, bar);
    place.hidden = false;
    bars.push({ place, text, bar });
  }
}

export function showLoading(now) {
  share = now;
  for (const { text, bar } of bars) {
    text.textContent = words();
    if (share >= 1) bar.removeAttribute("value"); // it is compiled now: for how long nobody can say
    else bar.value = share;
  }
}

export function endLoading() {
  for (const { place } of bars) place.hidden = true;
  bars = [];
}

// Shows how much of the engine has arrived, while the gallery is shown or a scene waits for it.
import { make } from "./dom.js";
import { tr } from "./i18n.js";

let share = null; // fraction of the download, 0 to 1; null: unknown
let bars = [];

const words = () => (share === null || share >= 1 ? tr("Starting the engine")
  : tr("Loading the engine: {} %", Math.floor(100 * share)));

// Adds a progress bar with its text to each of these elements.
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
    if (share >= 1) bar.removeAttribute("value"); // the engine is compiled now; the duration is unknown
    else bar.value = share;
  }
}

export function endLoading() {
  for (const { place } of bars) place.hidden = true;
  bars = [];
}

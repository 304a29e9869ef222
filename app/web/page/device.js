// Names the processor or GPU of the run and its speed: in the line below the view, in the view's corner if that line is
// hidden, and in "About this scene".
import { make } from "./dom.js";
import { rateText } from "./numbers.js";
import { pace } from "./pace.js";
import { on, run } from "./run.js";
import { tr } from "./i18n.js";

export function deviceText() {
  if (run.remote) return run.remote.name ? tr("Shared run: {}", run.remote.name) : tr("Shared run");
  return run.threads === 1 ? tr("Browser, {} thread", run.threads) : tr("Browser, {} threads", run.threads);
}

// Explains why there is one thread, and how to get more.
export function deviceHelp() {
  if (run.remote) return tr("The simulation runs on the computer that shares it.");
  if (run.fewThreads === "memory") return tr("The simulation runs in this browser on one thread because memory is " +
    "short. Close other tabs and reload the page.");
  if (run.fewThreads !== "host") return tr("The simulation runs in this browser.");
  if (window.parent !== window) return tr("The simulation runs in this browser on one thread because the page is " +
    "embedded. Open it in its own window for more.");
  if (navigator.serviceWorker?.controller) return tr("The simulation runs in this browser on one thread. Reload the " +
    "page to use more.");
  return tr("The simulation runs in this browser on one thread. More need a server that isolates the page from " +
    "other pages.");
}

const stepsText = () => tr("{0} of {1} steps per second", rateText(pace.reached), rateText(pace.rate));
const framesText = () => tr("{} frames per second", rateText(pace.framesPerSecond));
export const paceText = () => (run.playing && pace.reached > 0 ? `${stepsText()}, ${framesText()}` : "");

// For the view's corner: the parts of the line below it that report a limitation.
export function paceTag() {
  const steps = make("span", { class: "tag-steps" }), frames = make("span", {}), threads = make("span",
    { class: "tag-threads", title: deviceHelp });
  const tag = make("p", { class: "pace-tag" }, threads, steps, frames);
  const show = () => {
    threads.textContent = run.fewThreads ? deviceText() : "";
    threads.title = deviceHelp();
    steps.textContent = run.playing && pace.isThrottled ? stepsText() : "";
    frames.textContent = run.playing && pace.stutters ? framesText() : "";
    tag.hidden = !tag.textContent;
  };
  for (const event of ["diagnostics", "playing", "engine", "scene"]) on(event, show);
  document.addEventListener("retranslated", show);
  return tag;
}

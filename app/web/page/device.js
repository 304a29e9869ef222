// Names the processor or GPU of the run and its speed: in the line below the view, in the view's corner if that line is
// hidden, and in "What am I seeing".
import { make } from "./dom.js";
import { pace } from "./frames.js";
import { rateText } from "./numbers.js";
import { on, run } from "./run.js";
import { tr } from "./i18n.js";

export const deviceText = () => (run.threads === 1 ? tr("Browser, {} thread", run.threads)
  : tr("Browser, {} threads", run.threads));

// Explains why there is one thread, and how to get more.
export function deviceHelp() {
  if (run.fewThreads === "memory") return tr("The physics runs in this browser, on one thread: there was too little " +
    "memory for more of them. Close other tabs and load the page again.");
  if (run.fewThreads !== "host") return tr("The physics runs in this browser.");
  if (window.parent !== window) return tr("The physics runs in this browser, on one thread, as in every page within " +
    "another one: in a window of its own it may have more.");
  if (navigator.serviceWorker?.controller) return tr("The physics runs in this browser, on one thread: load the page " +
    "again, and it has more.");
  return tr("The physics runs in this browser, on one thread: more of them need a page that its host isolates.");
}

const stepsText = () => tr("{0} of {1} steps a second", rateText(pace.reached), rateText(pace.rate));
const framesText = () => tr("{} pictures a second", rateText(pace.framesPerSecond));
export const paceText = () => (run.playing && pace.reached > 0 ? `${stepsText()}, ${framesText()}` : "");

// For the view's corner: the parts of the line below it that report a limitation.
export function paceTag() {
  const steps = make("span", { class: "tag-steps" }), pictures = make("span", {}), threads = make("span",
    { class: "tag-threads", title: deviceHelp });
  const tag = make("p", { class: "pace-tag" }, threads, steps, pictures);
  const show = () => {
    threads.textContent = run.fewThreads ? deviceText() : "";
    threads.title = deviceHelp();
    steps.textContent = run.playing && pace.isThrottled ? stepsText() : "";
    pictures.textContent = run.playing && pace.stutters ? framesText() : "";
    tag.hidden = !tag.textContent;
  };
  for (const event of ["diagnostics", "playing", "engine", "scene"]) on(event, show);
  document.addEventListener("retranslated", show);
  return tag;
}

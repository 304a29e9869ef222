// What the physics runs on, and how fast it goes there: for the line below the picture, the picture's corner where there
// is no such line, and "What am I seeing".
import { make } from "./dom.js";
import { pace } from "./frames.js";
import { rateText } from "./numbers.js";
import { on, run } from "./run.js";
import { say } from "./say.js";

export const deviceWords = () => (run.threads === 1 ? say("Browser, {} thread", run.threads)
  : say("Browser, {} threads", run.threads));

// Why there is one thread, and what gives more.
export function deviceHelp() {
  if (run.fewThreads === "memory") return say("The physics runs in this browser, on one thread: there was too little " +
    "memory for more of them. Close other tabs and load the page again.");
  if (run.fewThreads !== "host") return say("The physics runs in this browser.");
  if (window.parent !== window) return say("The physics runs in this browser, on one thread, as in every page within " +
    "another one: in a window of its own it may have more.");
  if (navigator.serviceWorker?.controller) return say("The physics runs in this browser, on one thread: load the page " +
    "again, and it has more.");
  return say("The physics runs in this browser, on one thread: more of them need a page that its host isolates.");
}

const stepsWords = () => say("{0} of {1} steps a second", rateText(pace.reached), rateText(pace.rate));
const picturesWords = () => say("{} pictures a second", rateText(pace.framesPerSecond));
export const paceWords = () => (run.playing && pace.reached > 0 ? `${stepsWords()}, ${picturesWords()}` : "");

// In the picture's corner: what would stand in the line below it, as far as it is not as it should be.
export function paceTag() {
  const steps = make("span", { class: "tag-steps" }), pictures = make("span", {}), threads = make("span",
    { class: "tag-threads", title: deviceHelp });
  const tag = make("p", { class: "pace-tag" }, threads, steps, pictures);
  const show = () => {
    threads.textContent = run.fewThreads ? deviceWords() : "";
    threads.title = deviceHelp();
    steps.textContent = run.playing && pace.yields ? stepsWords() : "";
    pictures.textContent = run.playing && pace.stutters ? picturesWords() : "";
    tag.hidden = !tag.textContent;
  };
  for (const event of ["look", "playing", "engine", "scene"]) on(event, show);
  document.addEventListener("retold", show);
  return tag;
}

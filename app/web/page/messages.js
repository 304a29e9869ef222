// Status messages, and the progress of the engine's download. A message disappears after a while, an error later, and
// both with the scene that they speak of; both have a close button.
import { icon, leave, make } from "./dom.js";
import { clipped, tr } from "./i18n.js";
import { on, setMessageHandler } from "./run.js";

const seconds = { note: 7, error: 60, lasting: Infinity }; // a lasting error: nothing works until the user acts

export function startMessages(container) {
  // `messageText`: a text, or a function that returns it; only a function can be translated again when its translation
  // has arrived.
  setMessageHandler((messageText, kind) => {
    const content = typeof messageText === "function" ? () => clipped(messageText()) : clipped(messageText);
    const text = typeof content === "function" ? content() : content;
    for (const previous of [...container.children]) if (previous.firstChild.textContent === text) previous.remove();
    while (container.children.length > 2) container.firstChild.remove();
    const isError = kind !== "note", duration = seconds[kind];
    const message = make("div", { class: `message-box ${isError ? "error" : kind}`, role: isError ? "alert" : "status" },
      make("p", { text: content }),
      make("button", { type: "button", class: "plain", "aria-label": () => tr("Close this"), onclick: () =>
        leave(message, () => message.remove()) }, icon("close")));
    container.append(message);
    if (Number.isFinite(duration)) setTimeout(() => leave(message, () => message.remove()), 1000 * duration);
  });
  // (With the gap below them.)
  new ResizeObserver(() => document.documentElement.style.setProperty("--messages-height",
    container.offsetHeight ? `${container.offsetHeight + 8}px` : "0px")).observe(container);
  on("escape", () => container.lastChild?.remove());
  const clear = () => {
    for (const message of container.querySelectorAll(".message-box:not(.opening)"))
      leave(message, () => message.remove());
  };
  on("scene", clear);
  on("lesson", clear); // an answer was taken, or another step begins
  on("left", clear);
}

// ---- progress of the download, while the gallery is shown or a scene waits for the engine

let share = null; // fraction of the download, 0 to 1; null: unknown
let bars = [];

const loadingText = () => (share === null || share >= 1 ? tr("Starting the engine")
  : tr("Loading the engine: {} %", Math.floor(100 * share)));

// Adds a progress bar with its text to each of these elements.
export function startLoading(...containers) {
  for (const container of containers) {
    const text = make("span", { class: "loading-words", text: loadingText });
    const bar = make("progress", { max: 1, "aria-label": () => tr("Loading the engine") });
    container.replaceChildren(text, bar);
    container.hidden = false;
    bars.push({ container, text, bar });
  }
}

export function showLoading(now) {
  share = now;
  for (const { text, bar } of bars) {
    text.textContent = loadingText();
    if (share >= 1) bar.removeAttribute("value"); // the engine is compiled now; the duration is unknown
    else bar.value = share;
  }
}

export function endLoading() {
  for (const { container } of bars) container.hidden = true;
  bars = [];
}

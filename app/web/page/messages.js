// Status messages: they disappear after a while, errors later; both have a close button.
import { icon, make } from "./dom.js";
import { leave } from "./focus.js";
import { on, setMessageHandler } from "./run.js";
import { clipped, tr } from "./i18n.js";

const seconds = { note: 7, error: 60 };

export function startMessages(place) {
  // `words`: a text, or a function that returns it; only a function can be translated again when its translation has
  // arrived.
  setMessageHandler((words, kind) => {
    const content = typeof words === "function" ? () => clipped(words()) : clipped(words);
    const text = typeof content === "function" ? content() : content;
    for (const previous of [...place.children]) if (previous.firstChild.textContent === text) previous.remove();
    while (place.children.length > 2) place.firstChild.remove();
    const message = make("div", { class: `message-box ${kind}`, role: kind === "error" ? "alert" : "status" },
      make("p", { text: content }),
      make("button", { type: "button", class: "plain", "aria-label": () => tr("Close this"), onclick: () =>
        leave(message, () => message.remove()) }, icon("close")));
    place.append(message);
    setTimeout(() => leave(message, () => message.remove()), 1000 * (seconds[kind] ?? 7));
  });
  on("escape", () => place.lastChild?.remove());
}

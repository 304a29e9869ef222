// What is told in passing: it goes by itself; what went wrong stays longer, and both have a cross.
import { icon, make } from "./dom.js";
import { on, setNote } from "./run.js";
import { say } from "./say.js";

const seconds = { note: 7, error: 60 };

export function startNotes(place) {
  setNote((words, kind) => {
    for (const old of place.children) if (old.dataset.words === words) old.remove();
    while (place.children.length > 2) place.firstChild.remove();
    const note = make("div", { class: `note-box ${kind}`, "data-words": words, role: kind === "error" ? "alert"
      : "status" },
      make("p", { text: words }),
      make("button", { type: "button", class: "plain", "aria-label": () => say("Close this"), onclick: () =>
        note.remove() }, icon("close")));
    place.append(note);
    setTimeout(() => note.remove(), 1000 * (seconds[kind] ?? 7));
  });
  on("escape", () => place.lastChild?.remove());
}

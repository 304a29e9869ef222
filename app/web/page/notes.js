// What is told in passing: it goes by itself; what went wrong stays longer, and both have a cross.
import { icon, make } from "./dom.js";
import { leave } from "./focus.js";
import { on, setNote } from "./run.js";
import { clipped, say } from "./say.js";

const seconds = { note: 7, error: 60 };

export function startNotes(place) {
  // `words`: a text, or a function that says it; only that one is told anew when its translation has come.
  setNote((words, kind) => {
    const tellIt = typeof words === "function" ? () => clipped(words()) : clipped(words);
    const text = typeof tellIt === "function" ? tellIt() : tellIt;
    for (const old of [...place.children]) if (old.firstChild.textContent === text) old.remove();
    while (place.children.length > 2) place.firstChild.remove();
    const note = make("div", { class: `note-box ${kind}`, role: kind === "error" ? "alert" : "status" },
      make("p", { text: tellIt }),
      make("button", { type: "button", class: "plain", "aria-label": () => say("Close this"), onclick: () =>
        leave(note, () => note.remove()) }, icon("close")));
    place.append(note);
    setTimeout(() => leave(note, () => note.remove()), 1000 * (seconds[kind] ?? 7));
  });
  on("escape", () => place.lastChild?.remove());
}

// Buttons that rotate 3-D views, for touch with one finger; keys rotate them too (crosshair.js).
import { make } from "./dom.js";
import { on } from "./run.js";
import { tr } from "./i18n.js";
import { canBeTurned } from "./pointer_input.js";
import { moveCamera } from "./strokes.js";

const radians = Math.PI / 24; // per press
const again = 120; // milliseconds between two rotations while a button is held

// `right`, `up`: -1, 0 or 1, the direction in which the view moves.
export const turnView = (right, up) => moveCamera({ turn: [right * radians, up * radians] });

export function turnPad() {
  let timer = 0;
  const stop = () => clearInterval(timer);
  const button = (place, sign, words, right, up) => make("button", { type: "button", class: `turn-${place}`,
    "aria-label": words, title: words, text: sign, onclick: () => turnView(right, up), onpointerdown: () => {
    stop();
    timer = setInterval(() => turnView(right, up), again);
  }, onpointerup: stop, onpointercancel: stop, onpointerleave: stop });
  const pad = make("div", { class: "turn-pad touch-only", role: "group", "aria-label": () => tr("Turn the view"),
    hidden: true },
  button("up", "▲", () => tr("See it from higher up"), 0, 1),
  button("left", "◀", () => tr("Turn to the left"), -1, 0),
  button("right", "▶", () => tr("Turn to the right"), 1, 0),
  button("down", "▼", () => tr("See it from lower down"), 0, -1));
  on("status", () => {
    pad.hidden = !canBeTurned();
    if (pad.hidden) stop();
  });
  return pad;
}

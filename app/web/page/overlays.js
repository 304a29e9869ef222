// The hint of the scene, and overlays of the view: messages of a stopped or silent run, buttons that turn a 3-D view, and
// the hint about scrolling.
import { icon, leave, make } from "./dom.js";
import { hasFingersOnly, hintOf, tr } from "./i18n.js";
import { canBeTurned } from "./pointer_input.js";
import { controlsRun, on, run, runAction, setPlaying, startAgain } from "./run.js";
import { forTeacher } from "./served.js";
import { turnView } from "./strokes.js";
import { commands } from "./transport.js";
import { valueText } from "./value_row.js";

const scrollHintFor = 1.8; // seconds
const turnInterval = 120; // milliseconds between two turns while a button is held

// Hint: what to try first, at the beginning of the panels. It disappears with the first gesture, its close button, or
// Esc. A narrow window shows its first lines, and all of it after a tap.
export function hintBox() {
  const paragraph = make("p", {});
  const box = make("div", { class: "hint part-hint", hidden: true, onclick: () => box.classList.add("whole") }, paragraph,
    make("button", { type: "button", class: "plain", "aria-label": () => tr("Close the hint"), onclick: () => hide() },
      icon("close")));
  const hide = () => leave(box, () => (box.hidden = true));
  on("scene", () => {
    paragraph.replaceChildren(make("span", { text: () => hintOf(run.status) }));
    box.classList.remove("whole");
    box.hidden = !run.status.hint || Boolean(run.lesson);
  });
  on("poked", hide);
  on("object changed", hide);
  on("escape", hide);
  return box;
}

// Message after the run had to stop: the reason, and the choices. The engine tries changes of one parameter on a copy,
// and the first one that keeps the run finite is offered.
export function stopMessage() {
  const paragraph = make("p", {});
  const remedyText = () => {
    const { parameter, value } = run.status.remedy;
    const info = run.simulation.parameters.find((one) => one.id === parameter);
    return tr({ text: "Set {} to {} and continue",
      arguments: [{ parameter, label: info.label }, { value: valueText(info, value) }] });
  };
  const mend = make("button", { type: "button", class: "accent", hidden: true, onclick: async () => {
    await runAction("apply_remedy", {});
    setPlaying(true);
  } });
  let isSought = false;
  async function seekRemedy() {
    isSought = true;
    await runAction("find_remedy", {});
  }
  const back = make("button", { type: "button", class: "accent", text: () => tr("Restore the last valid state"),
    onclick: async () => {
      await commands.restoreLastGood();
      setPlaying(true);
    } });
  const card = make("div", { class: "stop-message", role: "alert", hidden: true }, paragraph,
    make("div", { class: "buttons" }, forTeacher(mend, back,
      make("button", { type: "button", class: "quiet", text: () => tr("Restart the scene"), onclick: async () => {
        await commands.restart();
        setPlaying(true);
      } }))));
  on("status", () => {
    leave(card, () => (card.hidden = !run.status.stop_reason));
    if (!run.status.stop_reason) return (isSought = false);
    setPlaying(false);
    const now = tr(run.status.stop_reason);
    if (paragraph.textContent !== now)
      paragraph.replaceChildren(make("span", { text: () => tr(run.status.stop_reason) }));
    back.hidden = !run.status.can_restore_last_good;
    mend.hidden = !run.status.remedy?.parameter;
    if (!mend.hidden) mend.replaceChildren(make("span", { text: remedyText }));
    if (controlsRun() && !run.status.has_sought_remedy && !isSought) seekRemedy();
  });
  return card;
}

// Message for a step that takes long, with a button to cancel it.
export function silenceCard() {
  const card = make("div", { class: "stop-message", role: "status", hidden: true },
    make("p", { text: () => tr("This step takes long. Wait, or restart the scene with smaller values.") }),
    make("div", { class: "buttons" }, make("button", { type: "button", class: "quiet", text: () =>
      tr("Restart the scene"),
      onclick: () => {
        leave(card, () => (card.hidden = true));
        startAgain();
      } })));
  on("silence", (silent) => leave(card, () => (card.hidden = !silent)));
  return card;
}

// Buttons that turn a 3-D view, for touch with one finger; keys turn it too (keys.js).
export function turnPad() {
  let timer = 0;
  const stop = () => clearInterval(timer);
  const button = (side, sign, label, right, up) => make("button", { type: "button", class: `turn-${side}`,
    "aria-label": label, title: label, text: sign, onclick: () => turnView(right, up), onpointerdown: () => {
    stop();
    timer = setInterval(() => turnView(right, up), turnInterval);
  }, onpointerup: stop, onpointercancel: stop, onpointerleave: stop });
  const pad = make("div", { class: "turn-pad touch-only", role: "group", "aria-label": () => tr("Turn the view"),
    hidden: true },
  button("up", "▲", () => tr("View from higher up"), 0, 1),
  button("left", "◀", () => tr("Turn to the left"), -1, 0),
  button("right", "▶", () => tr("Turn to the right"), 1, 0),
  button("down", "▼", () => tr("View from lower down"), 0, -1));
  on("status", () => {
    pad.hidden = !canBeTurned();
    if (pad.hidden) stop();
  });
  return pad;
}

// In an embedded page, the wheel and a swipe scroll the outer page. This hint then names the input that moves the view.
export function scrollHint() {
  const hint = make("p", { class: "scroll-hint", role: "status", hidden: true });
  let timer = 0;
  on("scrolled past", () => {
    hint.textContent = hasFingersOnly()
      ? tr("Move the view with two fingers. To draw with one, hold it still for a moment first.")
      : tr("Ctrl + wheel: zoom");
    hint.hidden = false;
    clearTimeout(timer);
    timer = setTimeout(() => (hint.hidden = true), 1000 * scrollHintFor);
  });
  return hint;
}

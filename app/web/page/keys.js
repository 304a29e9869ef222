// Keyboard input: the same keys as in the window, except those that browsers reserve, and a crosshair for the tool.
import { toggleColorBar } from "./color_bar.js";
import { commandTable } from "./command_table.js";
import { chooseFile, saveImage, saveState, toggleVideo } from "./exports.js";
import { tr } from "./i18n.js";
import { pushInstrument, removeInstrument, selectedInstrument } from "./instruments.js";
import { partsAsked } from "./link.js";
import { toggleMicroscope } from "./microscope.js";
import { pushHandle, remove, selectedObject } from "./objects.js";
import { canBeTurned, chooseTool, pokeAt, pressSpace, viewSize, spaceWasTapped } from "./pointer_input.js";
import { moveInPast, pastShare } from "./past.js";
import { emit, run, runAction, showMessage, whyTeacherOnly } from "./run.js";
import { goTo, neighbour } from "./scene_panel.js";
import { settings } from "./settings.js";
import { turnView } from "./strokes.js";
import { commands } from "./transport.js";

let dialogs = {};

async function describeView() {
  const answer = await runAction("describe", { scene_units: settings.sceneUnits });
  if (answer) showMessage(() => tr(answer.words));
}

const forAll = whyTeacherOnly; // a command whose effect is one for all who share the run

// Functions of the table's commands: {run, leaves, why}, by name. `leaves`: the command opens another scene; an embedded
// page allows that only if it shows that part. `why`: returns why the command is off, or "".
export const handlers = {
  "play-pause": { why: forAll, run: commands.playPause },
  "single-step": { why: forAll, run: commands.singleStep },
  "step-back": { why: forAll, run: () => moveInPast(-1) },
  "past-back": { why: forAll, run: () => moveInPast(-pastShare()) },
  "past-forward": { why: forAll, run: () => moveInPast(pastShare()) },
  restart: { why: forAll, run: commands.restart },
  "restart-keeping": { why: forAll, run: commands.restartKeeping },
  undo: { why: forAll, run: commands.undo },
  redo: { why: forAll, run: commands.redo },
  faster: { why: forAll, run: commands.faster },
  slower: { why: forAll, run: commands.slower },
  "speed-unit": { run: commands.speedUnit },
  "previous-scene": { why: forAll, leaves: "scene", run: () => goTo(neighbour(-1)) },
  "next-scene": { why: forAll, leaves: "scene", run: () => goTo(neighbour(1)) },
  browse: { why: forAll, leaves: "gallery", run: () => (location.hash = "scenes") },
  "save-state": { run: saveState },
  "open-file": { leaves: "play", run: chooseFile },
  measure: { run: () => emit("tab", "plots") },
  film: { run: toggleVideo },
  screenshot: { run: saveImage },
  "home-view": { why: forAll, run: commands.homeView },
  "toggle-color-bar": { run: toggleColorBar },
  "toggle-theory": { why: forAll, run: commands.toggleTheory },
  "toggle-microscope": { run: toggleMicroscope },
  "toggle-panels": { run: () => emit("panels") },
  describe: { run: describeView },
  "about-scene": { run: () => dialogs.about() },
  help: { run: () => dialogs.help() },
  "close-overlay": { run: () => emit("escape") },
};

// The table of commands with what each does.
export const bindings = () => commandTable().map((command) => ({ ...command, ...handlers[command.name] }));

function execute({ why, run: act }) {
  const reason = why?.();
  if (reason) showMessage(why);
  else act();
}

export const pointerBindings = [
  [() => tr("Left button"), () => tr("The tool")],
  [() => tr("Right button"), () => tr("The tool's opposite")],
  [() => tr("Middle drag, or Space + drag"), () => tr("Move the view")],
  [() => tr("The same, where there is depth"), () => tr("Turn it; Shift: move")],
  [() => tr("Alt + arrow keys, where there is depth"), () => tr("Turn it")],
  [() => tr("Wheel"), () => tr("Zoom at the pointer")],
  [() => tr("Ctrl + wheel"), () => tr("The brush's size, or the tool's own")],
  [() => tr("Shift + drag"), () => tr("The tool, along a straight line")],
  [() => tr("One finger"), () => tr("The tool")],
  [() => tr("Two fingers"), () => tr("Move and zoom the view; turn 3-D views")],
  [() => tr("Arrow keys"), () => tr("A crosshair; Ctrl: by a pixel")],
  [() => tr("Enter"), () => tr("The tool at the crosshair; Ctrl: its opposite")],
  [() => tr("Shift + arrow keys"), () => tr("Drag with the crosshair")],
  [() => tr("Knob of an object"), () => tr("Drag to move, click to select (Del: remove)")],
  [() => tr("Arrow keys, with an object selected"), () => tr("Move it; Shift: farther")],
  [() => tr("Handle of an instrument"), () => tr("Drag to move (arrow keys: move, Del: remove)")],
];

// The Latin letter or digit of a key that has another character on this keyboard (Cyrillic letters, the French row of
// digits).
const latinOf = (code) => /^(?:Key([A-Z])|Digit([0-9]))$/.exec(code ?? "")?.slice(1).find(Boolean)?.toLowerCase();

// Many keyboards compose brackets with AltGr or Option, and Windows reports AltGr as Ctrl and Alt.
const isComposed = (event) => event.key === "[" || event.key === "]";

function chordOf(event) {
  if (isComposed(event) && event.altKey) return event.key;
  const control = event.ctrlKey || event.metaKey;
  let key = event.key === " " ? "Space" : event.key === "Escape" ? "Esc" : event.key;
  // For a character without a binding: uses the character of this key on a Latin keyboard.
  if (key.length === 1 && !/[!-~]/.test(key)) key = latinOf(event.code) ?? key;
  if (control) return `Ctrl+${event.shiftKey ? "Shift+" : ""}${key.toUpperCase()}`;
  if (event.shiftKey && /^[a-z]$/i.test(key)) return `Shift+${key.toUpperCase()}`;
  return /^[A-Z]$/.test(key) ? key.toLowerCase() : key; // (Caps Lock)
}

// True if the focused control takes text or a choice; then it gets the keys.
const isTyping = (target) =>
  target.closest?.("input:not([type=range]):not([type=radio]):not([type=checkbox]), textarea, select");
const takesSpace = (target) => target.closest?.("button, a, input, select, textarea, summary, [role=tab]");

export function startKeys(openDialog) {
  dialogs = openDialog;
  window.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.altKey && !isComposed(event) || isTyping(event.target) ||
      document.querySelector("dialog[open]")) return;
    if (document.getElementById("run").hidden || !run.status) return;
    const chord = chordOf(event);
    if (chord === "Esc") return emit("escape");
    if (chord.length === 1 && !settings.keys) return;
    if (chord === "Space") {
      if (takesSpace(event.target)) return;
      event.preventDefault();
      if (!event.repeat) pressSpace();
      return;
    }
    /** @type {any} */
    const target = event.target;
    if (target.type === "range" && /^(Home|End|Arrow|Page)/.test(chord)) return;
    const instrument = selectedInstrument();
    if ((chord === "Delete" || chord === "Backspace") && (instrument || selectedObject()) && target.tagName !== "INPUT") {
      event.preventDefault();
      if (event.repeat) return;
      if (instrument) removeInstrument(instrument);
      else remove(selectedObject());
      return;
    }
    const binding = bindings().find((one) => one.run && one.keys.includes(chord));
    // The teacher chose the scene of an embedded page.
    const asked = partsAsked();
    if (binding?.leaves && asked && !asked.includes(binding.leaves)) return;
    if (binding) {
      event.preventDefault();
      if (!event.repeat || binding.repeats) execute(binding);
      return;
    }
    const digit = /^[1-9]$/.test(chord) ? chord : chord.length === 1 ? /^Digit([1-9])$/.exec(event.code)?.[1] : null;
    if (digit && !event.shiftKey) return chooseTool(run.simulation.tools[Number(digit) - 1]?.id);
    // A tool may have a letter that applies it at the pointer, even if another tool is selected.
    const tool = run.simulation.tools.find((one) => one.key && one.key === chord);
    if (tool && run.pointer) {
      pokeAt("press", run.pointer, {}, "left", tool.id);
      pokeAt("release", run.pointer, {}, "left", tool.id);
    }
  });
  window.addEventListener("keyup", (event) => {
    if (event.key === " " && spaceWasTapped()) execute(handlers["play-pause"]);
  });
}

// ---- crosshair: arrows move it, Enter presses there, Shift drags; with Alt, arrows turn 3-D views

const stepsAcross = 40; // arrow presses from the bottom of the view to the top
let mark, position = null, drags = false;

export function startCrosshair(element, canvas) {
  mark = element;
  canvas.addEventListener("pointerdown", dropCrosshair);
  canvas.addEventListener("pointermove", (event) => event.pointerType === "mouse" && dropCrosshair());
  canvas.addEventListener("blur", () => endDrag());
  canvas.addEventListener("keydown", moveCrosshair);
  canvas.addEventListener("keyup", (event) => event.key === "Shift" && endDrag());
}

function showCrosshair() {
  mark.hidden = !position;
  if (position) mark.style.transform = `translate(${position.x}px, ${position.y}px)`;
  run.pointer = position && { ...position, ...viewSize(), moved: true };
}

function endDrag() {
  if (drags) pokeAt("release", position, {});
  drags = false;
}

function dropCrosshair() {
  if (!position) return;
  endDrag();
  position = null;
  showCrosshair();
}

const directions = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function moveCrosshair(event) {
  const { width, height } = viewSize();
  const direction = directions[event.key];
  if (!direction && event.key !== "Enter") {
    if (event.key === "Escape" && position) dropCrosshair();
    return;
  }
  if (event.altKey && !canBeTurned()) return; // Alt and arrows belong to the browser
  event.preventDefault();
  event.stopPropagation();
  if (event.altKey) {
    if (direction) turnView(direction[0], -direction[1]);
    return;
  }
  const pixels = event.shiftKey ? 10 : 1;
  if (direction && !event.ctrlKey && (pushInstrument(direction, pixels, { width, height }) ||
    pushHandle(direction, pixels, event.repeat, { width, height }))) return;
  position ??= { x: width / 2, y: height / 2 };
  if (event.key === "Enter") {
    const button = event.ctrlKey ? "right" : "left";
    pokeAt("press", position, {}, button);
    pokeAt("release", position, {}, button);
    showCrosshair();
    return;
  }
  if (event.shiftKey && !drags) {
    pokeAt("press", position, {});
    drags = true;
  }
  const step = event.ctrlKey ? 1 : height / stepsAcross;
  position.x = Math.min(width - 1, Math.max(0, position.x + step * direction[0]));
  position.y = Math.min(height - 1, Math.max(0, position.y + step * direction[1]));
  if (drags) pokeAt("move", position, {});
  showCrosshair();
}

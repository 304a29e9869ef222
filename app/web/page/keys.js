// Keys: the same as in the window, except those that browsers reserve.
import { toggleColorBar } from "./color_bar.js";
import { saveState, savePicture } from "./exports.js";
import { partsAsked } from "./link.js";
import { emit, run, setTool } from "./run.js";
import { tr } from "./i18n.js";
import { goTo, neighbour } from "./scene_panel.js";
import { settings } from "./settings.js";
import { pokeAt, pressSpace, spaceWasTapped } from "./pointer_input.js";
import { commands } from "./transport.js";

let dialogs = {};

// Key bindings, also for the help: {keys, words, run, leaves}. `leaves`: the command opens another scene; an embedded
// page allows that only if it shows that part.
export const bindings = [
  { keys: ["Space"], words: () => tr("Play or pause") },
  { keys: [".", "n"], words: () => tr("One step (pauses)"), run: commands.singleStep },
  { keys: ["r"], words: () => tr("Restart the scene"), run: commands.restart },
  { keys: ["Shift+R"], words: () => tr("Restart, keep walls and sources"), run: commands.restartKeeping },
  { keys: ["Ctrl+Z"], words: () => tr("Undo"), run: commands.undo },
  { keys: ["Ctrl+Shift+Z", "Ctrl+Y"], words: () => tr("Redo"), run: commands.redo },
  { keys: ["+", "="], words: () => tr("Faster"), run: commands.faster },
  { keys: ["-"], words: () => tr("Slower"), run: commands.slower },
  { keys: ["u"], words: () => tr("Speed in another unit"), run: commands.speedUnit },
  { keys: ["["], words: () => tr("Previous scene"), leaves: "scene", run: () => goTo(neighbour(-1)) },
  { keys: ["]"], words: () => tr("Next scene"), leaves: "scene", run: () => goTo(neighbour(1)) },
  { keys: ["g"], words: () => tr("All scenes, in pictures"), leaves: "gallery",
    run: () => (location.hash = "scenes") },
  { keys: ["Ctrl+S"], words: () => tr("Save the state to a file"), run: saveState },
  { keys: ["p"], words: () => tr("Save the picture as PNG"), run: savePicture },
  { keys: ["Home", "0"], words: () => tr("Show the whole domain"), run: commands.homeView },
  { keys: ["c"], words: () => tr("Show or hide the colour bar"), run: toggleColorBar },
  { keys: ["h"], words: () => tr("Show or hide the panels"), run: () => emit("panels") },
  { keys: ["m"], words: () => tr("Numbers and curves"), run: () => emit("tab", "plots") },
  { keys: ["F4"], words: () => tr("What am I seeing"), run: () => dialogs.about() },
  { keys: ["?"], words: () => tr("Help: keys, and this scene"), run: () => dialogs.help() },
  { keys: ["Esc"], words: () => tr("Close what is open") },
  { keys: ["1 ... 9"], words: () => tr("choose a tool") },
];

export const pointerBindings = [
  [() => tr("Left button"), () => tr("the tool")],
  [() => tr("Right button"), () => tr("the tool's opposite")],
  [() => tr("Middle drag, or Space + drag"), () => tr("move the view")],
  [() => tr("The same, where there is depth"), () => tr("turn it; Shift: move")],
  [() => tr("Alt + arrow keys, where there is depth"), () => tr("turn it")],
  [() => tr("Wheel"), () => tr("zoom at the pointer")],
  [() => tr("Ctrl + wheel"), () => tr("the brush's size, or the tool's own")],
  [() => tr("Shift + drag"), () => tr("the tool, along a straight line")],
  [() => tr("One finger"), () => tr("the tool")],
  [() => tr("Two fingers"), () => tr("move and zoom the view; turn it where there is depth")],
  [() => tr("Arrow keys"), () => tr("a crosshair; Ctrl: by a pixel")],
  [() => tr("Enter"), () => tr("the tool at the crosshair; Ctrl: its opposite")],
  [() => tr("Shift + arrow keys"), () => tr("drag with the crosshair")],
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
    if (event.target.type === "range" && /^(Home|End|Arrow|Page)/.test(chord)) return;
    const binding = bindings.find((one) => one.run && one.keys.includes(chord));
    // The teacher chose the scene of an embedded page.
    const asked = partsAsked();
    if (binding?.leaves && asked && !asked.includes(binding.leaves)) return;
    if (binding) {
      event.preventDefault();
      binding.run();
      return;
    }
    const digit = /^[1-9]$/.test(chord) ? chord : chord.length === 1 ? /^Digit([1-9])$/.exec(event.code)?.[1] : null;
    if (digit && !event.shiftKey) return setTool(run.simulation.tools[Number(digit) - 1]?.id);
    // A tool may have a letter that applies it at the pointer, even if another tool is selected.
    const tool = run.simulation.tools.find((one) => one.key && one.key === chord);
    if (tool && run.pointer) {
      pokeAt("press", run.pointer, {}, "left", tool.id);
      pokeAt("release", run.pointer, {}, "left", tool.id);
    }
  });
  window.addEventListener("keyup", (event) => {
    if (event.key === " " && spaceWasTapped()) commands.playPause();
  });
}

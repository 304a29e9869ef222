// Keys, as the window has them where the browser leaves them to a page.
import { toggleColorBar } from "./color_bar.js";
import { saveState, savePicture } from "./exports.js";
import { partsAsked } from "./link.js";
import { emit, run, setTool } from "./run.js";
import { say } from "./say.js";
import { goTo, neighbour } from "./scene_panel.js";
import { settings } from "./settings.js";
import { pokeAt, pressSpace, spaceWasTapped } from "./stage.js";
import { commands } from "./transport.js";

let ways = {};

// What is done with which key, for Help: {keys, words, run, leaves}. `leaves`: it goes to another scene, which an
// embedded page does only where it shows that part.
export const bindings = [
  { keys: ["Space"], words: () => say("Play or pause") },
  { keys: [".", "n"], words: () => say("One step (pauses)"), run: commands.singleStep },
  { keys: ["r"], words: () => say("Restart the scene"), run: commands.restart },
  { keys: ["Shift+R"], words: () => say("Restart, keep walls and sources"), run: commands.restartKeeping },
  { keys: ["Ctrl+Z"], words: () => say("Undo"), run: commands.undo },
  { keys: ["Ctrl+Shift+Z", "Ctrl+Y"], words: () => say("Redo"), run: commands.redo },
  { keys: ["+", "="], words: () => say("Faster"), run: commands.faster },
  { keys: ["-"], words: () => say("Slower"), run: commands.slower },
  { keys: ["u"], words: () => say("Speed in another unit"), run: commands.speedUnit },
  { keys: ["["], words: () => say("Previous scene"), leaves: "scene", run: () => goTo(neighbour(-1)) },
  { keys: ["]"], words: () => say("Next scene"), leaves: "scene", run: () => goTo(neighbour(1)) },
  { keys: ["g"], words: () => say("All scenes, in pictures"), leaves: "gallery",
    run: () => (location.hash = "scenes") },
  { keys: ["Ctrl+S"], words: () => say("Save the state to a file"), run: saveState },
  { keys: ["p"], words: () => say("Save the picture as PNG"), run: savePicture },
  { keys: ["Home", "0"], words: () => say("Show the whole domain"), run: commands.homeView },
  { keys: ["c"], words: () => say("Show or hide the colour bar"), run: toggleColorBar },
  { keys: ["h"], words: () => say("Show or hide the panels"), run: () => emit("panels") },
  { keys: ["m"], words: () => say("Numbers and curves"), run: () => emit("tab", "plots") },
  { keys: ["F4"], words: () => say("What am I seeing"), run: () => ways.about() },
  { keys: ["?"], words: () => say("Help: keys, and this scene"), run: () => ways.help() },
  { keys: ["Esc"], words: () => say("Close what is open") },
  { keys: ["1 ... 9"], words: () => say("choose a tool") },
];

export const handDeeds = [
  [() => say("Left button"), () => say("the tool")],
  [() => say("Right button"), () => say("the tool's opposite")],
  [() => say("Middle drag, or Space + drag"), () => say("move the view")],
  [() => say("The same, where there is depth"), () => say("turn it; Shift: move")],
  [() => say("Alt + arrow keys, where there is depth"), () => say("turn it")],
  [() => say("Wheel"), () => say("zoom at the pointer")],
  [() => say("Ctrl + wheel"), () => say("the brush's size, or the tool's own")],
  [() => say("Shift + drag"), () => say("the tool, along a straight line")],
  [() => say("One finger"), () => say("the tool")],
  [() => say("Two fingers"), () => say("move and zoom the view; turn it where there is depth")],
  [() => say("Arrow keys"), () => say("a crosshair; Ctrl: by a pixel")],
  [() => say("Enter"), () => say("the tool at the crosshair; Ctrl: its opposite")],
  [() => say("Shift + arrow keys"), () => say("drag with the crosshair")],
];

// The letter or digit of a key on which this keyboard has another sign: Cyrillic letters, a French row of digits.
const latinOf = (code) => /^(?:Key([A-Z])|Digit([0-9]))$/.exec(code ?? "")?.slice(1).find(Boolean)?.toLowerCase();

// Brackets are composed with AltGr or Option on many keyboards, and Windows tells AltGr as Ctrl and Alt.
const isComposed = (event) => event.key === "[" || event.key === "]";

function chordOf(event) {
  if (isComposed(event) && event.altKey) return event.key;
  const control = event.ctrlKey || event.metaKey;
  let key = event.key === " " ? "Space" : event.key === "Escape" ? "Esc" : event.key;
  // A sign that nothing goes by: what the key has on a Latin keyboard.
  if (key.length === 1 && !/[!-~]/.test(key)) key = latinOf(event.code) ?? key;
  if (control) return `Ctrl+${event.shiftKey ? "Shift+" : ""}${key.toUpperCase()}`;
  if (event.shiftKey && /^[a-z]$/i.test(key)) return `Shift+${key.toUpperCase()}`;
  return /^[A-Z]$/.test(key) ? key.toLowerCase() : key; // (Caps Lock)
}

// Where letters are typed and things are chosen, keys belong to that.
const isTyping = (target) =>
  target.closest?.("input:not([type=range]):not([type=radio]):not([type=checkbox]), textarea, select");
const takesSpace = (target) => target.closest?.("button, a, input, select, textarea, summary, [role=tab]");

export function startKeys(openDialog) {
  ways = openDialog;
  window.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.altKey && !isComposed(event) || isTyping(event.target) ||
      document.querySelector("dialog[open]")) return;
    if (document.getElementById("room").hidden || !run.status) return;
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
    // A scene in another page is the one that its teacher chose.
    const asked = partsAsked();
    if (binding?.leaves && asked && !asked.includes(binding.leaves)) return;
    if (binding) {
      event.preventDefault();
      binding.run();
      return;
    }
    const digit = /^[1-9]$/.test(chord) ? chord : chord.length === 1 ? /^Digit([1-9])$/.exec(event.code)?.[1] : null;
    if (digit && !event.shiftKey) return setTool(run.simulation.tools[Number(digit) - 1]?.id);
    // A tool may have a letter that uses it at the pointer, whichever one is chosen.
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

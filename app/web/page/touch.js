// What is said to fingers: a phone has neither a right button nor keys.
import { say } from "./say.js";

const coarse = matchMedia("(pointer: coarse)"), mouse = matchMedia("(any-pointer: fine)");
export const hasFingersOnly = () => coarse.matches && !mouse.matches;

// A scene's hint.
export const hintOf = (status) => say((hasFingersOnly() && status.touch_hint) || status.hint);

// Where a longer text names a button: what stands for it. (By the English text, whatever language is shown.)
export const namesButtons = (...texts) =>
  hasFingersOnly() && /(right|middle) button|right[- ]click/i.test(texts.flat().join(" "));
export const buttonsForFingers = () =>
  say("For fingers, the switch “The tool's opposite” is the right button of a mouse.");

// A tool's help names both buttons at the beginning of its sentences.
export function toolHelp(tool) {
  const words = say(tool.help);
  if (!hasFingersOnly()) return words;
  return words.replaceAll(say("Left drag:"), say("Finger:")).replaceAll(say("Left:"), say("Finger:"))
    .replaceAll(say("Right drag:"), say("Opposite:")).replaceAll(say("Right:"), say("Opposite:"));
}

// What is said to fingers: a phone has neither a right button nor keys.
import { tr } from "./i18n.js";

const coarse = matchMedia("(pointer: coarse)"), mouse = matchMedia("(any-pointer: fine)");
export const hasFingersOnly = () => coarse.matches && !mouse.matches;

// A scene's hint.
export const hintOf = (status) => tr((hasFingersOnly() && status.touch_hint) || status.hint);

// Where a longer text names a button: what stands for it. (By the English text, whatever language is shown.)
export const namesButtons = (...texts) =>
  hasFingersOnly() && /(right|middle) button|right[- ]click/i.test(texts.flat().join(" "));
export const buttonsForFingers = () =>
  tr("For fingers, the switch “The tool's opposite” is the right button of a mouse.");

// A tool's help names both buttons at the beginning of its sentences.
export function toolHelp(tool) {
  const words = tr(tool.help);
  if (!hasFingersOnly()) return words;
  return words.replaceAll(tr("Left drag:"), tr("Finger:")).replaceAll(tr("Left:"), tr("Finger:"))
    .replaceAll(tr("Right drag:"), tr("Opposite:")).replaceAll(tr("Right:"), tr("Opposite:"));
}

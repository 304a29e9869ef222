// Texts for touch screens: a phone has neither a right button nor keys.
import { tr } from "./i18n.js";

const coarse = matchMedia("(pointer: coarse)"), mouse = matchMedia("(any-pointer: fine)");
export const hasFingersOnly = () => coarse.matches && !mouse.matches;

// The hint of a scene.
export const hintOf = (status) => tr((hasFingersOnly() && status.touch_hint) || status.hint);

// Text without the names of buttons, for touch screens. (By the English text, whatever the shown language.)
export const namesButtons = (...texts) =>
  hasFingersOnly() && /(right|middle) button|right[- ]click/i.test(texts.flat().join(" "));
export const buttonsForFingers = () =>
  tr("For fingers, the switch “The tool's opposite” is the right button of a mouse.");

// The help of a tool names both buttons at the beginning of its sentences.
export function toolHelp(tool) {
  const words = tr(tool.help);
  if (!hasFingersOnly()) return words;
  return words.replaceAll(tr("Left drag:"), tr("Finger:")).replaceAll(tr("Left:"), tr("Finger:"))
    .replaceAll(tr("Right drag:"), tr("Opposite:")).replaceAll(tr("Right:"), tr("Opposite:"));
}

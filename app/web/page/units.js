// Displayed units: those that the scene states, such as cm and s, or the simulation's. The engine computes the unit of
// each value of the tables (json_of_units in call_open.cpp), and converts curves, measured numbers and messages. Files
// and links use the simulation's units, lessons the scene's.
import { tr } from "./i18n.js";
import { run } from "./run.js";
import { settings } from "./settings.js";

const inSceneUnits = () => settings.sceneUnits || Boolean(run.lesson);

// The unit in which a value is shown, and the factor from the simulation's value to the shown one. `value`: its record
// in the tables.
export function shownUnit({ id, unit }) {
  const found = inSceneUnits() && run.status?.units?.values.find((one) => one.id === id && one.unit === unit);
  return found ? { unit: found.shown, factor: found.factor } : { unit, factor: 1 };
}

// The number in the shown unit, and the record of a value with its range; integers are counts.
export const toShown = (info, value) => (info.kind === "real" ? value * shownUnit(info).factor : value);
export function inShownUnit(info) {
  if (info.kind !== "real") return info;
  const { unit, factor } = shownUnit(info);
  return factor === 1 ? { ...info, unit }
    : { ...info, unit, minimum: info.minimum * factor, maximum: info.maximum * factor,
      ...(info.scale_start && { scale_start: info.scale_start * factor }) };
}

// "Wave speed, cm/s": the name of a quantity with its unit; "Fringe spacing, theory (cm)" where the name has a comma.
// Without a unit that only repeats a word of the name, as in "Height, height".
export function titleWithUnit(label, unit) {
  const name = tr(label), shown = tr(unit);
  const repeats = [[name, shown], [label, unit]].some(([all, word]) => typeof all === "string" &&
    all.toLowerCase().split(/[\s,]+/).includes(word?.toLowerCase()));
  if (!shown || repeats) return name;
  return name.includes(",") ? `${name} (${shown})` : `${name}, ${shown}`;
}

// "t = 1.25 s"
export const timeText = (status) => tr((inSceneUnits() && status.units?.time_text) || status.time_text);

// The range of the colours in the shown unit of their quantity.
export function shownRange(view, quantity) {
  const { factor } = shownUnit(quantity);
  return { ...view, minimum: view.minimum * factor, maximum: view.maximum * factor };
}

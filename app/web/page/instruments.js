// Instruments in the view: ruler, protractor, stopwatch, probe and line cut. The engine has the list, with their pixels
// and readings in the overlay; here they are added, selected, dragged and removed. They change nothing in the run, so
// there is no undo step.
import { refreshDiagnostics, showAgain } from "./frames.js";
import { tr } from "./i18n.js";
import { select as selectObject } from "./objects.js";
import { controlsRun, emit, on, run, runAction } from "./run.js";

export const kinds = [
  { id: "ruler", label: () => tr("Ruler"), help: () => tr("Measures a length. Drag its ends.") },
  { id: "protractor", label: () => tr("Protractor"), help: () =>
    tr("Measures an angle. Drag its vertex and the ends of its arms.") },
  { id: "stopwatch", label: () => tr("Stopwatch"), help: () =>
    tr("Measures the simulated time. Click or tap it to stop it.") },
  { id: "probe", label: () => tr("Probe"), help: () =>
    tr("Plots the shown quantity at a point over time, with its spectrum.") },
  { id: "cut", label: () => tr("Line cut"), help: () => tr("Plots the shown quantity along a line. Drag its ends.") },
];

export const instruments = () => run.overlay?.instruments ?? [];
export const selectedInstrument = () => instruments().find((one) => one.id === run.instrument.id);
export const plotsCurve = ({ kind }) => kind === "probe" || kind === "cut";

export function selectInstrument(id, point = 0) {
  if (id && run.selection.object) selectObject(0);
  Object.assign(run.instrument, { id, point });
  emit("instrument");
  showAgain();
}
on("scene", () => selectInstrument(0));
on("selection", () => run.selection.object && run.instrument.id && selectInstrument(0));
on("escape", () => run.instrument.id && selectInstrument(0));

// ---- changes

async function change(name, request) {
  const answer = await runAction(name, request);
  refreshDiagnostics();
  return answer;
}

const viewSize = () => ({ width: run.overlay.width, height: run.overlay.height });

// In the middle of the view.
export async function addInstrument(kind) {
  if (!run.overlay) return;
  const answer = await change("add_instrument", { kind, ...viewSize() });
  if (!answer) return;
  selectInstrument(answer.id);
  if (plotsCurve({ kind }) && !run.lesson) emit("instrument clicked");
}
export const changeInstrument = ({ id }, request) => change("change_instrument", { id, ...request });
export const pressStopwatch = (one) => changeInstrument(one, { watch: "start_or_stop" });
// Without one: all.
export async function removeInstrument(one) {
  await change("remove_instrument", one ? { id: one.id } : {});
  if (!one || one.id === run.instrument.id) selectInstrument(0);
}

// ---- in the view; positions are pixels of the view

const reach = { mouse: 11, pen: 14, touch: 18 }; // pixels, as for objects
// Boxes of the stopwatches' labels, by id, as they were drawn last: a stopwatch has no handle.
export const watchBoxes = new Map();

// The nearest handle that a press grabs, or the stopwatch whose label it hits; among several at one position the one
// that was added last.
export function instrumentAt({ x, y }, pointer) {
  if (!controlsRun()) return null;
  let found = null, nearest = reach[pointer] ?? reach.mouse;
  for (const one of instruments()) {
    const box = watchBoxes.get(one.id);
    if (box && x >= box.x && y >= box.y && x < box.x + box.width && y < box.y + box.height)
      return { id: one.id, point: -1 };
    one.at.forEach(([left, top], point) => {
      const distance = Math.hypot(left - x, top - y);
      if (!(distance <= nearest)) return;
      nearest = distance;
      found = { id: one.id, point };
    });
  }
  return found;
}

// Only the last position of a drag waits for an answer.
let waiting = null, busy = false;
async function post(request) {
  waiting = request;
  if (busy) return;
  busy = true;
  while (waiting) {
    const next = waiting;
    waiting = null;
    await change("drag_instrument", next);
  }
  busy = false;
}

// Returns what moves the handle by as much as the pointer has moved since `start`.
export function startInstrumentDrag({ id, point }, start, size) {
  selectInstrument(id, Math.max(0, point));
  const [left, top] = instruments().find((one) => one.id === id).at[point] ?? [0, 0];
  return ({ x, y }) => point >= 0 && post({ id, point, ...size, x: left + x - start.x, y: top + y - start.y });
}

// A press without a drag.
export function clickInstrument({ id, point }) {
  const one = instruments().find((other) => other.id === id);
  if (one && point < 0) pressStopwatch(one);
  else if (one) emit("instrument clicked");
}

// Arrow keys move the selected handle by pixels. Returns whether there is one.
export function pushInstrument([right, down], pixels, size) {
  const { point } = run.instrument, one = selectedInstrument();
  if (!one?.at[point] || !controlsRun()) return false;
  if (!busy) {
    const [x, y] = one.at[point];
    post({ id: one.id, point, ...size, x: x + pixels * right, y: y + pixels * down });
  }
  return true;
}

// Objects of the scene: the selected one, and changes by sliders, drags and keys. Every change is an action, so that
// undo, scripts and links keep it.
import { refreshDiagnostics, showAgain } from "./frames.js";
import { tr } from "./i18n.js";
import { call, emit, on, run, showMessage, showRefusal, takeStatus } from "./run.js";

export const selectedObject = () => run.status?.objects.find((one) => one.id === run.selection.object);
export const kindOf = (object) => run.simulation.actions.find((one) => one.id === object.kind);

export function select(object, handle = 0) {
  Object.assign(run.selection, { object, handle });
  emit("selection");
  showAgain();
}
on("scene", () => select(0));
on("escape", () => run.selection.object && select(0));

// Its kind's label, with its number among several of its kind: "Slits 2".
export function nameOf(object) {
  const alike = run.status.objects.filter((one) => one.kind === object.kind);
  const label = tr(kindOf(object)?.label ?? object.kind);
  return alike.length > 1 ? `${label} ${alike.findIndex((one) => one.id === object.id) + 1}` : label;
}

// ---- changes, sent in order: {name, request, key}. `key`: equal for the changes of one slider or one drag, of which
// only the last one waits.

const waiting = [];
let busy = false, lastChanged = "", lastRejected = "";
async function work() {
  busy = true;
  while (waiting.length) {
    const { name, request, key } = waiting.shift();
    // After a rejected change, the next one begins the undo step.
    if (request.merge_with_last) request.merge_with_last = lastChanged === key;
    const before = run.status.objects;
    try {
      const status = await call(name, request);
      run.touched = true;
      lastChanged = key;
      takeStatus(status);
      emit("object changed");
      if (name === "place") selectCreated(before);
      if (status.note) showMessage(() => tr(status.note));
    } catch (error) {
      // Once for each drag.
      if (name !== "drag_object" || lastRejected !== key) showRefusal(error);
      lastRejected = key;
      if (name !== "drag_object") lastChanged = "";
      if (run.status) takeStatus(run.status); // the rows show the current values
    }
    showAgain();
  }
  busy = false;
  refreshDiagnostics();
}
function post(next) {
  waiting.push(next);
  if (!busy) work();
}

// A slider's value.
export function change(object, number, value, mergeWithLast) {
  const key = `${object.id}/${number}`, last = waiting.at(-1);
  if (mergeWithLast && last?.key === key) last.request.action[number] = value;
  else post({ name: "act", key, request: { merge_with_last: mergeWithLast,
    action: { kind: `change-${object.kind}`, object: object.id, [number]: value } } });
}

// In the middle of the view, as in the window. `kind`: one of run.status.placeable.
export function add(kind) {
  post({ name: "place", key: "", request: { kind } });
}

export function remove(object) {
  post({ name: "act", key: "", request: { action: { kind: "remove-object", object: object.id } } });
}

// ---- handles in the view; positions are pixels of the view

const reach = { mouse: 11, pen: 14, touch: 18 }; // pixels: a target of at least 24 for a finger

// The nearest handle that a press grabs: the first one of every object, and all of the selected object.
export function handleAt(point, pointer) {
  let found = null, nearest = reach[pointer] ?? reach.mouse;
  const consider = (object, count) => object.handles.slice(0, count).forEach(({ at }, handle) => {
    const distance = Math.hypot(at[0] - point.x, at[1] - point.y);
    if (distance >= nearest) return;
    nearest = distance;
    found = { object: object.id, handle };
  });
  // Among several at one position: that of the selected object, else of the object that was placed last.
  const objects = run.overlay?.objects ?? [];
  for (const object of objects) if (object.id === run.selection.object) consider(object, Infinity);
  for (const object of objects.toReversed?.() ?? [...objects].reverse()) consider(object, 1);
  return found;
}

let drags = 0;
export function startDrag({ object, handle }, point, size) {
  select(object, handle);
  const key = `drag ${++drags}`;
  let start = [point.x, point.y];
  // Moves the handle by as much as the pointer has moved since. `end`: it is released.
  return ({ x, y }, end = false) => {
    const last = waiting.at(-1);
    if (last?.key === key) Object.assign(last.request, { x, y, end });
    else post({ name: "drag_object", key, request: { ...size, x, y, ...(start && { start, object, handle }), end } });
    start = null;
  };
}

// Arrow keys move the selected handle by pixels. Returns whether there is one.
let pushed = "";
export function pushHandle([right, down], pixels, repeats, size) {
  const object = run.overlay?.objects.find((one) => one.id === run.selection.object);
  const handle = object?.handles[run.selection.handle];
  if (!handle) return false;
  if (busy) return true; // (the handle is not yet where the last push has moved it)
  const [x, y] = handle.at, key = `push ${object.id}/${run.selection.handle}`;
  post({ name: "drag_object", key, request: { ...size, start: [x, y], object: object.id, handle: run.selection.handle,
    x: x + pixels * right, y: y + pixels * down, merge_with_last: repeats && pushed === key, end: true } });
  pushed = key;
  return true;
}

// Selects the object that a gesture has created.
export function selectCreated(before) {
  const newest = run.status.objects.at(-1);
  if (newest && !before.some((one) => one.id === newest.id)) select(newest.id);
}

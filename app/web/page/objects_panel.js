// The objects of the scene: a list, and the numbers of the selected one as rows. Every change is an action, so that
// undo, scripts and links keep it.
import { make } from "./dom.js";
import { refreshDiagnostics } from "./frames.js";
import { tr } from "./i18n.js";
import { objectsAreOpen, on, run, runAction, takeStatus } from "./run.js";
import { valueRow } from "./value_row.js";

const kindOf = (object) => run.simulation.actions.find((one) => one.id === object.kind);

// Its kind's label, with its number among several of its kind: "Slits 2".
function nameOf(object) {
  const alike = run.status.objects.filter((one) => one.kind === object.kind);
  const label = tr(kindOf(object)?.label ?? object.kind);
  return alike.length > 1 ? `${label} ${alike.findIndex((one) => one.id === object.id) + 1}` : label;
}

// The same as useful_range (app/ui/widgets/slider_scale.h).
function usefulRange(info, original, value) {
  const isNumber = info.kind === "real" || info.kind === "integer";
  if (!isNumber || info.scale !== "linear") return info;
  if (original > 0 && value > 0 && info.kind === "real" && original < 0.05 * info.maximum)
    return { ...info, scale: "logarithmic", minimum: Math.max(info.minimum, Math.min(original / 10, value)),
      maximum: Math.min(info.maximum, Math.max(original * 10, value)) };
  if (original === 0 && info.maximum - info.minimum >= 100)
    return { ...info, minimum: Math.min(info.minimum / 100, value), maximum: Math.max(info.maximum / 100, value) };
  return info;
}

// Sends changes of numbers in order; those of one slider that wait for an answer are merged into the last.
const waiting = [];
let busy = false, lastChanged = "";
function change(object, number, value, mergeWithLast) {
  const last = waiting.at(-1);
  if (mergeWithLast && last?.object === object.id && last.number === number) last.value = value;
  else waiting.push({ object: object.id, kind: object.kind, number, value, mergeWithLast });
  if (!busy) work();
}
async function work() {
  busy = true;
  while (waiting.length) {
    const { object, kind, number, value, mergeWithLast } = waiting.shift();
    // After a refused change, the next one begins the undo step.
    const answer = await runAction("act", { action: { kind: `change-${kind}`, object, [number]: value },
      merge_with_last: mergeWithLast && lastChanged === `${object}/${number}` });
    lastChanged = answer ? `${object}/${number}` : "";
    if (answer) run.touched = true;
    else if (run.status) takeStatus(run.status); // the rows show the current values
  }
  busy = false;
  refreshDiagnostics();
}

async function remove(object) {
  lastChanged = "";
  if (await runAction("act", { action: { kind: "remove-object", object: object.id } })) run.touched = true;
  refreshDiagnostics();
}

export function objectsPanel() {
  const list = make("div", { class: "objects", role: "group", "aria-label": () => tr("Objects") });
  const rowsNode = make("div", { class: "rows" });
  const removeButton = make("button", { type: "button", class: "quiet", text: () => tr("Remove"),
    onclick: () => selectedObject() && remove(selectedObject()) });
  const section = make("section", { hidden: true }, make("h2", { text: () => tr("Objects") }), list, rowsNode,
    removeButton);
  let selected = 0, listed = "", shown = "", rows = [], originals = {};
  const selectedObject = () => run.status.objects.find((one) => one.id === selected);

  function select(id) {
    selected = selected === id ? 0 : id;
    show();
  }
  function showList(objects) {
    const now = JSON.stringify([run.generation, selected, objects.map((one) => [one.id, one.kind])]);
    if (now === listed) return;
    listed = now;
    const focused = list.contains(document.activeElement);
    list.replaceChildren(...objects.map((object) => make("button", { type: "button", class: "quiet",
      "aria-pressed": String(object.id === selected), text: () => nameOf(object), onclick: () => select(object.id) })));
    if (focused) list.querySelector("[aria-pressed=true]")?.focus();
  }
  function showRows(object) {
    // A typed value may be beyond the slider.
    const isBeyond = (row) => object.numbers[row.info.id] < row.info.minimum ||
      object.numbers[row.info.id] > row.info.maximum;
    const now = object ? `${object.id}/${object.kind}` : "";
    if (shown !== now || rows.some(isBeyond)) {
      shown = now;
      // Its position is the last.
      const fields = object ? kindOf(object).fields.filter((field) => field.id in object.numbers) : [];
      const isPosition = (field) => object.position.includes(field.id);
      const original = object && originals[object.id].numbers;
      rows = [...fields.filter((field) => !isPosition(field)), ...fields.filter(isPosition)].map((info) =>
        valueRow(usefulRange(info, original[info.id], object.numbers[info.id]), { initial: original[info.id],
          set: (value, mergeWithLast) =>
            selectedObject() && change(selectedObject(), info.id, value, mergeWithLast) }));
      rowsNode.replaceChildren(...rows.map((row) => row.node));
    }
    removeButton.hidden = !object;
    removeButton.disabled = !objectsAreOpen();
    for (const row of rows)
      row.show(object.numbers[row.info.id], originals[object.id].numbers[row.info.id], objectsAreOpen());
  }
  function show() {
    const objects = run.status?.objects ?? [];
    section.hidden = !objects.length;
    for (const object of objects)
      if (originals[object.id]?.kind !== object.kind) originals[object.id] = object;
    showList(objects);
    showRows(selectedObject());
  }
  on("scene", () => {
    selected = 0;
    shown = "";
    originals = {};
    rows = [];
    rowsNode.replaceChildren();
  });
  on("status", show);
  on("lesson", () => run.status && show());
  return section;
}

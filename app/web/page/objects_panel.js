// Panel of the scene's objects: a list, and the numbers of the selected one as rows.
import { make, replaceKeepingFocus } from "./dom.js";
import { tr } from "./i18n.js";
import { add, change, kindOf, nameOf, remove, select, selectedObject } from "./objects.js";
import { objectsAreOpen, on, run, whyToolIsClosed } from "./run.js";
import { valueRow } from "./value_row.js";

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

export function objectsPanel() {
  const list = make("div", { class: "objects", role: "group", "aria-label": () => tr("Objects") });
  const rowsNode = make("div", { class: "rows" });
  const removeButton = make("button", { type: "button", class: "quiet", text: () => tr("Remove"),
    onclick: () => selectedObject() && remove(selectedObject()) });
  const addButtons = make("div", { class: "objects", role: "group", "aria-label": () => tr("Add an object") });
  const addition = make("div", { class: "add full-only" }, make("p", { class: "small dim", text: () => tr("Add an object") }),
    addButtons);
  const section = make("section", { hidden: true }, make("h2", { text: () => tr("Objects") }), list, rowsNode,
    removeButton, addition);
  let listed = "", offered = "", shown = "", rows = [], originals = {};

  function showList(objects) {
    const now = JSON.stringify([run.generation, run.selection.object, objects.map((one) => [one.id, one.kind])]);
    if (now === listed) return;
    listed = now;
    const focused = list.contains(document.activeElement);
    list.replaceChildren(...objects.map((object) => make("button", { type: "button", class: "quiet",
      "aria-pressed": String(object.id === run.selection.object), text: () => nameOf(object),
      onclick: () => select(object.id === run.selection.object ? 0 : object.id) })));
    if (focused) list.querySelector("[aria-pressed=true]")?.focus();
  }
  // One button for each kind that the scene takes now.
  const labelOf = (kind) => tr(kindOf({ kind })?.label ?? kind);
  function showAdd(kinds) {
    const isOpen = !run.status.stop_reason;
    const now = JSON.stringify([run.generation, kinds, isOpen]);
    if (now === offered) return;
    offered = now;
    addition.hidden = !kinds.length;
    replaceKeepingFocus(addButtons, kinds.map((kind) => make("button", { type: "button", class: "quiet",
      disabled: !isOpen, "data-kind": kind, title: () => tr("Adds an object in the middle of the view."),
      "aria-label": () => tr("Add: {}", labelOf(kind)), text: () => `+ ${labelOf(kind)}`, onclick: () => add(kind) })));
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
    removeButton.hidden = !object || object.permanent;
    removeButton.disabled = !objectsAreOpen();
    for (const row of rows)
      row.show(object.numbers[row.info.id], originals[object.id].numbers[row.info.id], objectsAreOpen(),
        whyToolIsClosed("objects"));
  }
  function show() {
    const objects = run.status?.objects ?? [];
    const kinds = objectsAreOpen() ? run.status?.placeable ?? [] : [];
    section.hidden = !objects.length && !kinds.length;
    section.classList.toggle("full-only", !objects.length);
    showAdd(kinds);
    for (const object of objects)
      if (originals[object.id]?.kind !== object.kind) originals[object.id] = object;
    showList(objects);
    showRows(selectedObject());
  }
  on("scene", () => {
    shown = "";
    originals = {};
    rows = [];
    rowsNode.replaceChildren();
  });
  on("status", show);
  on("selection", () => run.status && show());
  // The sliders of an object that was chosen in the view.
  on("object clicked", () => section.scrollIntoView({ block: "nearest" }));
  on("lesson", () => run.status && show());
  return section;
}

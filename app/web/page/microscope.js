// The microscope: what the next step computes in the cell at the pointer or where a finger has tapped, as a table over
// the view. Glyphs are drawn over the cell if it is large enough (instrument_marks.js).
import { buttonText } from "./command_table.js";
import { iconButton, make } from "./dom.js";
import { showAgain } from "./frames.js";
import { hasFingersOnly, tr } from "./i18n.js";
import { glyphsAreShown } from "./instrument_marks.js";
import { numberText } from "./numbers.js";
import { emit, on, run, showMessage } from "./run.js";

const columns = 3; // of a table of numbers with one label

export function toggleMicroscope() {
  if (!run.microscope && !run.status.can_inspect)
    return showMessage(() => tr("This simulation has no microscope."));
  run.microscope = !run.microscope;
  run.inspected = run.microscope && run.pointer ? [run.pointer.x, run.pointer.y] : null;
  emit("microscope");
  showAgain();
  if (run.microscope) showMessage(() => (hasFingersOnly()
    ? tr("Tap the view to see what a step computes there. Zoom in to see it drawn.")
    : tr("Shows what a step computes under the pointer, in numbers. Zoom in to see it drawn.")));
}

export function microscopeButton() {
  const button = iconButton("microscope", () => buttonText("toggle-microscope"), toggleMicroscope,
    { class: "icon-button toggle", "aria-pressed": "false" });
  on("microscope", () => button.setAttribute("aria-pressed", String(run.microscope)));
  on("status", () => (button.disabled = !run.status.can_inspect));
  return button;
}

// The table, in the corner of the view that is away from the inspected place. `view`: the canvas.
export function microscopeTable(view) {
  const title = make("p", { class: "strong" }), rows = make("tbody", {}), remark = make("p", { class: "small" });
  const box = make("div", { class: "microscope", hidden: true }, title, make("table", {}, rows), remark);
  const inspect = (event) => {
    if (!run.microscope) return;
    run.inspected = [event.offsetX, event.offsetY];
    showAgain();
  };
  view.addEventListener("pointermove", inspect);
  view.addEventListener("pointerdown", inspect);
  // A finger leaves the view when it is lifted.
  view.addEventListener("pointerleave", (event) => {
    if (event.pointerType === "touch") return;
    run.inspected = null;
    showAgain();
  });
  // With the keyboard's crosshair.
  view.addEventListener("keyup", () => {
    if (run.microscope && run.pointer) run.inspected = [run.pointer.x, run.pointer.y];
    showAgain();
  });
  const textOf = (value, unit) => numberText(value, 5) + (unit && value !== null ? `\u00a0${tr(unit)}` : "");
  function rowsOf({ label, unit, values }) {
    const isTable = values.length > 1, lines = [];
    const name = tr(label) + (isTable && unit ? ` [${tr(unit)}]` : "");
    for (let k = 0; k < values.length; k += columns)
      lines.push(make("tr", {}, k ? make("td", {}) : make("th", { scope: "row", text: name }),
        values.slice(k, k + columns).map((value) => make("td", { colspan: isTable ? null : columns,
          text: textOf(value, isTable ? "" : unit) }))));
    return lines;
  }
  function show() {
    const inspection = run.microscope ? run.overlay?.inspection : null;
    box.hidden = !inspection?.title || !tr(inspection.title);
    box.parentNode.classList.toggle("inspects", !box.hidden);
    if (box.hidden) return;
    title.textContent = tr(inspection.title);
    rows.replaceChildren(...inspection.numbers.flatMap(rowsOf));
    const isLarge = glyphsAreShown(inspection) || !inspection.glyphs.length;
    remark.textContent = [tr(inspection.remark), isLarge ? "" : tr("Zoom in to see it drawn.")].filter(Boolean).join(" ");
    box.classList.toggle("right", run.inspected?.[0] < view.clientWidth / 2);
    box.classList.toggle("low", run.inspected?.[1] < view.clientHeight / 2);
  }
  on("overlay", show);
  on("microscope", show);
  on("scene", () => {
    run.inspected = null;
    if (run.microscope && !run.status.can_inspect) run.microscope = false;
    emit("microscope");
  });
  document.addEventListener("retranslated", show);
  return box;
}

// Objects, theory and instruments drawn over the view, as in the window: knobs, handles and outlines of objects; lines,
// arrows and points of theory and of measurements with labels. The engine sends their pixels with the image (frames.js).
import { make } from "./dom.js";
import { hasFingersOnly, tr } from "./i18n.js";
import { drawGlyphs, drawInstruments } from "./instrument_marks.js";
import { instrumentAt } from "./instruments.js";
import { beginMarks, circle, disc, drawArrow, drawLabel, overlap, sizeOf, square, stroke, style } from "./mark_painter.js";
import { handleAt, kindOf, nameOf } from "./objects.js";
import { drawPokeMarks, hasPokeMarks } from "./poke_marks.js";
import { on, run } from "./run.js";
import { valueText } from "./value_row.js";

const inkOf = (mark) => (mark.measured ? style().measured_ink : style().theory_ink);

let held = null; // the handle that a press would grab, or that is being dragged

function drawPoint(at, ink) {
  disc(at, 6, style().mark_shade);
  circle(at, 4.5, ink, 2);
}

// ---- labels

// Position of a label, as in label_place (app/ui/panels/theory_marks.cpp): the first of `positions` that is within the
// view and clear of the `taken` boxes; null: there is none.
export function labelPlace([x, y], { width, height }, view, taken, { label_gap: gap, label_positions: positions }) {
  for (const { step, right, below } of positions) {
    const away = gap + step * (height + gap);
    const box = { x: Math.round(right ? x + gap : x - gap - width),
      y: Math.round(below ? y + away : y - away - height), width, height };
    const isInside = box.x >= 0 && box.y >= 0 && box.x + width <= view.width && box.y + height <= view.height;
    if (isInside && !taken.some((one) => overlap(box, one))) return box;
  }
  return null;
}

// `taken`: boxes that labels must not cover; those of the labels are added.
function drawTheory(view, em, taken) {
  const marks = run.overlay?.marks ?? [];
  for (const mark of marks) {
    // (A position that no pixel shows is null.)
    const points = mark.points.filter(([x, y]) => Number.isFinite(x) && Number.isFinite(y));
    mark.last = points.at(-1);
    if (!points.length) continue;
    if (mark.shape === "arrow") drawArrow(points[0], mark.last, inkOf(mark));
    else if (mark.shape === "point") drawPoint(points[0], inkOf(mark));
    else stroke(points, inkOf(mark), mark.shape === "dashed" ? [7, 5] : []);
  }
  let top = 10;
  for (const measured of [false, true]) {
    if (!marks.some((mark) => mark.measured === measured)) continue;
    const lines = [tr(measured ? "Measured" : "Theory")], box = { x: 10, y: top, ...sizeOf(lines, em) };
    taken.push(box);
    drawLabel(box, lines, inkOf({ measured }), em);
    top += box.height + 2;
  }
  for (const mark of marks) {
    if (!mark.label || !mark.last) continue;
    const [x, y] = mark.last;
    if (x < 0 || y < 0 || x >= view.width || y >= view.height) continue;
    const lines = tr(mark.label).split("\n"), box = labelPlace(mark.last, sizeOf(lines, em), view, taken, style());
    if (!box) continue;
    taken.push(box);
    drawLabel(box, lines, inkOf(mark), em);
  }
  return marks.map((mark) => mark.label && tr(mark.label)).filter(Boolean);
}

// ---- objects

// The first handle moves the object: a disc. The others are squares, those that turn it rings.
function drawHandle({ at, turns }, isFirst, isHeld, ink) {
  const { knob_ink: knobInk, knob_shade: knobShade } = style();
  const radius = (isHeld ? 7 : 5) + (hasFingersOnly() ? 3 : 0), edge = 1.5;
  if (isFirst || turns) {
    disc(at, radius + 2 * edge, knobShade);
    disc(at, radius + edge, knobInk);
    disc(at, radius - edge, isFirst ? ink : knobShade);
    return;
  }
  for (const [half, fill] of [[radius + edge, knobShade], [radius, knobInk], [radius - edge, ink]])
    square(at, half, fill);
}

// The numbers that a handle changes, with their values in displayed units: "Width: 12 cells". One that changes more than two has only its
// label.
function textOf(object, handle) {
  const values = handle.numbers.map((id) => kindOf(object)?.fields.find((field) => field.id === id))
    .filter((field) => field && field.id in object.numbers)
    .map((field) => valueText(field, object.numbers[field.id]));
  const label = tr(handle.label);
  return values.length === 1 || values.length === 2 ? `${label}: ${values.join(", ")}` : label;
}

function drawObjects(view, em, accent) {
  const objects = run.overlay?.objects ?? [];
  const selected = objects.find((one) => one.id === run.selection.object);
  const showsAll = run.pointer || hasFingersOnly();
  for (const object of objects)
    if (showsAll && object !== selected && object.handles.length)
      drawHandle(object.handles[0], true, held?.object === object.id, style().knob_ink);
  if (selected) {
    const parts = [[]]; // of the outline: a point that is not finite ends one
    for (const point of selected.outline ?? [])
      if (point.every(Number.isFinite)) parts.at(-1).push(point);
      else parts.push([]);
    for (const part of parts) if (part.length > 1) stroke(part, accent);
    for (let k = selected.handles.length - 1; k >= 0; --k)
      drawHandle(selected.handles[k], k === 0, held?.object === selected.id && held.handle === k, accent);
  }
  const shown = held && objects.find((one) => one.id === held.object);
  const object = shown && run.status.objects.find((one) => one.id === shown.id), handle = shown?.handles[held.handle];
  if (!object || !handle) return;
  const text = textOf(object, handle), lines = held.handle === 0 ? [nameOf(object), text] : [text];
  const size = sizeOf(lines, em), pad = style().label_padding;
  const within = (from, length, side) => Math.max(pad, Math.min(from, side - length - pad));
  // Next to the handle, but always within the view.
  const box = { ...size, x: within(handle.at[0] + 14, size.width, view.width),
    y: within(handle.at[1] + 10, size.height, view.height) };
  drawLabel(box, lines, "#fff", em);
}

// A canvas over the view, which takes no input.
export function viewMarks(view) {
  const canvas = make("canvas", { class: "marks", "aria-hidden": "true", hidden: true });
  let said = "", waits = false;

  // Parts of the view that labels must not cover.
  function covered() {
    const from = canvas.getBoundingClientRect();
    return [...canvas.parentNode.querySelectorAll(".color-bar, .hint, .pace-tag, .turn-pad, .microscope")].map((one) =>
      one.getBoundingClientRect()).filter((box) => box.width > 0).map((box) =>
      ({ x: box.left - from.left, y: box.top - from.top, width: box.width, height: box.height }));
  }
  function draw() {
    waits = false;
    const { objects = [], marks = [], instruments = [], inspection = null } = run.overlay ?? {};
    canvas.hidden = !objects.length && !marks.length && !instruments.length && !inspection && !hasPokeMarks();
    const width = canvas.clientWidth, height = canvas.clientHeight, scale = window.devicePixelRatio || 1;
    if (canvas.hidden || !width || !height) return;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    const context = canvas.getContext("2d");
    beginMarks(context);
    context.scale(scale, scale);
    context.lineJoin = "round";
    const shown = getComputedStyle(canvas), em = parseFloat(shown.fontSize);
    context.font = `${em}px ${shown.fontFamily}`;
    context.textBaseline = "middle";
    const area = { width, height }, taken = covered(), theory = drawTheory(area, em, taken);
    drawObjects(area, em, shown.getPropertyValue("--accent-bright").trim());
    const readings = drawInstruments(area, em, taken, hasFingersOnly());
    drawGlyphs(em, taken);
    drawPokeMarks(area, em);
    const now = [theory.length ? `${tr("Theory in the view")}: ${theory.join("; ")}` : "", ...readings]
      .filter(Boolean).join("; ");
    if (now === said) return;
    said = now;
    // Labels are read to users who do not see them.
    for (const [name, value] of [["role", "img"], ["aria-label", said]])
      if (said) canvas.setAttribute(name, value);
      else canvas.removeAttribute(name);
    if (said) canvas.removeAttribute("aria-hidden");
    else canvas.setAttribute("aria-hidden", "true");
  }
  const drawSoon = () => {
    if (!waits) requestAnimationFrame(draw);
    waits = true;
  };
  function hover(event) {
    if (event.buttons) return drawSoon(); // the held handle stays
    const at = { x: event.offsetX, y: event.offsetY };
    held = run.status && handleAt(at, event.pointerType);
    view.style.cursor = run.status && (instrumentAt(at, event.pointerType) || held) ? "grab" : "";
    drawSoon();
  }
  const drop = () => {
    held = null;
    drawSoon();
  };
  view.addEventListener("pointermove", hover);
  view.addEventListener("pointerdown", (event) => {
    held = run.status && handleAt({ x: event.offsetX, y: event.offsetY }, event.pointerType);
    drawSoon();
  });
  view.addEventListener("pointerup", (event) => (event.pointerType === "touch" ? drop() : hover(event)));
  view.addEventListener("pointercancel", drop);
  view.addEventListener("pointerleave", drop);
  on("scene", drop);
  on("overlay", draw);
  on("poke marks", drawSoon);
  on("settings", drawSoon);
  document.addEventListener("retranslated", drawSoon);
  return canvas;
}

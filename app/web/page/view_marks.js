// Objects and theory drawn over the view, as in the window: knobs, handles and outlines of objects; lines, arrows and
// points of theory and of measurements with labels. The engine sends their pixels with the image (frames.js).
import { make } from "./dom.js";
import { hasFingersOnly, tr } from "./i18n.js";
import { handleAt, kindOf, nameOf } from "./objects.js";
import { on, run } from "./run.js";
import { valueText } from "./value_row.js";

// Colours of the window, and how it places labels: tables of the engine (app/run/mark_style.h).
const style = () => run.catalog.marks;
const inkOf = (mark) => (mark.measured ? style().measured_ink : style().theory_ink);

let context = null;
let held = null; // the handle that a press would grab, or that is being dragged

function stroke(points, ink, dash = []) {
  for (const [color, width] of [[style().mark_shade, 4], [ink, 1.6]]) {
    context.setLineDash(dash);
    context.strokeStyle = color;
    context.lineWidth = width;
    context.beginPath();
    points.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
    context.stroke();
  }
  context.setLineDash([]);
}

function drawArrow(tail, head, ink) {
  const length = Math.hypot(head[0] - tail[0], head[1] - tail[1]);
  if (!(length > 0)) return;
  stroke([tail, head], ink);
  const size = Math.min(10, 0.6 * length), x = (head[0] - tail[0]) / length * size,
    y = (head[1] - tail[1]) / length * size;
  for (const side of [0.45, -0.45]) stroke([head, [head[0] - x - side * y, head[1] - y + side * x]], ink);
}

function disc([x, y], radius, fill) {
  context.fillStyle = fill;
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
}

function drawPoint(at, ink) {
  disc(at, 6, style().mark_shade);
  context.strokeStyle = ink;
  context.lineWidth = 2;
  context.beginPath();
  context.arc(at[0], at[1], 4.5, 0, 2 * Math.PI);
  context.stroke();
}

// ---- labels

const overlap = (a, b) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

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

function sizeOf(lines, em) {
  const pad = style().label_padding;
  return { width: Math.max(...lines.map((line) => context.measureText(line).width)) + 2 * pad,
    height: lines.length * 1.3 * em + 2 * pad };
}

function drawLabel(box, lines, ink, em) {
  const pad = style().label_padding;
  context.fillStyle = style().label_fill;
  context.fillRect(box.x, box.y, box.width, box.height);
  context.fillStyle = ink;
  lines.forEach((line, i) => context.fillText(line, box.x + pad, box.y + pad + (i + 0.65) * 1.3 * em));
}

function drawTheory(view, em, covered) {
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
  const taken = [...covered];
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
  for (const [half, fill] of [[radius + edge, knobShade], [radius, knobInk], [radius - edge, ink]]) {
    context.fillStyle = fill;
    context.fillRect(at[0] - half, at[1] - half, 2 * half, 2 * half);
  }
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
    return [...canvas.parentNode.querySelectorAll(".color-bar, .hint, .pace-tag, .turn-pad")].map((one) =>
      one.getBoundingClientRect()).filter((box) => box.width > 0).map((box) =>
      ({ x: box.left - from.left, y: box.top - from.top, width: box.width, height: box.height }));
  }
  function draw() {
    waits = false;
    const { objects = [], marks = [] } = run.overlay ?? {};
    canvas.hidden = !objects.length && !marks.length;
    const width = canvas.clientWidth, height = canvas.clientHeight, scale = window.devicePixelRatio || 1;
    if (canvas.hidden || !width || !height) return;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    context = canvas.getContext("2d");
    context.scale(scale, scale);
    context.lineJoin = "round";
    const shown = getComputedStyle(canvas), em = parseFloat(shown.fontSize);
    context.font = `${em}px ${shown.fontFamily}`;
    context.textBaseline = "middle";
    const labels = drawTheory({ width, height }, em, covered());
    drawObjects({ width, height }, em, shown.getPropertyValue("--accent-bright").trim());
    const now = labels.length ? `${tr("Theory in the view")}: ${labels.join("; ")}` : "";
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
    held = run.status && handleAt({ x: event.offsetX, y: event.offsetY }, event.pointerType);
    view.style.cursor = held ? "grab" : "";
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
  on("settings", drawSoon);
  document.addEventListener("retranslated", drawSoon);
  return canvas;
}

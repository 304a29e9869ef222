// Lines, discs and labels that are drawn over the view: a dark line below a light one is visible on any colour.
import { run } from "./run.js";

// Colours of the window, and how it places labels: tables of the engine (app/run/mark_style.h).
export const style = () => run.catalog.marks;

let context = null;
// Of the following calls.
export function beginMarks(target) {
  context = target;
}

export function stroke(points, ink, dash = []) {
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

export function drawArrow(tail, head, ink) {
  const length = Math.hypot(head[0] - tail[0], head[1] - tail[1]);
  if (!(length > 0)) return;
  stroke([tail, head], ink);
  const size = Math.min(10, 0.6 * length), x = (head[0] - tail[0]) / length * size,
    y = (head[1] - tail[1]) / length * size;
  for (const side of [0.45, -0.45]) stroke([head, [head[0] - x - side * y, head[1] - y + side * x]], ink);
}

export function disc([x, y], radius, fill) {
  context.fillStyle = fill;
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
}

export function circle([x, y], radius, ink, width = 1.6) {
  for (const [color, line] of [[style().mark_shade, width + 2.4], [ink, width]]) {
    context.strokeStyle = color;
    context.lineWidth = line;
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.stroke();
  }
}

export function square([x, y], half, ink) {
  context.fillStyle = ink;
  context.fillRect(x - half, y - half, 2 * half, 2 * half);
}

// ---- labels

export const overlap = (a, b) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

export function sizeOf(lines, em) {
  const pad = style().label_padding;
  return { width: Math.max(...lines.map((line) => context.measureText(line).width)) + 2 * pad,
    height: lines.length * 1.3 * em + 2 * pad };
}

export function drawLabel(box, lines, ink, em) {
  const pad = style().label_padding, top = box.y + (box.height - lines.length * 1.3 * em) / 2;
  context.fillStyle = style().label_fill;
  context.fillRect(box.x, box.y, box.width, box.height);
  context.fillStyle = ink;
  lines.forEach((line, i) => context.fillText(line, box.x + pad, top + (i + 0.5) * 1.3 * em));
}

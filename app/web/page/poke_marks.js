// Marks of the pokes in a served run: for a second, a coloured dot with the name of the user, where the teacher lets
// names be shown.
import { disc, drawLabel, sizeOf, style } from "./mark_painter.js";
import { emit, on, run } from "./run.js";

const shownFor = 1000; // milliseconds
const mostMarks = 100; // a class that pokes all at once
// Distinct on all colormaps together with their dark rim; also for the colour-blind.
const colors = ["#4fb3ff", "#ffb000", "#ff5fa2", "#39d98a", "#c58bff", "#ff7a45", "#f4f1de", "#00c2c7"];

let marks = []; // {at, x, y, color, name, ends}

// Pixel of a mark in the view, as Camera::to_pixel (cuda/core/paint/camera.h). `at`: given by the server, in fractions of
// the picture, as only it knows where a 3-D view shows a position. Null: unknown.
/** @returns {[number, number] | null} */
export function pixelOf({ at, x, y }, { width, height }, status) {
  if (at) return [at[0] * width, at[1] * height];
  if (status.can_be_turned) return null;
  const [across, along] = status.domain, { center, zoom } = status.view.camera;
  const unit = Math.max(across / width, along / height) / zoom;
  return [width / 2 + (x - center[0]) * across / unit, height / 2 - (y - center[1]) * along / unit];
}

export const hasPokeMarks = () => marks.length > 0;

// `area`: size of the view.
export function drawPokeMarks(area, em) {
  for (const mark of marks) {
    const at = pixelOf(mark, area, run.status);
    if (!at) continue;
    disc(at, 8, style().mark_shade);
    disc(at, 6, colors[mark.color % colors.length]);
    if (!mark.name) continue;
    const size = sizeOf([mark.name], em);
    const x = at[0] + 12 + size.width <= area.width ? at[0] + 12 : at[0] - 12 - size.width;
    drawLabel({ ...size, x: Math.round(x), y: Math.round(at[1] - size.height / 2) }, [mark.name], "#fff", em);
  }
}

on("mark", (push) => {
  const color = Math.max(0, Math.floor(push.color) || 0);
  // A drag moves the mark of its user.
  marks = marks.filter((one) => one.color !== color || one.name !== push.name);
  marks.push({ ...push, color, ends: performance.now() + shownFor });
  marks = marks.slice(-mostMarks);
  emit("poke marks");
  setTimeout(() => {
    marks = marks.filter((one) => one.ends > performance.now() + 1);
    emit("poke marks");
  }, shownFor + 10);
});

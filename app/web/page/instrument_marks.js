// Instruments and the microscope's glyphs, drawn over the view as in the window (app/ui/panels/instrument_panel.cpp,
// app/ui/kernels/microscope.cpp).
import { tr } from "./i18n.js";
import { watchBoxes } from "./instruments.js";
import { circle, disc, drawArrow, drawLabel, overlap, sizeOf, stroke, style } from "./mark_painter.js";
import { run } from "./run.js";

const isShown = (at) => at.every(Number.isFinite); // (A position that no pixel shows is null.)
const between = (a, b, share) => [a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])];

// A box within the view, below (`up`: above) the boxes that are there, or where there is no space to the left of them.
function freeBox([x, y], size, view, taken, up = false) {
  const pad = style().label_padding, clamp = (value, most) => Math.max(pad, Math.min(value, most - pad));
  const box = { ...size, x: clamp(x, view.width - size.width), y: clamp(y, view.height - size.height) };
  for (let k = 0; k < taken.length; ++k) {
    const other = taken.find((one) => overlap(box, one));
    if (!other) break;
    const next = up ? other.y - size.height - 2 : other.y + other.height + 2, left = other.x - size.width - 2;
    if (next >= pad && next + size.height <= view.height - pad) box.y = next;
    else if (left >= pad) box.x = left;
    else break;
  }
  taken.push(box);
  return box;
}

// Marks at the ends of the intervals, perpendicular to the ruler.
function drawIntervals([a, b], count, ink) {
  const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
  if (!(length > 1) || count > length / 3) return;
  const across = [-(b[1] - a[1]) / length * 7, (b[0] - a[0]) / length * 7];
  for (let k = 0; k <= count; ++k) {
    const [x, y] = between(a, b, k / count);
    stroke([[x - across[0], y - across[1]], [x + across[0], y + across[1]]], ink);
  }
}

function drawAngle([a, vertex, b], ink) {
  const angleOf = (to) => Math.atan2(to[1] - vertex[1], to[0] - vertex[0]);
  const reach = (to) => Math.hypot(to[0] - vertex[0], to[1] - vertex[1]);
  const first = angleOf(a), turn = Math.atan2(Math.sin(angleOf(b) - first), Math.cos(angleOf(b) - first));
  const radius = Math.min(32, reach(a), reach(b));
  stroke(Array.from({ length: 25 }, (_, k) => {
    const angle = first + turn * k / 24;
    return [vertex[0] + radius * Math.cos(angle), vertex[1] + radius * Math.sin(angle)];
  }), ink);
}

// `taken`: boxes that labels must not cover; those of the labels are added. Returns the texts of the labels.
export function drawInstruments(view, em, taken, large) {
  const instruments = run.overlay?.instruments ?? [], labels = [];
  watchBoxes.clear();
  for (const one of instruments) {
    const isSelected = one.id === run.instrument.id;
    const ink = isSelected ? style().selected_ink : style().instrument_ink, at = one.at;
    const text = `${tr(one.name)}: ${tr(one.reading)}`, size = sizeOf([text], em);
    labels.push(text);
    if (one.kind === "stopwatch") {
      size.height = Math.max(size.height, large ? 40 : 0); // for a finger
      const box = freeBox([12, view.height - 12 - size.height], size, view, taken, true);
      watchBoxes.set(one.id, box);
      drawLabel(box, [text], ink, em);
      continue;
    }
    if (!at.every(isShown)) continue;
    stroke(at, ink);
    if (one.kind === "ruler") drawIntervals(at, one.count, ink);
    if (one.kind === "protractor") drawAngle(at, ink);
    at.forEach((place, point) => {
      circle(place, (isSelected && point === run.instrument.point ? 7 : 5) + (large ? 3 : 0), ink, 2);
      disc(place, 1.5, ink);
    });
    const [x, y] = one.kind === "protractor" ? at[1] : at.length > 1 ? between(at[0], at[1], 0.5) : at[0];
    drawLabel(freeBox([x + 12, y + 10], size, view, taken), [text], ink, em);
  }
  return labels;
}

// ---- the microscope

const leastExtent = 48; // pixels: of the inspected thing, for its glyphs
export function glyphsAreShown({ extent: [middle, right, up] }) {
  return [right, up].every((to) => isShown(middle) && isShown(to) &&
    Math.hypot(to[0] - middle[0], to[1] - middle[1]) >= leastExtent);
}

function drawGlyph({ shape, at, to }, ink) {
  const radius = Math.hypot(to[0] - at[0], to[1] - at[1]);
  if (shape === "arrow") drawArrow(at, to, ink);
  else if (shape === "circle" && radius < 3) disc(at, radius + 1, ink);
  else if (shape === "circle") circle(at, radius, ink);
  else if (shape === "square") {
    const dx = to[0] - at[0], dy = to[1] - at[1];
    stroke([[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]].map(([x, y]) => [at[0] + x * dx, at[1] + y * dy]), ink);
  } else if (shape === "cross") {
    for (const side of [1, -1]) stroke([[at[0] - 4, at[1] - 4 * side], [at[0] + 4, at[1] + 4 * side]], ink);
  }
}

// Labels are above all shapes. Those that would cover another one are omitted until the user zooms in.
export function drawGlyphs(em, taken) {
  const inspection = run.overlay?.inspection;
  if (!inspection || !glyphsAreShown(inspection)) return;
  const glyphs = inspection.glyphs.filter(({ at, to }) => isShown(at) && isShown(to));
  for (const glyph of glyphs) drawGlyph(glyph, style().glyph_inks[glyph.role]);
  for (const { label, shape, at, to, role } of glyphs) {
    if (!label) continue;
    const lines = tr(label).split("\n"), size = sizeOf(lines, em), [x, y] = shape === "arrow" ? to : at;
    const box = { ...size, x: x - size.width / 2, y: y - size.height / 2 };
    if (taken.some((one) => overlap(box, one))) continue;
    taken.push(box);
    drawLabel(box, lines, style().glyph_inks[role], em);
  }
}

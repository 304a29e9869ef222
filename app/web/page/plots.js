// Plots: a curve and its theory on a canvas with a description for screen readers, and the panel of the numbers and
// curves that the simulation measures.
import { make } from "./dom.js";
import { saveCurves } from "./exports.js";
import { tr } from "./i18n.js";
import { instrumentsPanel } from "./instruments_panel.js";
import { makeAxis, numberText } from "./numbers.js";
import { on, run } from "./run.js";
import { titleWithUnit } from "./units.js";

const unitText = ({ value, unit }) => (unit && value !== null ? ` ${tr(unit)}` : "");
const valueText = (scalar) => numberText(scalar.value) + unitText(scalar);
const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export function rangeOf(curve) {
  let x0 = Infinity, x1 = -Infinity, y0 = Infinity, y1 = -Infinity;
  const up = (y) => (curve.logarithmic_y ? Math.log10(y) : y);
  for (const points of [curve.points, curve.theory ?? [], curve.sketch ?? [], ...(curve.bundle ?? [])])
    for (const [x, y] of points) {
      const height = up(y);
      if (!Number.isFinite(height) || !Number.isFinite(x)) continue;
      [x0, x1] = [Math.min(x0, x), Math.max(x1, x)];
      [y0, y1] = [Math.min(y0, height), Math.max(y1, height)];
    }
  if (curve.range) [x0, x1, y0, y1] = curve.range;
  if (!(x1 > x0)) [x0, x1] = [x0 - 0.5, x1 + 0.5];
  if (!(y1 > y0)) {
    const around = Math.abs(y0) > 0 && Number.isFinite(y0) ? 0.1 * Math.abs(y0) : 0.5;
    [y0, y1] = Number.isFinite(y0) ? [y0 - around, y1 + around] : [0, 1];
  } else if (!curve.range) {
    const margin = 0.05 * (y1 - y0);
    if (y0 > 0 && !curve.logarithmic_y && y0 < 0.3 * y1) y0 = 0;
    else if (y0 !== 0) y0 -= margin;
    y1 += margin;
  }
  return { x0, x1, y0, y1, up };
}

function describeCurve(curve) {
  const finite = curve.points.filter(([, y]) => Number.isFinite(y));
  if (!finite.length && curve.bundle?.length) return `${tr(curve.label)}: ${curve.bundle.length}`;
  if (!finite.length) return tr("{}: no points yet.", tr(curve.label));
  const top = finite.reduce((a, b) => (b[1] > a[1] ? b : a)), foot = finite.reduce((a, b) => (b[1] < a[1] ? b : a));
  return tr("{0}: {1} points; highest {2} at {3}, lowest {4} at {5}.", tr(curve.label), finite.length,
    numberText(top[1]), numberText(top[0]), numberText(foot[1]), numberText(foot[0]));
}

// Translations may arrive after a plot was drawn, and the colours of the system may change. One listener of each for all
// plots: those of plots that have left the page would stay.
const showAllAgain = () => document.querySelectorAll(".plot").forEach((node) => node.showAgain());
document.addEventListener("retranslated", showAllAgain);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", showAllAgain);

// Returns {node, show(curve)}. `pointing`: shows the values at the pointer. A curve's `bundle`: many thin lines below it.
export function plot(pointing = false) {
  const canvas = make("canvas", { role: "img" }), legend = make("div", { class: "legend small" });
  const title = make("h3", {}), node = make("figure", { class: "plot" }, title, legend, canvas);
  let last = null, area = null, pointer = null;
  node.showAgain = () => last && show(last);
  new ResizeObserver(() => last && draw()).observe(canvas);

  function draw() {
    const width = canvas.clientWidth, height = canvas.clientHeight, scale = window.devicePixelRatio || 1;
    if (!width || !height) return;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    const context = canvas.getContext("2d"), rem = parseFloat(getComputedStyle(canvas).fontSize);
    context.scale(scale, scale);
    const { x0, x1, y0, y1, up } = rangeOf(last);
    const high = makeAxis(y0, y1, last.logarithmic_y, Math.max(2, Math.floor(height / (2.4 * rem))));
    const wide = makeAxis(x0, x1, false, Math.max(2, Math.floor(width / (5 * rem))));
    context.font = `${rem}px ${getComputedStyle(canvas).fontFamily}`;
    const left = Math.max(...high.texts.map((text) => context.measureText(text).width), 10) + 0.7 * rem;
    const top = 2.1 * rem, bottom = height - 2.9 * rem, right = width - 0.4 * rem;
    area = { left, right, top, bottom };
    const toX = (x) => left + (x - x0) / (x1 - x0) * (right - left);
    const toY = (y) => bottom - (y - y0) / (y1 - y0) * (bottom - top);
    context.fillStyle = ink("--dim");
    context.strokeStyle = ink("--line");
    context.lineWidth = 1;
    context.textBaseline = "middle";
    context.textAlign = "right";
    high.ticks.forEach((tick, i) => {
      const y = Math.round(toY(tick)) + 0.5;
      context.beginPath();
      context.moveTo(left, y);
      context.lineTo(right, y);
      context.stroke();
      context.fillText(high.texts[i], left - 0.4 * rem, y);
    });
    context.textAlign = "center";
    wide.ticks.forEach((tick, i) => {
      const text = wide.texts[i], half = context.measureText(text).width / 2;
      context.fillText(text, Math.min(right - half, Math.max(half, toX(tick))), bottom + 0.9 * rem);
    });
    context.textAlign = "left";
    const titleOf = (label, unit, common) => [titleWithUnit(label, unit), common].filter(Boolean).join(", ");
    context.fillText(titleOf(last.y_label, last.y_unit, high.common), 0, 0.7 * rem, width);
    context.textAlign = "right";
    context.fillText(titleOf(last.x_label, last.x_unit, wide.common), right, bottom + 2.2 * rem, width);
    context.save();
    context.beginPath();
    context.rect(left, top - 2, right - left, bottom - top + 4);
    context.clip();
    const lines = [...(last.bundle ?? []).map((points) => [points, "--ink-2", [], 1]), [last.points, "--ink-1", [], 2],
      [last.theory, "--ink-2", [6, 4], 2], [last.sketch, "--ink-2", [6, 4], 2]];
    for (const [points, color, dash, lineWidth] of lines) {
      if (!points?.length) continue;
      context.strokeStyle = ink(color);
      context.lineWidth = lineWidth;
      context.lineJoin = "round";
      context.setLineDash(dash);
      context.beginPath();
      let isDrawn = false; // the previous point
      for (const [x, y] of points) {
        const at = up(y);
        const isFinite = Number.isFinite(at);
        if (isFinite && isDrawn) context.lineTo(toX(x), toY(at));
        else if (isFinite) context.moveTo(toX(x), toY(at));
        isDrawn = isFinite;
      }
      context.stroke();
    }
    context.restore();
    if (pointer !== null) drawValues(context, { toX, toY, x: x0 + (pointer - left) / (right - left) * (x1 - x0), up,
      rem });
  }

  // The curves' values at the points nearest to this x.
  function drawValues(context, { toX, toY, x, up, rem }) {
    const nearest = (points) => points?.reduce((best, point) =>
      (point[1] !== null && (!best || Math.abs(point[0] - x) < Math.abs(best[0] - x)) ? point : best), null);
    const measured = nearest(last.points), theory = nearest(last.theory), here = measured ?? theory;
    if (!here) return;
    const { left, right, top, bottom } = area;
    const text = (label, value, unit) => `${label}: ${numberText(value)}${unit ? ` ${tr(unit)}` : ""}`;
    const lines = [[text(tr(last.x_label) || "x", here[0], last.x_unit), "--text"],
      measured && [text(tr(last.theory?.length ? "measured" : last.y_label) || "y", measured[1], last.y_unit),
        "--ink-1"],
      theory && [text(tr("theory"), theory[1], last.y_unit), "--ink-2"]].filter(Boolean);
    const at = toX(here[0]);
    context.setLineDash([]);
    context.strokeStyle = ink("--dim");
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(at, top);
    context.lineTo(at, bottom);
    context.stroke();
    for (const [point, color] of [[measured, "--ink-1"], [theory, "--ink-2"]]) {
      if (!point || !Number.isFinite(up(point[1]))) continue;
      context.fillStyle = ink(color);
      context.beginPath();
      context.arc(toX(point[0]), toY(up(point[1])), 0.3 * rem, 0, 2 * Math.PI);
      context.fill();
    }
    const pad = 0.4 * rem, step = 1.3 * rem;
    const wide = Math.max(...lines.map(([line]) => context.measureText(line).width)) + 2 * pad;
    const from = at + 0.6 * rem + wide <= right ? at + 0.6 * rem : Math.max(left, at - 0.6 * rem - wide);
    context.fillStyle = ink("--popup");
    context.fillRect(from, top, wide, lines.length * step + pad);
    context.strokeRect(from, top, wide, lines.length * step + pad);
    context.textAlign = "left";
    lines.forEach(([line, color], i) => {
      context.fillStyle = ink(color);
      context.fillText(line, from + pad, top + pad / 2 + (i + 0.5) * step);
    });
    node.dataset.value = lines.map(([line]) => line).join("; ");
  }
  const point = (event) => {
    const x = event.clientX - canvas.getBoundingClientRect().left;
    pointer = area && x >= area.left && x <= area.right ? x : null;
    if (last) draw();
  };
  if (pointing) {
    canvas.addEventListener("pointermove", point);
    canvas.addEventListener("pointerdown", point);
    canvas.addEventListener("pointerleave", (event) => {
      if (event.pointerType === "touch") return; // a tap leaves its values there
      pointer = null;
      delete node.dataset.value;
      if (last) draw();
    });
  }

  function show(curve) {
    last = curve;
    title.textContent = tr(curve.label);
    legend.replaceChildren(...[
      (curve.theory?.length || curve.sketch?.length || (curve.bundle && curve.points.length)) &&
        make("span", { class: "key measured" }, tr("measured")),
      curve.theory?.length && make("span", { class: "key theory" },
        tr("theory") + (curve.deviation ? tr(curve.deviation) : "")),
      curve.sketch?.length && make("span", { class: "key theory" }, tr("your sketch")),
      curve.bundle?.length && make("span", { class: "key bundle" }, tr("sketches")),
    ].filter(Boolean));
    canvas.setAttribute("aria-label", describeCurve(curve));
    draw();
  }

  return {
    node,
    canvas,
    show,
    draw: () => last && draw(),
    // Plot area in the canvas, in CSS pixels.
    get area() {
      return area;
    },
  };
}

// ---- panels

// The numbers that the scene names as its readings. One that is not known has its place all the same, so that nothing
// moves while somebody is about to press.
export function sceneReadings() {
  const list = make("dl", { class: "readings part-scene", hidden: true, "aria-label": () => tr("Readings") });
  let labels = new Map(), values = new Map(), shown = "";
  on("scene", () => (labels = new Map()));
  on("diagnostics", () => {
    const scalars = new Map((run.diagnostics.scalars ?? []).map((one) => [one.id, one]));
    const own = run.status.readings ?? [];
    for (const [id, scalar] of scalars) labels.set(id, scalar.label);
    list.hidden = !labels.size || !own.length || Boolean(run.lesson);
    const now = JSON.stringify([run.generation, own.map((id) => labels.get(id))]);
    if (now !== shown) {
      shown = now;
      values = new Map(own.map((id) => [id, make("dd", {})]));
      list.replaceChildren(...own.map((id) =>
        make("div", {}, make("dt", { text: () => tr(labels.get(id) ?? "") }), values.get(id))));
    }
    for (const id of own) {
      const scalar = scalars.get(id);
      values.get(id).replaceChildren(scalar ? numberText(scalar.value) : labels.has(id) ? "–" : "",
        make("small", { text: scalar ? unitText(scalar) : "" }));
    }
  });
  return list;
}

export function plotsPanel() {
  const table = make("dl", { class: "numbers" }), remarks = make("div", { class: "small dim" });
  const curves = make("div", {}), ofInstruments = make("div", {}), plots = new Map();
  const save = make("button", { type: "button", class: "quiet", text: () => tr("Save the curves as CSV"),
    onclick: saveCurves });
  const values = new Map();

  on("scene", () => {
    plots.clear();
    values.clear();
    curves.replaceChildren();
    ofInstruments.replaceChildren();
    table.replaceChildren();
  });
  on("diagnostics", () => {
    if (!run.curvesShown) return;
    for (const scalar of run.diagnostics.scalars ?? []) {
      if (!values.has(scalar.id)) {
        const value = make("dd", {});
        values.set(scalar.id, value);
        table.append(make("dt", { text: () => tr(scalar.label) }), value);
      }
      values.get(scalar.id).textContent = valueText(scalar);
    }
    remarks.replaceChildren(...(run.diagnostics.remarks ?? []).map((remark) =>
      make("p", { text: () => tr(remark) })));
    const there = new Set();
    for (const curve of run.diagnostics.curves ?? []) {
      there.add(curve.id);
      if (!plots.has(curve.id)) {
        const one = plot(true);
        plots.set(curve.id, one);
        if (curve.of_instrument) ofInstruments.append(one.node);
        else curves[curve.id === run.status.plot ? "prepend" : "append"](one.node);
      }
      plots.get(curve.id).show(curve);
    }
    for (const [id, one] of plots)
      if (!there.has(id)) {
        one.node.remove();
        plots.delete(id);
      }
    save.hidden = plots.size === 0;
  });
  on("settings", () => requestAnimationFrame(() => plots.forEach((one) => one.draw())));
  return make("div", {}, instrumentsPanel(), ofInstruments, make("h2", { text: () => tr("Numbers") }), table, remarks, curves,
    save);
}

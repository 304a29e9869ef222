// Caption below a saved image: its scene, the time and the colour scale.
import { drawStrip, stripTicks } from "./color_bar.js";
import { make } from "./dom.js";
import { decimals, grouped, numberText } from "./numbers.js";
import { run } from "./run.js";
import { tr } from "./i18n.js";
import { settings } from "./settings.js";

const ink = "#000", paper = "#fff";

// Parameters that differ from the scene's: "Damping: 0.02".
function changes(status) {
  const infos = run.simulation.parameters.filter((one) => status.parameters[one.id] !== status.defaults?.[one.id]);
  return infos.map((info) => {
    const value = status.parameters[info.id];
    const text = info.kind === "boolean" ? (value ? tr("on") : tr("off"))
      : info.kind === "choice" ? tr(info.choices.find((one) => one.id === value)?.label ?? String(value))
      : `${numberText(value)}${info.unit ? `\u00a0${tr(info.unit)}` : ""}`;
    return `${tr(info.label)}: ${text}`;
  });
}

// Breaks the text into lines no wider than `width`.
function linesOf(context, text, width) {
  const lines = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line ? `${line} ${word}` : word;
    if (line && context.measureText(longer).width > width) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  return line ? [...lines, line] : lines;
}

// The image with the caption below it, of the same width. `scale`: pixels of the image per pixel of the page.
export function withCaption(picture, status, scale) {
  const { width } = picture, em = Math.max(9, Math.min(14 * scale, width / 24)), gap = 0.7 * em;
  const whole = make("canvas", { width, height: picture.height }), context = whole.getContext("2d");
  const family = getComputedStyle(document.body).fontFamily;
  const small = `${em}px ${family}`, strong = `bold ${em}px ${family}`;
  context.font = small;
  const { quantities } = run.simulation, byId = (id) => quantities.find((one) => one.id === id);
  const quantity = byId(status.view.quantity) ?? quantities[0], layer = byId(status.view.layer?.quantity);
  const time = `t = ${decimals(status.time.toFixed(2))}, ${tr("step {}", grouped(status.steps))}`;
  const texts = [[tr(run.simulation.title), time, ...changes(status)].join("; "),
    layer && tr("Lines: {}", tr(layer.label))].filter(Boolean);
  const lines = texts.flatMap((text) => linesOf(context, text, width - 2 * gap));
  const bar = settings.colorBar, barHeight = bar ? 4.6 * em : 0;
  whole.height = Math.ceil(picture.height + 2 * gap + (lines.length + 1) * 1.35 * em + barHeight);
  context.fillStyle = paper;
  context.fillRect(0, 0, width, whole.height);
  context.drawImage(picture, 0, 0);
  context.fillStyle = ink;
  context.textBaseline = "top";
  let y = picture.height + gap;
  context.font = strong;
  context.fillText(tr(status.title), gap, y, width - 2 * gap);
  context.font = small;
  for (const line of lines) context.fillText(line, gap, (y += 1.35 * em), width - 2 * gap);
  y += 1.35 * em;
  if (bar) drawScale(context, status.view, quantity, { left: gap, right: width - gap, top: y + 0.3 * em, em });
  return whole;
}

function drawScale(context, view, quantity, { left, right, top, em }) {
  const axis = stripTicks(view, Math.max(2, Math.floor((right - left) / (6 * em)))), strip = make("canvas", {});
  const title = [tr(quantity.label), quantity.unit && tr(quantity.unit), axis.common].filter(Boolean).join(", ");
  context.fillText(title, left, top, right - left);
  drawStrip(strip, view.colormap, false);
  const foot = top + 1.5 * em, high = 0.9 * em;
  context.drawImage(strip, left, foot, right - left, high);
  context.textAlign = "center";
  axis.ticks.forEach((tick, i) => {
    const x = left + (tick - view.minimum) / (view.maximum - view.minimum) * (right - left);
    const half = context.measureText(axis.texts[i]).width / 2;
    context.fillRect(Math.round(x), foot + high, Math.max(1, Math.round(em / 14)), 0.35 * em);
    context.fillText(axis.texts[i], Math.min(right - half, Math.max(left + half, x)), foot + high + 0.45 * em);
  });
  context.textAlign = "left";
}

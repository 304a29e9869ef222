// The colour bar over the view, and the colour strips of the panel.
import { make } from "./dom.js";
import { makeAxis } from "./numbers.js";
import { on, quantityShown, run } from "./run.js";
import { tr } from "./i18n.js";
import { set as setSetting, settings } from "./settings.js";
import { shownRange, shownUnit, titleWithUnit } from "./units.js";

function colorsOf(id) {
  return run.catalog.colormaps.find((map) => map.id === id)?.colors ?? "";
}

// Draws the colours from low to high, horizontally or upwards, on a canvas of any size.
export function drawStrip(canvas, id, upwards) {
  const colors = colorsOf(id), count = Math.max(1, colors.length / 6);
  canvas.width = upwards ? 1 : count;
  canvas.height = upwards ? count : 1;
  const context = canvas.getContext("2d");
  for (let i = 0; i < count; ++i) {
    context.fillStyle = `#${colors.slice(6 * i, 6 * i + 6) || "888888"}`;
    if (upwards) context.fillRect(0, count - 1 - i, 1, 1);
    else context.fillRect(i, 0, 1, 1);
  }
}

export const stripTicks = (view, most) => makeAxis(view.minimum, view.maximum, false, most);

export function colorBar() {
  const title = make("p", {}), strip = make("canvas", { "aria-hidden": "true" }),
    ticks = make("div", { class: "bar-ticks" });
  const box = make("div", { class: "color-bar part-bar", role: "img" }, title,
    make("div", { class: "bar-body" }, strip, ticks));
  let drawn = "";
  const titleText = () => {
    const quantity = quantityShown();
    return titleWithUnit(quantity.label, shownUnit(quantity).unit);
  };
  const show = () => {
    if (!run.status) return;
    const view = shownRange(run.status.view, quantityShown());
    box.hidden = !settings.colorBar;
    const key = JSON.stringify([view.quantity, view.colormap, view.minimum, view.maximum, titleText()]);
    if (key === drawn) return;
    drawn = key;
    drawStrip(strip, view.colormap, true);
    const axis = stripTicks(view, strip.clientHeight && strip.clientHeight < 100 ? 3 : 5);
    title.replaceChildren(titleText(), axis.common ? make("br") : "", axis.common);
    ticks.replaceChildren(...axis.ticks.map((tick, i) => make("span", { text: axis.texts[i],
      style: `bottom:${100 * (tick - view.minimum) / (view.maximum - view.minimum)}%` })));
    box.setAttribute("aria-label", tr("Colours from {0} to {1}: {2}", axis.texts[0] ?? "", axis.texts.at(-1) ?? "",
      titleText()));
  };
  on("status", show);
  on("colors", () => (drawn = ""));
  on("settings", show);
  document.addEventListener("retranslated", show);
  return box;
}
export const toggleColorBar = () => setSetting("colorBar", !settings.colorBar);

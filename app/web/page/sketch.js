// A prediction sketched before it is measured: by pointer, finger or keys.
import { make } from "./dom.js";
import { plot } from "./plot.js";
import { tr } from "./i18n.js";

const places = 128; // points along x

// `asked`: {x: [low, high], y: [low, high], x_label, y_label}. Returns {node, points(), isWhole()}.
export function sketchPad(asked, label) {
  const heights = new Array(places).fill(null);
  const one = plot();
  const pad = make("div", { class: "pad", tabindex: 0, role: "application", "aria-label": () =>
    tr("Draw the curve here. Arrow keys: left and right move the pen, up and down its height; it draws as it goes.") },
  one.node);
  one.canvas.style.touchAction = "none";
  let pen = { at: 0, height: 0.5 }, last = null;

  const points = () => heights.flatMap((height, i) => (height === null ? [] :
    [[asked.x[0] + (i + 0.5) / places * (asked.x[1] - asked.x[0]), asked.y[0] + height * (asked.y[1] - asked.y[0])]]));
  const show = () => one.show({ label, x_label: asked.x_label, y_label: asked.y_label, x_unit: "", y_unit: "",
    points: [], sketch: points(), range: [...asked.x, ...asked.y] });

  function placeOf(event) {
    const box = one.canvas.getBoundingClientRect(), { left, right, top, bottom } = one.area;
    const x = (event.clientX - box.left - left) / (right - left),
      y = 1 - (event.clientY - box.top - top) / (bottom - top);
    return { at: Math.floor(Math.min(0.9999, Math.max(0, x)) * places), height: Math.min(1, Math.max(0, y)) };
  }
  function drawTo(next) {
    const from = last ?? next, steps = Math.max(1, Math.abs(next.at - from.at));
    for (let i = 0; i <= steps; ++i)
      heights[Math.round(from.at + (next.at - from.at) * i / steps)] = from.height +
        (next.height - from.height) * i / steps;
    last = pen = next;
    show();
  }
  one.canvas.addEventListener("pointerdown", (event) => {
    one.canvas.setPointerCapture(event.pointerId);
    last = null;
    drawTo(placeOf(event));
  });
  one.canvas.addEventListener("pointermove", (event) => event.buttons && last && drawTo(placeOf(event)));
  one.canvas.addEventListener("pointerup", () => (last = null));
  pad.addEventListener("keydown", (event) => {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 0.02], ArrowDown: [0, -0.02] }[event.key];
    if (!way) return;
    event.preventDefault();
    event.stopPropagation();
    const steps = event.shiftKey ? 4 : 1;
    last = pen;
    drawTo({ at: Math.min(places - 1, Math.max(0, pen.at + way[0] * steps)),
      height: Math.min(1, Math.max(0, pen.height + way[1] * steps)) });
  });
  requestAnimationFrame(show);
  return { node: make("div", {}, pad, make("button", { type: "button", class: "link", text: () => tr("Draw anew"),
    onclick: () => {
      heights.fill(null);
      show();
    } })), points };
}

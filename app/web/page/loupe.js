// A loupe beside the finger while it drags a handle, because the finger covers what it aims at.
import { make } from "./dom.js";
import { on } from "./run.js";

const diameter = 112, magnification = 2.5; // pixels of the page

// `layers`: the canvases of the view, the lowest first.
export function loupe(layers) {
  const canvas = make("canvas", { class: "loupe", "aria-hidden": "true", hidden: true, width: 2 * diameter,
    height: 2 * diameter });
  const context = canvas.getContext("2d");
  let at = null;
  function draw() {
    if (!at) return;
    const { clientWidth: width, clientHeight: height } = layers[0], part = diameter / magnification;
    context.clearRect(0, 0, canvas.width, canvas.height);
    for (const layer of layers) {
      if (layer.hidden || !layer.width) continue;
      const across = layer.width / width, along = layer.height / height;
      context.drawImage(layer, (at.x - part / 2) * across, (at.y - part / 2) * along, part * across, part * along, 0, 0,
        canvas.width, canvas.height);
    }
    // Where the finger aims.
    const middle = diameter, arm = 12;
    for (const [color, wide] of [["#000", 5], ["#fff", 2]]) {
      context.strokeStyle = color;
      context.lineWidth = wide;
      context.beginPath();
      for (const [dx, dy] of [[arm, 0], [0, arm]]) {
        context.moveTo(middle - dx, middle - dy);
        context.lineTo(middle + dx, middle + dy);
      }
      context.stroke();
    }
    // Above the finger, or beside it at the upper edge.
    const isHigh = at.y > diameter + 40, left = isHigh ? at.x - diameter / 2 : at.x + (at.x < width / 2 ? 40 : -40 - diameter);
    canvas.style.left = `${Math.max(0, Math.min(left, width - diameter))}px`;
    canvas.style.top = `${Math.max(0, isHigh ? at.y - diameter - 40 : at.y - diameter / 2)}px`;
  }
  // `place`: {x, y} in the view; null: the finger has left.
  on("loupe", (place) => {
    at = place;
    canvas.hidden = !at;
    draw();
  });
  on("painted", draw);
  on("overlay", () => requestAnimationFrame(draw));
  return canvas;
}

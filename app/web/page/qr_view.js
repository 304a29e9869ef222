// A QR code in the page: dark on light in every theme, as cameras require.
import { make } from "./dom.js";
import { qrCode } from "./qr.js";

const quiet = 4; // light modules around it

// A canvas, or null if the text is too long.
export function qrView(text, sayName) {
  const code = qrCode(text);
  if (!code) return null;
  const size = code.size + 2 * quiet;
  const canvas = make("canvas", { class: "qr", role: "img", "aria-label": sayName, width: size, height: size,
    style: `width:${size * Math.max(2, Math.round(280 / size))}px` }); // a whole number of pixels per module
  const context = canvas.getContext("2d");
  context.fillStyle = "#fff";
  context.fillRect(0, 0, size, size);
  context.fillStyle = "#000";
  for (let y = 0; y < code.size; ++y)
    for (let x = 0; x < code.size; ++x) if (code.isDark(x, y)) context.fillRect(x + quiet, y + quiet, 1, 1);
  return canvas;
}

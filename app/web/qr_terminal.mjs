// Prints an address as a QR code in a terminal.
//
//   node app/web/qr_terminal.mjs ADDRESS
//
// Each character holds two modules, one above the other, dark on light whatever the terminal's colours are.
import { qrCode } from "./page/qr.js";

const code = qrCode(process.argv[2] ?? "");
const quiet = 4;
const lines = [];
for (let y = -quiet; y < code.size + quiet; y += 2) {
  let line = "";
  for (let x = -quiet; x < code.size + quiet; ++x) {
    const upper = code.isDark(x, y), lower = code.isDark(x, y + 1);
    line += upper && lower ? " " : upper ? "▄" : lower ? "▀" : "█";
  }
  lines.push(`\x1b[97;40m${line}\x1b[0m`);
}
console.log(lines.join("\n"));

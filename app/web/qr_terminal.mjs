// Prints an address as a QR code in a terminal.
//
//   node app/web/qr_terminal.mjs ADDRESS
//
// Each character holds two modules, one above the other, dark on light whatever the terminal's colours are.
import fs from "node:fs";

// (By its file name extension, the page's file is not a module for node.)
const source = fs.readFileSync(new URL("page/qr.js", import.meta.url), "utf8");
const { qrCode } = await import(`data:text/javascript,${encodeURIComponent(source)}`);
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

// A lesson on paper, for teachers, with the link to it and its QR code.
import { showPaper } from "./exports.js";
import { currentLanguage } from "./i18n.js";
import { qrCode } from "./qr.js";
import { call } from "./run.js";

// The rows of a QR code, with "1" for dark modules; empty if the text is too long for one.
function rowsOf(text) {
  const code = qrCode(text);
  const range = Array.from({ length: code?.size ?? 0 }, (_, k) => k);
  return range.map((y) => range.map((x) => (code.isDark(x, y) ? "1" : "0")).join(""));
}

export function showTeacherSheet(path) {
  const link = `${location.href.split("#")[0]}#l=${path}`;
  return showPaper(async () => {
    const { page } = await call("teacher_sheet", { path, language: currentLanguage(), link, qr: rowsOf(link) });
    return { page, stem: `sheet-${path.replaceAll("/", "-")}` };
  });
}

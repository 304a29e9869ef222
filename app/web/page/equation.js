// An equation of the tables in mathematical typesetting, as in the window: letters are italic, "_" and "^" make
// subscripts and superscripts.
import { make } from "./dom.js";

export function equation(text) {
  const node = make("div", { class: "equation", role: "math", "aria-label": text });
  const shown = make("span", { "aria-hidden": "true" });
  let level = 0, braced = false, line = shown, run = null;
  const signs = [...text];
  const put = (sign) => {
    const letter = /\p{L}/u.test(sign);
    const kind = `${letter}${level}`;
    if (run?.dataset.kind !== kind) {
      run = document.createElement(letter ? "i" : "span");
      run.dataset.kind = kind;
      const outer = level < 0 ? document.createElement("sub") : level > 0 ? document.createElement("sup") : null;
      if (outer) outer.append(run);
      line.append(outer ?? run);
    }
    run.textContent += sign;
  };
  for (let i = 0; i < signs.length; ++i) {
    const sign = signs[i];
    if ((sign === "_" || sign === "^") && level === 0) {
      level = sign === "_" ? -1 : 1;
      braced = signs[i + 1] === "{";
      if (braced) ++i;
      run = null;
      continue;
    }
    if (level !== 0 && braced && sign === "}") {
      level = 0;
      run = null;
      continue;
    }
    if (level !== 0 && !braced && !/[\p{L}\p{N}]/u.test(sign)) {
      level = 0;
      run = null;
    }
    put(sign);
  }
  node.append(shown);
  return node;
}

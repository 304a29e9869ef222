// In an embedded page, the wheel and a swipe scroll the outer page. This hint then names the input that moves the view.
import { make } from "./dom.js";
import { on } from "./run.js";
import { tr } from "./i18n.js";
import { hasFingersOnly } from "./touch.js";

const shownFor = 1800; // milliseconds

export function scrollHint() {
  const hint = make("p", { class: "scroll-hint", role: "status", hidden: true });
  let timer = 0;
  on("scrolled past", () => {
    hint.textContent = hasFingersOnly()
      ? tr("Two fingers move the view. To draw with one, let it rest a moment first.") : tr("Ctrl + wheel: zoom");
    hint.hidden = false;
    clearTimeout(timer);
    timer = setTimeout(() => (hint.hidden = true), shownFor);
  });
  return hint;
}

// Moves the keyboard focus when the focused element leaves the page. Without this it would fall back to the body, and
// Tab would start from the top.

const focusable = "a[href], button, input, select, textarea, [tabindex]";
// Identifies the same control after it is drawn again.
const signOf = (one) => [one.tagName, one.type, one.name, one.type === "radio" ? one.value : "",
  one.tagName === "BUTTON" ? one.textContent : "", one.className].join("|");

// Replaces the children of `node`. The focus stays with the same control, or moves to the element that `otherwise`
// returns.
export function replaceKeepingFocus(node, children, otherwise = () => null) {
  const had = node.contains(document.activeElement) ? signOf(document.activeElement) : "";
  node.replaceChildren(...children);
  if (!had) return;
  const same = [...node.querySelectorAll(focusable)].find((one) => !one.disabled && signOf(one) === had);
  (same ?? otherwise() ?? node.querySelector(focusable))?.focus({ preventScroll: true });
}

// The element that takes the focus if the same control is gone.
function standIn() {
  const gallery = document.getElementById("gallery");
  return gallery.hidden ? document.getElementById("picture") : gallery.querySelector("input, .card");
}

// Calls `takeAway`, which removes or hides `node`.
export function leave(node, takeAway) {
  const had = node.contains(document.activeElement);
  takeAway();
  if (had) standIn()?.focus({ preventScroll: true });
}

// Shows another page and moves the focus to the corresponding element: to the view, or to the card of the previous
// scene. The loading page may come between the gallery and a scene; no element takes the focus there.
let isOnTheWay = false;
export function changePage(from, change, scene) {
  const had = isOnTheWay || (from?.contains(document.activeElement) ?? false);
  change();
  isOnTheWay = had && !document.getElementById("start").hidden;
  if (!had || isOnTheWay) return;
  const card = scene && document.querySelector(`#gallery .card[href="#s=${CSS.escape(scene)}"]`);
  const target = document.getElementById("gallery").hidden ? standIn() : card || standIn();
  target?.focus();
}

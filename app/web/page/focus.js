// Where the keyboard's focus goes when what had it leaves the page: never to the page's body, from where Tab starts
// again.

const focusable = "a[href], button, input, select, textarea, [tabindex]";
// By what the same control is known when it is drawn again.
const signOf = (one) => [one.tagName, one.type, one.name, one.type === "radio" ? one.value : "",
  one.tagName === "BUTTON" ? one.textContent : "", one.className].join("|");

// Replaces what `node` holds. The focus stays with the same control, else it goes to what `otherwise` finds.
export function replaceKeepingFocus(node, children, otherwise = () => null) {
  const had = node.contains(document.activeElement) ? signOf(document.activeElement) : "";
  node.replaceChildren(...children);
  if (!had) return;
  const same = [...node.querySelectorAll(focusable)].find((one) => !one.disabled && signOf(one) === had);
  (same ?? otherwise() ?? node.querySelector(focusable))?.focus({ preventScroll: true });
}

// What stands in for it where there is no control like it.
function standIn() {
  const gallery = document.getElementById("gallery");
  return gallery.hidden ? document.getElementById("picture") : gallery.querySelector("input, .card");
}

// Does what takes `node` off the page, or hides it.
export function leave(node, takeAway) {
  const had = node.contains(document.activeElement);
  takeAway();
  if (had) standIn()?.focus({ preventScroll: true });
}

// Shows another page, and leads the focus there where it was on the one before: to the picture, or to the card of the
// scene that is left. Between the gallery and a scene the page of loading may come, where nothing takes the focus.
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

// Elements of the page: creates one in one call, draws the icons of buttons, and moves the keyboard focus when the
// focused element leaves the page.
import { bindText } from "./i18n.js";

const textAttributes = new Set(["text", "title", "aria-label", "placeholder", "aria-valuetext", "aria-roledescription",
  "label"]);

// make("button", {class: "quiet", text: () => tr("Play"), onclick: f}, children...): a text is passed as a function
// that returns it, so that it can be translated again into another language. An image's source comes last: it starts
// the download, which `loading` would no longer delay.
/** @type {(tag: string, properties?: Record<string, any>, ...children: any[]) => any} */
export function make(tag, { src, ...properties } = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of [...Object.entries(properties), ["src", src]]) {
    if (value === undefined || value === null || value === false) continue;
    if (textAttributes.has(name) && typeof value === "function") bindText(node, value, name === "text" ? "" : name);
    else if (name === "text") node.textContent = value;
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled") node[name] = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

// The icons of the window, on a square of 24.
const shapes = {
  play: '<path class="f" d="M8 4.5v15l12-7.5z"/>',
  pause: '<path class="f" d="M6 4.5h4.4v15H6zM13.6 4.5H18v15h-4.4z"/>',
  step: '<path class="f" d="M5 5v14l10-7zM16.5 5h3v14h-3z"/>',
  restart: '<path class="f" d="M19 5v14L9 12zM4.5 5h3v14h-3z"/>',
  keep: '<path class="f" d="M18 4v11l-8.5-5.5zM6 4h2.5v11H6zM4 18.5h16v2.2H4z"/>',
  undo: '<path d="M6.5 13a6.5 6.5 0 1 1 2 5"/><path class="f" d="M2.5 11.5h8l-4 5z"/>',
  redo: '<path d="M17.5 13a6.5 6.5 0 1 0-2 5"/><path class="f" d="M21.5 11.5h-8l4 5z"/>',
  minus: '<path d="M5 12h14"/>',
  plus: '<path d="M5 12h14M12 5v14"/>',
  previous: '<path d="M14.5 5.5 8 12l6.5 6.5"/>',
  next: '<path d="M9.5 5.5 16 12l-6.5 6.5"/>',
  theory: '<path d="M20 20H4L17 4M12.5 20a9 9 0 0 0-2.8-6.5"/>',
  camera: '<path d="M3 8.5h4.5l1.5-3h6l1.5 3H21V19H3z"/><circle cx="12" cy="13.5" r="3.2"/>',
  video: '<path d="M3 5h18v14H3zM7.5 5v14M16.5 5v14M3 9.7h4.5M3 14.3h4.5M16.5 9.7H21M16.5 14.3H21"/>',
  share: '<circle cx="18" cy="5.5" r="2.5"/><circle cx="6" cy="12" r="2.5"/>' +
    '<circle cx="18" cy="18.5" r="2.5"/>' +
    '<path d="m8.3 10.8 7.4-4.1M8.3 13.2l7.4 4.1"/>',
  disk: '<path d="M12 3v10M4 15v5h16v-5"/><path class="f" d="M7.5 10h9L12 16z"/>',
  folder: '<path d="M3 19V5h6.5l2.5 3H21v11z"/>',
  table: '<path d="M3.5 5h17v14h-17zM3.5 10h17M9.5 5v14M3.5 14.5h17"/>',
  expand: '<path d="M9 4H4v5M15 4h5v5M9 20H4v-5M15 20h5v-5"/>',
  home: '<path d="M3.5 12 12 4l8.5 8M6 10v9.5h12V10"/>',
  close: '<path d="m6 6 12 12M18 6 6 18"/>',
  grid: '<path class="f" d="M4 5h7v6H4zM13 5h7v6h-7zM4 13h7v6H4zM13 13h7v6h-7z"/>',
  information: '<circle cx="12" cy="12" r="9"/><path d="M12 11v6M12 7v.5"/>',
  question: '<path d="M8.5 9a3.5 3.5 0 1 1 5.5 2.8c-1.4.9-2 1.5-2 3.2M12 18.5v.5"/>',
  panel: '<path d="M3 5h18v14H3z"/><path class="f" d="M15 5h6v14h-6z"/>',
  lesson: '<path d="M12 6.5C10 5 7 4.5 3.5 4.5v13.5c3.5 0 6.5.5 8.5 2 2-1.5 5-2 8.5-2V4.5' +
    'c-3.5 0-6.5.5-8.5 2zM12 6.5V20"/>',
  search: '<circle cx="10.5" cy="10.5" r="6"/><path d="m15 15 5.5 5.5"/>',
  menu: '<path d="M4 7h16M4 12h16M4 17h16"/>',
  check: '<path d="m4.5 12.5 5 5 10-11"/>',
};

export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  svg.innerHTML = shapes[name]; // a constant of this file
  return svg;
}

// Icon button; `label` is its accessible name and its tooltip.
export function iconButton(name, label, press, properties = {}) {
  return make("button", { type: "button", class: "icon-button", "aria-label": label, title: label, onclick: press,
    ...properties }, icon(name));
}

export function setIcon(button, name) {
  if (button.dataset.icon === name) return;
  button.dataset.icon = name;
  button.replaceChildren(icon(name));
}

// Group of buttons of which one is chosen. `choices`: [{id, label}]. The arrow keys move between them, as with radio
// buttons.
export function segments(name, label, choices, chosen, choose) {
  return make("div", { class: "segments", role: "radiogroup", "aria-label": label },
    choices.map((choice) =>
      make("label", { class: "segment" },
        make("input", { type: "radio", name, value: choice.id, checked: choice.id === chosen,
          onchange: () => choose(choice.id) }),
        make("span", { text: choice.label }))));
}

// ---- keyboard focus: without this it would fall back to the body, and Tab would start from the top

const focusableElements = "a[href], button, input, select, textarea, [tabindex]";
// Identifies the same control after it is drawn again.
const identityOf = (one) => [one.tagName, one.type, one.name, one.type === "radio" ? one.value : "",
  one.tagName === "BUTTON" ? one.textContent : "", one.className].join("|");

// Replaces the children of `node`. The focus stays with the same control, or moves to the element that `otherwise`
// returns.
export function replaceKeepingFocus(node, children, otherwise = () => null) {
  const focused = node.contains(document.activeElement) ? identityOf(document.activeElement) : "";
  node.replaceChildren(...children);
  if (!focused) return;
  const same = [...node.querySelectorAll(focusableElements)].find((one) =>
    !one.disabled && identityOf(one) === focused);
  (same ?? otherwise() ?? node.querySelector(focusableElements))?.focus({ preventScroll: true });
}

// The element that takes the focus if the same control is gone.
/** @returns {HTMLElement | null} */
function fallbackFocus() {
  const gallery = document.getElementById("gallery");
  return gallery.hidden ? document.getElementById("view") : gallery.querySelector("input, .card");
}

// Calls `hide`, which removes or hides `node`.
export function leave(node, hide) {
  const hadFocus = node.contains(document.activeElement);
  hide();
  if (hadFocus) fallbackFocus()?.focus({ preventScroll: true });
}

// Shows another page and moves the focus to the corresponding element: to the view, or to the card of the previous
// scene. The loading page may come between the gallery and a scene; no element takes the focus there.
let isLoading = false;
export function changePage(from, change, scene) {
  const hadFocus = isLoading || (from?.contains(document.activeElement) ?? false);
  change();
  isLoading = hadFocus && !document.getElementById("start").hidden;
  if (!hadFocus || isLoading) return;
  /** @type {HTMLElement | null} */
  const card = scene && document.querySelector(`#gallery .card[href="#s=${CSS.escape(scene)}"]`);
  const target = document.getElementById("gallery").hidden ? fallbackFocus() : card || fallbackFocus();
  target?.focus();
}

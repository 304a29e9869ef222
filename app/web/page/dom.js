// Elements of the page: creates one in one call, draws the icons of buttons, and moves the keyboard focus when the
// focused element leaves the page.
import { bindText } from "./i18n.js";

const textAttributes = new Set(["text", "title", "aria-label", "placeholder", "aria-valuetext", "aria-roledescription",
  "label"]);

// make("button", {class: "quiet", text: () => tr("Play"), onclick: f}, children...): a text is passed as a function
// that returns it, so that it can be translated again into another language. An image's source comes last: it starts
// the download, which `loading` would no longer delay.
/** @type {(tag: string, properties?: Record<string, any>, ...children: any[]) => any} */
export function make(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  const { src, ...others } = properties;
  for (const [name, value] of [...Object.entries(others), ["src", src]]) {
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
  people: '<circle cx="9" cy="8" r="3.5"/><path d="M2.5 20c0-4.5 2.6-7 6.5-7s6.5 2.5 6.5 7M15.5 4.8a3.5 3.5 0 0 1 0 6.4' +
    'M17.5 13.6c2.6.8 4 3 4 6.4"/>',
  opposite: '<path d="M8 4v8M4 8h8M14 17h7M18.5 4.5l-13 15"/>',
  ruler: '<path d="M2.5 8.5h19v7h-19zM6.5 8.5v3M10.2 8.5v4M13.8 8.5v3M17.5 8.5v4"/>',
  protractor: '<path d="M3 17.5a9 9 0 0 1 18 0zM12 17.5l4-6M7.8 17.5a4.2 4.2 0 0 1 8.4 0"/>',
  stopwatch: '<circle cx="12" cy="13.5" r="7.5"/><path d="M12 13.5V9M9.5 2.5h5M12 2.5V6"/>',
  probe: '<circle cx="6" cy="12" r="3.2"/><path d="M10.5 12c1.3-8 2.8-8 4 0s2.8 8 4 0c.6-4 1.4-6 2.5-6"/>',
  cut: '<path d="M3 19.5h18M3 15c3-11 6-11 9-5s6 2 9-5"/>',
  microscope: '<path d="M8.5 3h4v8.5h-4zM10.5 11.5v3M5 20.5h14M7 14.5h7M13 6.5a7 7 0 0 1 2 14"/>',
  // The tools of the simulations.
  "tool-droplet": '<path d="M12 3.5c3.5 4.5 5.5 7.2 5.5 10.2a5.5 5.5 0 0 1-11 0c0-3 2-5.7 5.5-10.2z"/>',
  "tool-wall": '<path d="M3.5 6h17v12h-17zM3.5 12h17M12 6v6M8 12v6M16 12v6"/>',
  "tool-speed": '<path d="M4 18a8.5 8.5 0 1 1 16 0M12 16l4-6"/>',
  "tool-oscillator": '<circle class="f" cx="12" cy="12" r="1.8"/><circle cx="12" cy="12" r="5"/>' +
    '<circle cx="12" cy="12" r="8.8"/>',
  "tool-screen": '<path d="M19 3v18M15 4c0 3-10 2-10 4s10 1 10 4-10 2-10 4 10 1 10 4"/>',
  "tool-push": '<path d="M3 8.5c2.5-2.5 5 2.5 7.5 0M3 15.5c2.5-2.5 5 2.5 7.5 0M12 12h8m-3.5-3.5L20 12l-3.5 3.5"/>',
  "tool-dye": '<path class="f" d="M12 3.5c3.5 4.5 5.5 7.2 5.5 10.2a5.5 5.5 0 0 1-11 0c0-3 2-5.7 5.5-10.2z"/>',
  "tool-probe": '<circle cx="12" cy="12" r="5"/><path d="M12 2.5v6M12 15.5v6M2.5 12h6M15.5 12h6"/>',
  "tool-move": '<path d="M12 3v18M3 12h18M9 6l3-3 3 3M9 18l3 3 3-3M6 9l-3 3 3 3M18 9l3 3-3 3"/>',
  "tool-kick": '<circle class="f" cx="12" cy="12" r="2"/><path d="M12 3v4M12 17v4M3 12h4M17 12h4M5.6 5.6l2.8 2.8' +
    'M15.6 15.6l2.8 2.8M18.4 5.6l-2.8 2.8M8.4 15.6l-2.8 2.8"/>',
  "tool-throw": '<circle cx="7" cy="16.5" r="3.5"/><path d="m10.5 13 8.5-8.5M13 4.5h6v6"/>',
  "tool-add": '<circle cx="12" cy="12" r="8.5"/><path d="M12 8v8M8 12h8"/>',
  "tool-heat": '<path d="M5 20c2-2-2-4 0-6s-2-4 0-6M12 20c2-2-2-4 0-6s-2-4 0-6M19 20c2-2-2-4 0-6s-2-4 0-6"/>',
  "tool-cool": '<path d="M12 3v18M4.2 7.5l15.6 9M19.8 7.5l-15.6 9"/>',
  "tool-reverse": '<path d="M20 8H5m4-4L5 8l4 4M4 16h15m-4-4 4 4-4 4"/>',
  "tool-pull": '<path d="M12 3v13m-5-5 5 5 5-5M5 20.5h14"/>',
  "tool-drop": '<path d="m7 3.5 10 4.5M12 11v9m-3.5-3.5L12 20l3.5-3.5"/>',
  "tool-turn": '<path d="M19 12a7 7 0 1 1-2.5-5.4M17.5 2.5v4.6h-4.6"/>',
  "tool-load": '<path d="M3 15c5 0 6 5 9 5s4-5 9-5M12 3v11m-3.5-3.5L12 14l3.5-3.5"/>',
  "tool-frequency": '<path d="M2.5 12c2-10 4.6-10 6.4 0s4.2 10 6.2 0 4.4-10 6.4 0"/>',
  "tool-degree": '<path d="M4 4v16h16M5 18.5c7 0 10-4 13-13"/>',
  "tool-split": '<path d="M4 4h16v16H4zM12 4v16M4 12h16"/>',
  "tool-refine": '<path d="M4 4h16v16H4zM12 4v16M12 12h8M16 4v8M12 8h8"/>',
};
export const hasIcon = (name) => name in shapes;

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

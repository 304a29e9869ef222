// Elements made in a line, and the pictures on buttons.
import { tell } from "./say.js";

const words = new Set(["text", "title", "aria-label", "placeholder", "aria-valuetext", "aria-roledescription"]);

// make("button", {class: "quiet", text: () => say("Play"), onclick: f}, children...): what is told in words is a function
// that says them, so that it can be told anew in another language.
export function make(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (words.has(name) && typeof value === "function") tell(node, value, name === "text" ? "" : name);
    else if (name === "text") node.textContent = value;
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled") node[name] = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

// The window's icons, on a square of 24.
const shapes = {
  play: '<path class="f" d="M8 4.5v15l12-7.5z"/>',
  pause: '<path class="f" d="M6 4.5h4.4v15H6zM13.6 4.5H18v15h-4.4z"/>',
  step: '<path class="f" d="M5 5v14l10-7zM16.5 5h3v14h-3z"/>',
  restart: '<path class="f" d="M19 5v14L9 12zM4.500 5h3v14h-3z"/>',
  keep: '<path class="f" d="M18 4v11l-8.500-5.500zM6 4h2.500v11H6zM4 18.500h16v2.200H4z"/>',
  undo: '<path d="M6.500 13a6.500 6.500 0 1 1 2 5"/><path class="f" d="M2.500 11.500h8l-4 5z"/>',
  redo: '<path d="M17.500 13a6.500 6.500 0 1 0-2 5"/><path class="f" d="M21.500 11.500h-8l4 5z"/>',
  minus: '<path d="M5 12h14"/>',
  plus: '<path d="M5 12h14M12 5v14"/>',
  previous: '<path d="M14.500 5.500 8 12l6.500 6.500"/>',
  next: '<path d="M9.500 5.500 16 12l-6.500 6.500"/>',
  camera: '<path d="M3 8.500h4.500l1.500-3h6l1.500 3H21V19H3z"/><circle cx="12" cy="13.500" r="3.200"/>',
  film: '<path d="M3 5h18v14H3zM7.500 5v14M16.500 5v14M3 9.700h4.500M3 14.300h4.500M16.500 9.700H21M16.500 14.300H21"/>',
  share: '<circle cx="18" cy="5.500" r="2.500"/><circle cx="6" cy="12" r="2.500"/><circle cx="18" cy="18.500" r="2.500"/>' +
    '<path d="m8.300 10.800 7.400-4.100M8.300 13.200l7.400 4.100"/>',
  disk: '<path d="M12 3v10M4 15v5h16v-5"/><path class="f" d="M7.500 10h9L12 16z"/>',
  folder: '<path d="M3 19V5h6.500l2.500 3H21v11z"/>',
  table: '<path d="M3.500 5h17v14h-17zM3.500 10h17M9.500 5v14M3.500 14.5h17"/>',
  expand: '<path d="M9 4H4v5M15 4h5v5M9 20H4v-5M15 20h5v-5"/>',
  home: '<path d="M3.500 12 12 4l8.500 8M6 10v9.500h12V10"/>',
  close: '<path d="m6 6 12 12M18 6 6 18"/>',
  grid: '<path class="f" d="M4 5h7v6H4zM13 5h7v6h-7zM4 13h7v6H4zM13 13h7v6h-7z"/>',
  information: '<circle cx="12" cy="12" r="9"/><path d="M12 11v6M12 7v.5"/>',
  question: '<path d="M8.500 9a3.500 3.500 0 1 1 5.500 2.800c-1.400.9-2 1.500-2 3.200M12 18.500v.5"/>',
  panel: '<path d="M3 5h18v14H3z"/><path class="f" d="M15 5h6v14h-6z"/>',
  lesson: '<path d="M12 6.500C10 5 7 4.500 3.500 4.500v13.500c3.500 0 6.500.5 8.500 2 2-1.500 5-2 8.500-2V4.500c-3.500 0-6.500.5-8.500 2zM12 6.500V20"/>',
  search: '<circle cx="10.500" cy="10.500" r="6"/><path d="m15 15 5.500 5.500"/>',
  menu: '<path d="M4 7h16M4 12h16M4 17h16"/>',
  check: '<path d="m4.500 12.500 5 5 10-11"/>',
};

export function icon(name) {
  const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  picture.setAttribute("viewBox", "0 0 24 24");
  picture.setAttribute("class", "icon");
  picture.setAttribute("aria-hidden", "true");
  picture.innerHTML = shapes[name]; // a constant of this file
  return picture;
}

// A button that is a picture; its words are its name and its tooltip.
export function iconButton(name, sayWords, press, properties = {}) {
  return make("button", { type: "button", class: "icon-button", "aria-label": sayWords, title: sayWords, onclick: press,
    ...properties }, icon(name));
}

export function setIcon(button, name) {
  if (button.dataset.icon === name) return;
  button.dataset.icon = name;
  button.replaceChildren(icon(name));
}

// One of a few side by side. `choices`: [{id, words}]; the arrow keys go through them, as radio buttons do.
export function segments(name, sayName, choices, chosen, choose) {
  return make("div", { class: "segments", role: "radiogroup", "aria-label": sayName },
    choices.map((choice) =>
      make("label", { class: "segment" },
        make("input", { type: "radio", name, value: choice.id, checked: choice.id === chosen,
          onchange: () => choose(choice.id) }),
        make("span", { text: choice.words }))));
}

// Elements for tests in node: as much of a document as the panels of the page use. Import it before the page's modules.
// Nothing has a size, and no canvas is drawn.
import "./page.mjs";

// Selectors are lists of "tag#id.class[attribute]", in any part.
function fits(element, selector) {
  return selector.split(",").some((one) => [...one.trim().matchAll(/([.#[]?)([\w-]+)\]?/g)].every(([, kind, name]) =>
    (kind === "." ? element.className.split(" ").includes(name) : kind === "#" ? element.id === name
      : kind === "[" ? element.getAttribute(name) !== null : element.tagName === name.toUpperCase())));
}

class Element {
  #attributes = new Map();
  #listeners = new Map();
  #text = "";
  #children = [];
  parent = null;
  style = { setProperty() {} };
  dataset = {};
  clientWidth = 0;
  clientHeight = 0;
  offsetHeight = 0;
  constructor(tag) {
    this.tagName = tag.toUpperCase();
  }
  get id() {
    return this.getAttribute("id") ?? "";
  }
  get className() {
    return this.getAttribute("class") ?? "";
  }
  set className(names) {
    this.setAttribute("class", names);
  }
  get classList() {
    const has = (name) => this.className.split(" ").includes(name);
    const toggle = (name, on = !has(name)) => {
      this.className = [...this.className.split(" ").filter((one) => one && one !== name), ...(on ? [name] : [])].join(" ");
    };
    return { toggle, add: (name) => toggle(name, true) };
  }
  get hidden() {
    return this.#attributes.has("hidden");
  }
  set hidden(hidden) {
    if (hidden) this.setAttribute("hidden", "");
    else this.removeAttribute("hidden");
  }
  get children() {
    return this.#children.filter((child) => child instanceof Element);
  }
  get firstChild() {
    return this.#children[0] ?? null;
  }
  get parentElement() {
    return this.parent;
  }
  // What is shown: without hidden parts.
  get textContent() {
    return this.#text + this.#children.map((child) => (typeof child === "string" ? child : child.hidden ? ""
      : child.textContent)).join(" ");
  }
  set textContent(text) {
    this.#children = [];
    this.#text = text;
  }
  setAttribute(name, value) {
    this.#attributes.set(name, String(value));
  }
  getAttribute(name) {
    return this.#attributes.get(name) ?? null;
  }
  removeAttribute(name) {
    this.#attributes.delete(name);
  }
  append(...children) {
    for (const child of children) {
      if (typeof child === "object") child.parent = this;
      this.#children.push(typeof child === "object" ? child : String(child));
    }
  }
  replaceChildren(...children) {
    for (const child of this.children) child.parent = null;
    this.#children = [];
    this.append(...children);
  }
  contains(other) {
    return other === this || this.children.some((child) => child.contains(other));
  }
  querySelectorAll(selector) {
    return this.children.flatMap((child) => [...(fits(child, selector) ? [child] : []), ...child.querySelectorAll(selector)]);
  }
  querySelector(selector) {
    return this.querySelectorAll(selector)[0] ?? null;
  }
  addEventListener(event, listener) {
    this.#listeners.set(event, listener);
  }
  send(event) {
    return this.#listeners.get(event)?.({ preventDefault() {}, stopPropagation() {}, target: this });
  }
  click() {
    return this.send("click");
  }
  remove() {}
  scrollIntoView() {}
}

Object.assign(globalThis.document, { createElement: (tag) => new Element(tag), createElementNS: (_, tag) => new Element(tag),
  body: new Element("body"), documentElement: new Element("html"), activeElement: null });
globalThis.ResizeObserver = class { observe() {} };
globalThis.requestAnimationFrame = (run) => run();

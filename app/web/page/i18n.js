// Single entry point for the page's texts. English is the key, as everywhere in the program: tr() returns the text in
// the chosen language from the program's own tables (the engine's call "translate"), and in English until the answer
// has arrived.

import { loadTexts } from "./po_file.js";

const known = new Map(); // English -> the chosen language
const asked = new Set();
let language = "en";
let translator = null;
let waiting = false;

// Replaces {} with the values in order, {1} with the second one.
function fill(pattern, values) {
  let next = 0;
  return pattern.replace(/\{(\d?)\}/g, (_, index) => String(values[index === "" ? next++ : Number(index)] ?? ""));
}

export function tr(text, ...values) {
  if (!text) return "";
  if (language !== "en" && !known.has(text)) ask(text);
  const words = known.get(text) ?? text;
  return values.length ? fill(words, values) : words;
}

function ask(text) {
  asked.add(text);
  if (waiting || !translator) return;
  waiting = true;
  queueMicrotask(answerAll);
}

async function answerAll() {
  const texts = [...asked];
  const now = language;
  asked.clear();
  try {
    const answer = await translator(now, texts);
    if (now === language) texts.forEach((text, i) => known.set(text, answer[i] ?? text));
  } catch (error) {
    waiting = false;
    // A restarted engine is asked again once it is ready.
    if (error.kind === "stopped") return texts.forEach((text) => asked.add(text));
    for (const text of texts) known.set(text, text); // falls back to English
  }
  waiting = false;
  if (asked.size) ask([...asked][0]);
  retranslate();
}

export function currentLanguage() {
  return language;
}

// `translate` takes a language id and a list of English texts, and promises a list of the same length.
export function setTranslator(translate) {
  translator = translate;
  if (asked.size) ask([...asked][0]);
}

export function setLanguage(id) {
  if (id === language) return;
  language = id;
  known.clear();
  document.documentElement.lang = id;
  retranslate();
  // Before the engine is ready, texts come from the language's file.
  if (!translator && id !== "en")
    loadTexts(id).then((words) => {
      if (id !== language) return;
      for (const [english, text] of words) known.set(english, text);
      retranslate();
    }, () => {}); // falls back to English
}

const longest = 600; // letters of a message
// Omits the middle of a message that would fill the page: a link or a file may contain any text.
export const clipped = (text) => (text.length > longest
  ? `${text.slice(0, longest - 200)} \u2026 ${text.slice(-199)}` : text);

// ---- texts on the page are translated again when their translation has arrived

// `words`: a function that returns the text; `attribute`: the attribute of the element to set, otherwise its text.
export function bindText(node, words, attribute = "") {
  node.boundTexts ??= new Map();
  node.boundTexts.set(attribute, words);
  node.setAttribute("data-i18n", "");
  apply(node, attribute, words);
  return node;
}

function apply(node, attribute, words) {
  const text = words();
  if (attribute === "") {
    if (node.textContent !== text) node.textContent = text;
  } else if (text) {
    if (node.getAttribute(attribute) !== text) node.setAttribute(attribute, text);
  } else {
    node.removeAttribute(attribute);
  }
}

export function retranslate(root = document) {
  for (const node of root.querySelectorAll("[data-i18n]"))
    node.boundTexts?.forEach((words, attribute) => apply(node, attribute, words));
  document.dispatchEvent(new Event("retranslated"));
}

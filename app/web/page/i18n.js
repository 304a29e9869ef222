// Single entry point for the page's texts. English is the key, as everywhere in the program: tr() returns the text in
// the chosen language from the program's own tables (the engine's call "translate"), and in English until the answer
// has arrived.
const known = new Map(); // English -> the chosen language
const asked = new Set();
let language = "en";
let translator = null;
let waiting = false;

// Replaces {} with the values in order, {1} with the second one.
function fill(format, values) {
  let next = 0;
  return format.replace(/\{(\d?)\}/g, (_, index) => String(values[index === "" ? next++ : Number(index)] ?? ""));
}

function translated(text) {
  if (language !== "en" && !known.has(text)) ask(text);
  return textForDevice(known.get(text) ?? text);
}

// The variant of a text for a mouse and keys, or for fingers: "[[Click||Tap]] the water", or, if the window differs,
// "[[window||page||fingers]]" (app/i18n/translation.h).
export function textForDevice(text, fingers = hasFingersOnly()) {
  return text.replace(/\[\[(.*?)\]\]/gs, (_, all) => {
    const parts = all.split("||");
    parts.forEach((part, i) => (parts[i] = part === "=" && i > 0 ? parts[i - 1] : part));
    return parts.at(fingers || parts.length < 2 ? -1 : -2);
  });
}

// `message`: an English text, with {} for each of `values`; or a message of the engine (json_of in request.h), whose
// arguments are translated too, except values. A parameter becomes its label in quotation marks.
export function tr(message, ...values) {
  if (!message) return "";
  if (typeof message === "string") return values.length ? fill(translated(message), values) : translated(message);
  if (message.value !== undefined) return withDecimalMark(message.value);
  if (message.parameter !== undefined)
    return message.label ? tr("\u201c{}\u201d", tr(message.label)) : message.parameter;
  return fill(translated(message.text), message.arguments.map((argument) => tr(argument)));
}

// The text of an error in the chosen language. `said`: a message, or a function that returns the text; an error of the
// browser has none.
export function errorText({ said, message }) {
  if (said === undefined) return message;
  return typeof said === "function" ? said() : tr(said);
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
    loadTexts(id).then((entries) => {
      if (id !== language) return;
      for (const [english, text] of entries) known.set(english, text);
      retranslate();
    }, () => {}); // falls back to English
}

// Decimal mark of each language: German 0,5 for English 0.5.
const marks = new Map();
export function decimalMark() {
  if (!marks.has(language))
    marks.set(language, new Intl.NumberFormat(language).formatToParts(0.5)
      .find((part) => part.type === "decimal").value);
  return marks.get(language);
}

// The numbers of a value in a message. (A number without a space or bracket before it may belong to a file name.)
function withDecimalMark(value) {
  return decimalMark() === "." ? value
    : value.replace(/(?<=^|[\s(=≤<>±−„“"])(-?\d+)\.(\d+)(?=$|[\s).,;:!?%×…e“"])/g, `$1${decimalMark()}$2`);
}

const maxLength = 600; // letters of a message
// Omits the middle of a message that would fill the page: a link or a file may contain any text.
export const clipped = (text) => (text.length > maxLength
  ? `${text.slice(0, maxLength - 200)} \u2026 ${text.slice(-199)}` : text);

// ---- texts on the page are translated again when their translation has arrived

// `getText`: a function that returns the text; `attribute`: the attribute of the element to set, otherwise its text.
export function bindText(node, getText, attribute = "") {
  node.boundTexts ??= new Map();
  node.boundTexts.set(attribute, getText);
  node.setAttribute("data-i18n", "");
  apply(node, attribute, getText);
  return node;
}

function apply(node, attribute, getText) {
  const text = getText();
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
    node.boundTexts?.forEach((getText, attribute) => apply(node, attribute, getText));
  document.dispatchEvent(new Event("retranslated"));
}

// ---- PO file of a language, for use before the engine, which contains the same texts, is ready

async function loadTexts(id) {
  const answer = await fetch(`languages/${id}.po`);
  if (!answer.ok) throw new Error(`languages/${id}.po: ${answer.status}`);
  return parsePo(await answer.text());
}

// [English, text] of each entry.
function parsePo(text) {
  const entries = [];
  let entry = null, part = "";
  for (const line of text.split("\n")) {
    const [, key, body] = /^(msgid|msgstr)?\s*"(.*)"\s*$/.exec(line) ?? [];
    if (body === undefined) continue; // comments, and lines between entries
    if (key === "msgid") entries.push(entry = { msgid: "", msgstr: "" });
    if (key) part = key;
    if (entry) entry[part] += JSON.parse(`"${body}"`);
  }
  return entries.filter((one) => one.msgid && one.msgstr).map((one) => [one.msgid, one.msgstr]);
}

// ---- texts for touch screens: a phone has neither a right button nor keys

const coarse = matchMedia("(pointer: coarse)"), mouse = matchMedia("(any-pointer: fine)");
export const hasFingersOnly = () => coarse.matches && !mouse.matches;

// The hint of a scene.
export const hintOf = (status) => tr((hasFingersOnly() && status.touch_hint) || status.hint);

// Explains the help of the tools, which names both buttons; empty if there is a mouse.
export const fingerHelp = () => (hasFingersOnly()
  ? tr("A finger acts as the left button, and as the right one while “The tool's opposite” is on.") : "");

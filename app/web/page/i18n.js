// Single entry point for the page's texts. English is the key, as everywhere in the program: tr() returns the text in
// the chosen language from the program's own tables (the engine's call "translate"), and in English until the answer
// has arrived.
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
  const pattern = known.get(text) ?? text;
  return values.length ? fill(pattern, values) : pattern;
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

async function loadTexts(language) {
  const answer = await fetch(`languages/${language}.po`);
  if (!answer.ok) throw new Error(`languages/${language}.po: ${answer.status}`);
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

// Text without the names of buttons, for touch screens. (By the English text, whatever the shown language.)
export const namesButtons = (...texts) =>
  hasFingersOnly() && /(right|middle) button|right[- ]click/i.test(texts.flat().join(" "));
export const buttonsForFingers = () =>
  tr("On a touch screen, switch on “The tool's opposite” in place of the right mouse button.");

// The help of a tool names both buttons at the beginning of its sentences.
export function toolHelp(tool) {
  const help = tr(tool.help);
  if (!hasFingersOnly()) return help;
  return help.replaceAll(tr("Left drag:"), tr("Finger:")).replaceAll(tr("Left:"), tr("Finger:"))
    .replaceAll(tr("Right drag:"), tr("Opposite:")).replaceAll(tr("Right:"), tr("Opposite:"));
}

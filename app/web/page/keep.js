// Stores the changes that the user makes to a scene. The address contains them, so that a reload, a bookmark and Back
// restore parameters and walls. This tab also stores the last link of each scene for a later return to it, and the
// user's own colours. Answers of lessons are stored permanently.
import { errorText } from "./i18n.js";
import { packScene, readHash } from "./link.js";
import { call, on, open, run, setReopenChanged, showMessage } from "./run.js";

const linksKey = "perturb scenes", lessonsKey = "perturb lessons", lighterKey = "perturb lighter scenes";
const colorsKey = "perturb colours";
const minInterval = 400; // milliseconds: browsers reject an address that changes more often
const saveDelay = 300; // milliseconds

/** @type {(hash: string) => boolean} */
let replaceAddress = () => false;
let kept = "", saved = 0, timer = 0, saving = null, errorShown = false;

// The content of a link to the run, as far as it is known without asking the engine.
function contentOf({ parameters, events, kernel, seed, width, height, view, instruments }) {
  const { minimum, maximum, ...shown } = view;
  return JSON.stringify([parameters, events, kernel, seed, width, height, instruments, shown.automatic ? shown : view]);
}
// A lesson has its own address. A state from a file has no strokes from which to make a link. A served run is not this
// page's.
const canBeKept = () => Boolean(run.status) && !run.lesson && !run.fromFile && !run.remote;

// `replace(hash)`: makes it the address of the current run and returns whether that worked.
export function startKeeping(replace) {
  replaceAddress = replace;
  on("scene", () => {
    clearTimeout(timer);
    timer = 0;
    errorShown = false;
    kept = contentOf(run.status);
    if (location.hash.startsWith("#s=")) keepLink(run.status.scene, ""); // the scene starts fresh
  });
  on("status", () => {
    if (timer || !canBeKept() || contentOf(run.status) === kept) return;
    timer = setTimeout(keepNow, Math.max(0, saved + minInterval - performance.now()));
  });
  on("lesson", keepLesson);
  on("engine", giveColors);
}

// Stores the scene immediately before the run is left. Waits only briefly if a step keeps the engine busy.
export const keepScene = () => Promise.race([keepNow(), new Promise((done) => setTimeout(done, saveDelay))]);

async function keepNow() {
  await saving;
  clearTimeout(timer);
  timer = 0;
  if (!canBeKept() || contentOf(run.status) === kept) return;
  saving = save();
  await saving;
}

async function save() {
  const { generation, status } = run, content = contentOf(status);
  try {
    const hash = `#${await packScene(await call("scene", {}))}`;
    if (generation !== run.generation) return;
    kept = content;
    replaceAddress(hash);
    keepLink(status.scene, hash);
    setReopenChanged(async () => open((await readHash(hash)).request));
  } catch (error) {
    kept = content; // until the next change
    if (error.kind === "input" && !errorShown) showMessage(() => errorText(error), "error");
    errorShown = true;
  }
  saved = performance.now();
}

// ---- storage. In a browser that stores nothing, the address contains the changes, and answers last as long as the page.

const unstored = {};

/** @param {"localStorage" | "sessionStorage"} storage */
function stored(storage, key) {
  try {
    const value = JSON.parse(window[storage].getItem(key) ?? "{}");
    return value && typeof value === "object" ? value : {};
  } catch {
    return unstored[key] ?? {};
  }
}
/** @param {"localStorage" | "sessionStorage"} storage */
function store(storage, key, value) {
  try {
    window[storage].setItem(key, JSON.stringify(value));
  } catch {
    unstored[key] = value; // storage is full or switched off
  }
}

function keepLink(scene, hash) {
  const links = stored("sessionStorage", linksKey);
  if (hash.startsWith("#z=")) links[scene] = hash;
  else delete links[scene];
  store("sessionStorage", linksKey, links);
}
export function keptLink(scene) {
  const link = stored("sessionStorage", linksKey)[scene];
  return typeof link === "string" ? link : null;
}

// Adds a file of colours to the engine and to the lists of the page; throws RequestError. Returns the table.
export async function addColors(name, text) {
  const map = await call("add_colors", { name, text });
  run.catalog.colormaps = [map, ...run.catalog.colormaps.filter((other) => other.id !== map.id)];
  store("sessionStorage", colorsKey, { ...stored("sessionStorage", colorsKey), [name]: text });
  return map;
}
// A new engine does not have them. It answers in order, so that they are there before a run that shows them.
function giveColors() {
  for (const [name, text] of Object.entries(stored("sessionStorage", colorsKey))) addColors(name, text).catch(() => {});
}

// The scenes that opened as a lighter variant when they were last measured on this machine; the gallery marks them.
export function keepLightness({ scene, lightness }) {
  if (!lightness || lightness.is_chosen) return;
  const { [scene]: _, ...others } = stored("localStorage", lighterKey);
  store("localStorage", lighterKey, lightness.is_from_machine ? { ...others, [scene]: true } : others);
}
export const opensLighter = (scene) => stored("localStorage", lighterKey)[scene] === true;

// Deletes what was kept of a lesson at its beginning without answers. The server keeps the answers of a class.
export function keepLesson() {
  if (!run.lesson || run.remote) return;
  const { path, ...lesson } = run.lesson.kept, { [path]: _, ...others } = stored("localStorage", lessonsKey);
  const isBegun = lesson.index > 0 || lesson.answers.length > 0;
  store("localStorage", lessonsKey, isBegun ? { ...others, [path]: { ...lesson, student: run.student } } : others);
}
// {index, answers, student} of a lesson that was started; otherwise empty.
export function keptLesson(path) {
  if (run.remote) return {};
  const lesson = stored("localStorage", lessonsKey)[path];
  return Number.isInteger(lesson?.index) && Array.isArray(lesson?.answers) ? lesson : {};
}

// The run of the page: its tables, its last status from the engine, and the selected tool. Panels listen to its events.
// Every change of the run goes through this module, so that an error is always shown.
import { EngineClient, RequestError } from "./engine_client.js";
import { errorText, tr, setTranslator } from "./i18n.js";
import { LockstepEngine } from "./lockstep_engine.js";
import { RemoteEngine } from "./remote_engine.js";

class Run {
  catalog = null;
  simulation = null; // tables of the simulation
  status = null;
  diagnostics = null; // numbers, curves
  overlay = null; // objects and theory over the view, in its pixels
  threads = 1;
  playing = true;
  tool = "";
  brushes = {}; // changed by the user: by tool, by field
  opposite = false; // a finger does the action of the right button
  pointer = null; // pixel of the view at which the value is read
  selection = { object: 0, handle: 0 }; // ids of the selected object (0: none), and of the handle that arrow keys move
  instrument = { id: 0, point: 0 }; // the selected instrument (0: none), and its point that arrow keys move
  microscope = false; // it is on
  inspected = null; // pixel of the view that it shows; null: none
  lesson = null;
  student = ""; // name for the result sheet of the lesson
  curvesShown = false;
  generation = 0; // number of runs so far
  touched = false; // the user has changed this run
  fromFile = false; // the run started from a saved state, which holds no strokes
  homeCamera = null; // camera that shows the whole domain
  fewThreads = ""; // reason for a single thread: "host", "memory", "" (there are more, or the device has one)
  // Null: the page's own engine computes the run. Otherwise a server does, for many pages ("perturb serve", served.js):
  // {role, name, tools, parameters, stepsPerFrame}. `tools`, `parameters`: ids of those that pupils may use; null: the
  // usual ones.
  remote = null;
  // Of a class in which everybody has an own run (class_link.js): {role, call}, `call` to the server. Null: of none.
  classLink = null;
}
export const run = new Run();

const listeners = new Map();
// Events: "scene" (another run is open), "measured" (it was opened as large as this machine computes it), "status",
// "diagnostics", "tool", "playing", "lesson", "engine" (it is ready), "overlay" (what is drawn over the view),
// "selection" (of an object), "instrument" (another one is selected), "microscope", "sound", "left" (another page is
// shown). Of a served run: "remote" (role or permissions), "hello", "push", "connection" and "busy" (of
// RemoteEngine), "answers" (of the class, for the teacher).
export function on(event, listener) {
  if (!listeners.has(event)) listeners.set(event, []);
  listeners.get(event).push(listener);
}
export function off(event, listener) {
  listeners.set(event, (listeners.get(event) ?? []).filter((one) => one !== listener));
}
export function emit(event, detail) {
  for (const listener of listeners.get(event) ?? []) listener(detail);
}

/** @type {(text: any, kind: string) => void} */
let handleMessage = () => {};
export function setMessageHandler(handler) {
  handleMessage = handler;
}
export function showMessage(text, kind = "note") {
  handleMessage(text, kind);
}

const base = new URL(".", import.meta.url).href;
let client = null;
let isOpen = false; // a run is open in the engine
// Calls that work without an open run.
const withoutRun = new Set(["open", "lesson_open", "load_state", "translate", "catalog", "add_texts",
  "add_colors", "verify"]);
// Opens the last run again in a restarted engine: as it was first opened, and with what has been changed since.
let reopen = null, reopenChanged = null;

// The engine of the page, or, where the run is served, the connection to the server.
export async function startEngine(onDeath, onLoading = () => {}) {
  if (run.remote) return connect(onLoading);
  client = new EngineClient(base, (message) => {
    renewing = null; // a worker that dies during its start needs another one
    onDeath(message);
  });
  client.onLoading = onLoading;
  client.onOpening = (share) => emit("opening", share);
  const loaded = await client.start();
  run.catalog = loaded.catalog;
  takeThreads(loaded);
  setTranslator(translate);
  emit("engine");
}

async function connect(onLoading) {
  const link = (client = new RemoteEngine());
  client.onPush = (push) => emit("push", push);
  client.onConnection = (state) => emit("connection", state);
  client.onBusy = (isBusy) => emit("busy", isBusy);
  document.addEventListener("visibilitychange", () => client.hide(document.hidden));
  window.addEventListener("online", () => client.connectNow());
  window.addEventListener("pagehide", () => client.leave());
  const hello = await client.start();
  if (hello.lockstep) {
    // (At once: the run's entries follow the answer.)
    client = new LockstepEngine(link, base, () => document.getElementById("view"));
    await client.start(hello, onLoading);
  }
  run.catalog = hello.catalog;
  run.threads = hello.threads;
  // (No translator: the texts come from the language's file, also while the connection is lost.)
  emit("engine");
  emit("hello", hello);
}

const translate = async (language, texts) => (await client.call("translate", { language, texts })).texts;

function takeThreads({ threads }) {
  run.threads = threads;
  const several = navigator.hardwareConcurrency > 1;
  run.fewThreads = threads > 1 || !several ? "" : client.threadsFailed ? "memory" : "host";
}

// Starts a new worker in place of one that died or was cancelled; no run is open in it.
let renewing = null;
function renew() {
  if (renewing) return renewing;
  const own = startWorker().finally(() => {
    if (renewing === own) renewing = null;
  });
  return (renewing = own);
}
async function startWorker() {
  isOpen = false;
  client.stop();
  takeThreads(await client.start());
  setTranslator(translate);
  emit("engine");
}

// The same, and reopens the last run from its start, after a crash with the changes that were made to it. Returns how it
// was opened: "as first", "changed" or, where it is not, "".
export async function startAgain(withChanges = false) {
  const first = reopen, changed = withChanges ? reopenChanged : null;
  try {
    await renew();
    await (changed ?? first)?.();
    if (changed) [reopen, reopenChanged] = [first, changed];
    return changed ? "changed" : "as first";
  } catch (error) {
    if (error.kind === "input" || error.kind === "error")
      showMessage(() => errorText(error), client.isRunning ? "error" : "lasting");
    return "";
  }
}

// Opening another run cancels a slow step: its worker is terminated. `atOnce`: also one that is not slow yet. A worker
// that could not be started is tried again.
const slowCallSeconds = 1.5; // seconds
export async function cancelLongStep({ atOnce = false } = {}) {
  if (run.remote) return; // the step is everybody's
  if (client.busyFor > (atOnce ? 0 : slowCallSeconds) || !client.isRunning) await renew();
}

export const stepTakesLong = () => client.busyFor > slowCallSeconds;
export const engineIsSilent = () => client?.silent ?? false;

// Whether the engine holds the run of the page: a new engine does not until a run is opened.
export const runIsOpen = () => isOpen;

// Throws RequestError. `spent`: the buffers of an image, for reuse. Calls for the previous run during a change of runs
// are rejected like its pending calls; no message is needed.
export function call(name, request, transfer, spent) {
  if (!isOpen && !withoutRun.has(name))
    return Promise.reject(new RequestError(() => tr("The engine was restarted."), "stopped"));
  return client.call(name, request, transfer, spent);
}

// Shows why a call failed. Not where the engine was restarted or died: the page shows that once, and the calls that
// waited for an answer need no message of their own. Every caller of call() catches, or rejections stay unhandled.
export function showRefusal(error) {
  if (error.kind !== "stopped" && error.kind !== "fatal") showMessage(() => errorText(error), "error");
}

// The same for an action of the user: an error is shown, and the result is null.
export async function runAction(name, request) {
  try {
    const answer = await call(name, request);
    const status = answer?.status ?? (answer?.parameters && answer?.gauges ? answer : null);
    if (status) takeStatus(status);
    if (status?.note) showMessage(() => tr(status.note));
    return answer;
  } catch (error) {
    showRefusal(error);
    if (run.status) emit("status"); // the controls show the values in force
    return null;
  }
}

export function takeStatus(status) {
  // The teacher has opened another scene.
  if (run.remote && (status.scene !== run.status?.scene || status.simulation !== run.status.simulation))
    return takeRun(status);
  run.status = status;
  emit("status");
}

// Opens a scene. Throws RequestError and then keeps the previous run.
export async function open(request) {
  await cancelLongStep();
  const status = await call("open", request);
  endLesson(); // the engine has just closed the lesson
  takeRun(status, { camera: request.view?.camera });
  if (request.lighter && !run.remote) emit("measured");
  setReopen(() => open(request));
}

export function endLesson() {
  if (!run.lesson) return;
  run.lesson = null;
  emit("lesson");
}

// What the server of a shared run says about the lesson of the class; null: none is open.
export function takeLesson(lesson) {
  if (!lesson) return endLesson();
  run.lesson = lesson;
  emit("lesson");
}
// Whether this page leads a class in which everybody has an own run (class_link.js).
export const leadsClass = () => run.classLink?.role === "teacher";
// Whether the open lesson is one for the class, in a shared run, and whether the results of its step are still hidden.
export const inClass = () => Boolean(run.lesson?.class);
export const resultsAreHidden = () => run.lesson?.class?.shown === false;

export function setReopen(asFirst, changed = null) {
  reopen = asFirst;
  reopenChanged = changed;
}
export function setReopenChanged(changed) {
  reopenChanged = changed;
}

// Updates the page after any change of the run. `camera`: given in addition to the scene by a link or a file.
export function takeRun(status, { camera = null, fromFile = false } = {}) {
  const before = run.simulation?.id;
  isOpen = true;
  run.status = status;
  run.diagnostics = null;
  run.overlay = null;
  run.generation += 1;
  run.touched = false;
  run.fromFile = fromFile;
  const { yaw = 0, pitch = 0 } = status.view.camera;
  // A given view may show a part of the domain; the home camera shows the whole domain from the same direction.
  run.homeCamera = camera ? { center: [0.5, 0.5], zoom: 1, yaw, pitch } : status.view.camera;
  run.simulation = run.catalog.simulations.find((one) => one.id === status.simulation);
  if (before !== status.simulation || !run.simulation.tools.some((one) => one.id === run.tool))
    run.tool = run.simulation.tools[0]?.id ?? "";
  emit("scene");
  emit("status");
}

// The settings of a tool. Those that the user has not changed follow the run's parameters where the field names one.
export function brushOf(id) {
  const fields = run.simulation?.tools.find((one) => one.id === id)?.brush ?? [];
  const changed = run.brushes[`${run.simulation?.id}/${id}`];
  return Object.fromEntries(fields.map((field) => [field.id, changed?.[field.id] ?? brushDefault(field)]));
}
export function brushDefault(field) {
  const value = run.status.parameters[field.as_parameter] ?? field.default;
  return field.minimum === undefined ? value : Math.min(field.maximum, Math.max(field.minimum, value));
}
export function setBrush(id, field, value) {
  const changed = (run.brushes[`${run.simulation.id}/${id}`] ??= {});
  const record = run.simulation.tools.find((one) => one.id === id).brush.find((one) => one.id === field);
  // (Reset, it follows the scene's parameter again.)
  if (value === brushDefault(record)) delete changed[field];
  else changed[field] = value;
  emit("brush");
}
export const quantityShown = () =>
  run.simulation.quantities.find((one) => one.id === run.status.view.quantity) ?? run.simulation.quantities[0];

export function setTool(id) {
  if (!run.simulation.tools.some((one) => one.id === id) || !toolIsOpen(id)) return;
  run.tool = id;
  emit("tool");
}
// A lesson's step may limit tools and parameters, and so may the teacher of a served run.
const isListed = (list, id) => !list || list.includes(id);
const takesPart = () => run.remote?.role === "pupil" && !run.remote.locked;
export const onlyWatches = () => run.remote?.role === "spectator";
// Whether this page decides about the run: about time, scene, view and what is undone. In a served run the teacher does.
export const controlsRun = () => !run.remote || run.remote.role === "teacher";
export const toolIsOfStep = (id) => isListed(run.lesson?.step.tools, id);
export const toolIsOpen = (id) => toolIsOfStep(id) && (controlsRun() || (takesPart() && isListed(run.remote.tools, id)));
// "objects" in the list of tools allows changes of the scene's objects.
export const objectsAreOpen = () => toolIsOpen("objects");
export const parameterIsOpen = (id) => isListed(run.lesson?.step.unlocked, id) &&
  (controlsRun() || (takesPart() && (run.remote.parameters ?? usualParameters()).includes(id)));
// Those that pupils may change where the teacher has not chosen: not those that restart everybody's run.
export const usualParameters = () =>
  run.simulation.parameters.filter((one) => one.apply !== "restart").map((one) => one.id);

// Why a control is off in a served run; empty: it is not.
export const whyTeacherOnly = () => (controlsRun() ? "" : tr("Only the teacher can do this in a shared run."));
export const whyWatching = () => tr("You only watch this run. Join with your name to take part.");
const whyLocked = (unlocked) =>
  (unlocked || controlsRun() ? "" : onlyWatches() ? whyWatching()
    : run.remote?.locked ? tr("The teacher has locked the run for you. You can still watch and answer.")
    : tr("The teacher has locked this."));
export const whyToolIsClosed = (id) => whyLocked(toolIsOpen(id));
export const whyParameterIsClosed = (id) => whyLocked(parameterIsOpen(id));

export function setPlaying(playing) {
  if (run.remote) return askToPlay(playing);
  run.playing = playing && !run.status?.stop_reason;
  emit("playing");
}

// Asks the server; it tells every page (takePlaying).
function askToPlay(playing) {
  if (!controlsRun() || playing === run.playing) return;
  takePlaying(playing);
  runAction("playback", { playing });
}
export function takePlaying(playing) {
  run.playing = playing;
  emit("playing");
}

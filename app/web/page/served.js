// The page in a served run ("perturb serve"): what the server sends beside pictures and numbers, the line that reports
// the connection, and controls that only the teacher has.
import { make } from "./dom.js";
import { bindText, retranslate, tr } from "./i18n.js";
import { pace } from "./pace.js";
import { controlsRun, emit, on, run, showMessage, showRefusal, takeLesson, takePlaying, takeStatus, toolIsOpen, whyTeacherOnly }
  from "./run.js";

// The join page leads to this address. It is read once, when the page starts; afterwards the teacher's page has others
// for a moment, to open a scene.
export const servedHash = "#served", servedGallery = "#served=scenes";
export const isServed = (hash) => hash === servedHash || hash === servedGallery;

// Until the server says who this is, the page only watches.
export function startServed() {
  run.remote = { role: "spectator", name: "", tools: null, parameters: null, locked: false, stepsPerFrame: 0 };
  document.documentElement.classList.add("served");
  on("hello", takeHello);
  on("push", takePush);
  on("connection", ({ hello }) => {
    if (!hello) return;
    // Another program has taken the server's place: this page may not understand it.
    if (hello.catalog?.version !== run.catalog.version) return location.reload();
    takeHello(hello);
  });
}

function takePace({ playing, steps_per_frame: stepsPerFrame }) {
  if (stepsPerFrame > 0 && stepsPerFrame !== run.remote.stepsPerFrame) {
    run.remote.stepsPerFrame = stepsPerFrame;
    pace.setStepsPerFrame(stepsPerFrame);
  }
  if (typeof playing === "boolean") takePlaying(playing);
}

function takeAllowed({ tools, parameters, locked = false }) {
  if (tools !== undefined) run.remote.tools = tools;
  if (parameters !== undefined) run.remote.parameters = parameters;
  run.remote.locked = locked; // for this pupil
  announce();
}

function takeHello(hello) {
  const { role, name, status, playing, speed, lesson } = hello;
  Object.assign(run.remote, { role, name });
  pace.limits = (hello.catalog ?? run.catalog).pace; // (The event "engine" comes later.)
  if (role === "pupil") run.student ||= name; // for the result sheet of a lesson
  if (status) takeStatus(status);
  takePace({ playing, ...speed });
  takeLesson(lesson);
  takeAllowed(hello.allowed ?? {});
}

// After a change of the role or of what pupils may use.
function announce() {
  if (run.status && !toolIsOpen(run.tool)) {
    const open = run.simulation.tools.find((one) => toolIsOpen(one.id));
    if (open) {
      run.tool = open.id;
      emit("tool");
    }
  }
  emit("remote");
  if (run.status) emit("status"); // the controls show what is open
  retranslate(); // and their titles why it is not
}

function takePush(push) {
  if (push.push === "playing") takePace(push);
  else if (push.push === "allowed") takeAllowed(push);
  else if (push.push === "people") emit("people", push);
  else if (push.push === "mark") emit("mark", push);
  else if (push.push === "status") takeStatus(push.status);
  else if (push.push === "waits") emit("waits", push.waits);
  else if (push.push === "note" && push.error) showRefusal(push.error);
  else if (push.push === "note") showMessage(push.text, "lasting");
  else if (push.push === "lesson") takeLesson(push.lesson);
  else if (push.push === "answers") emit("answers", push);
  else if (push.push === "end") {
    const text = () => tr(push.message) || tr("This shared run has ended.");
    emit("ended", text);
    showMessage(text, "lasting");
  }
}

// A list of what pupils may use with `id` added or removed. `all`: what the list may have; `usual`: what is allowed
// without a list, which null means.
export function withAllowed(list, id, isAllowed, all, usual = all) {
  const now = all.filter((one) => (one === id ? isAllowed : (list ?? usual).includes(one)));
  return now.length === usual.length && usual.every((one) => now.includes(one)) ? null : now;
}

// ---- controls that are off in a served run, or on for the teacher only

// The control as it is; in a served run it is off where `why` returns a reason, and its title says it.
export function limited(node, why) {
  if (!run.remote) return node;
  const title = node.boundTexts.get("title");
  bindText(node, () => why() || title(), "title");
  on("remote", () => (node.disabled = Boolean(why())));
  return node;
}

// These nodes as they are; in a served run in a group that is off for everybody else, and whose title says why.
export function forTeacher(...nodes) {
  if (!run.remote) return nodes;
  const group = make("fieldset", { class: "for-teacher", title: whyTeacherOnly }, nodes);
  const show = () => (group.disabled = !controlsRun());
  show();
  on("remote", show);
  return [group];
}

// ---- the connection

const fewAttempts = 4;

// A line over the view while the connection is lost or the server is busy, and after the end.
export function connectionLine() {
  const line = make("p", { class: "connection", role: "status", hidden: true });
  let sayText = null;
  const show = (text) => {
    sayText = text;
    line.hidden = !text;
    line.textContent = text ? text() : "";
  };
  document.addEventListener("retranslated", () => show(sayText));
  on("connection", ({ isLost, attempts, reason }) => {
    if (!isLost) return show(null);
    if (reason) return show(() => `${tr(reason)} ${tr("Connecting again ...")}`);
    show(attempts < fewAttempts ? () => tr("The connection is lost. Connecting again ...")
      : () => tr("The connection is lost. Trying again until the shared run answers. Check your network."));
  });
  // In lockstep the teacher's page is the one that the others follow.
  on("waits", (waits) => show(waits ? () => tr("The teacher's page is not there. The run waits for it.") : null));
  on("busy", (isBusy) => show(isBusy
    ? () => tr("The shared run is busy with a long step. What you have done follows after it.") : null));
  on("ended", show);
  return line;
}

// The view has the shape of the server's pictures, so that positions in it agree: the rest of the stage is its border.
export function keepShape(stage) {
  let shape = 0, shown = "";
  const show = () => {
    if (!shape || !stage.offsetWidth || !stage.offsetHeight) return;
    const width = Math.min(stage.offsetWidth, stage.offsetHeight * shape), height = width / shape;
    const widths = `${Math.max(0, Math.floor((stage.offsetHeight - height) / 2))}px ` +
      `${Math.max(0, Math.floor((stage.offsetWidth - width) / 2))}px`;
    if (widths === shown) return;
    shown = widths;
    stage.style.borderWidth = widths;
  };
  new ResizeObserver(show).observe(stage, { box: "border-box" });
  const take = ({ width, height } = { width: 0, height: 0 }) => {
    if (!(width > 0 && height > 0)) return;
    shape = width / height;
    stage.style.setProperty("--most", `${100 / shape}vw`); // of its height, where it is as wide as the page
    show();
  };
  on("hello", ({ picture }) => take(picture));
  on("picture", take);
}

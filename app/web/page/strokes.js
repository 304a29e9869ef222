// Queue of gestures to the engine: they are sent in order. Moves that wait for a step are merged, because a move
// contains its previous position.
import { refreshDiagnostics, showAgain } from "./frames.js";
import { brushOf, call, controlsRun, emit, run, runAction, takeStatus, showMessage, toolIsOpen, whyToolIsClosed,
  whyTeacherOnly } from "./run.js";
import { errorText, tr } from "./i18n.js";
import { grouped } from "./numbers.js";
import { selectCreated } from "./objects.js";

const waiting = [];
let busy = false;
let made = 0; // actions of the current stroke

export function gesture(event) {
  if (!toolIsOpen(event.tool ?? run.tool)) {
    // Once per press: no message for the other events of the stroke.
    if (event.phase === "press") showMessage(() => whyToolIsClosed(event.tool ?? run.tool) ||
      tr("This tool is not available in this step of the lesson. Continue with the next step."));
    return;
  }
  const last = waiting.at(-1);
  if (event.phase === "move" && last?.phase === "move" && last.tool === event.tool) {
    last.x = event.x;
    last.y = event.y;
  } else {
    waiting.push({ tool: run.tool, button: "left", shift: false, control: false, ...event,
      brush: brushOf(event.tool ?? run.tool) });
  }
  if (!busy) work();
}

// The current stroke was the start of a two-finger gesture: ends it and undoes its effect.
export function takeStrokeBack(event) {
  if (!toolIsOpen(run.tool)) return; // its press was rejected
  gesture({ ...event, phase: "release" });
  // (In a served run the last step may be another user's.)
  if (!run.remote) waiting.push({ undo: true });
  if (!busy) work();
}

// The same for a drag of an object that has changed it.
export const takeBack = () => (run.remote ? null : runAction("undo", {}).then(refreshDiagnostics));

async function work() {
  busy = true;
  while (waiting.length) {
    const next = waiting.shift();
    try {
      if (next.undo) {
        if (made) takeStatus((await call("undo", {})).status ?? run.status);
        made = 0;
        refreshDiagnostics();
        continue;
      }
      if (next.phase === "press") made = 0;
      const answer = await call("gesture", next);
      made += answer.actions?.length ?? 0;
      if (answer.actions?.length) {
        run.touched = true;
        emit("poked", next);
        // Reversed velocities look like the ones before.
        const tool = run.simulation.tools.find((one) => one.id === next.tool);
        if (tool?.immediate) showMessage(() => tr("{}: done at step {}", tr(tool.label), grouped(answer.status.steps)));
      }
      const before = run.status.objects;
      if (answer.status) takeStatus(answer.status);
      selectCreated(before);
      if (answer.status?.note) showMessage(() => tr(answer.status.note));
    } catch (error) {
      waiting.length = 0;
      if (error.kind === "input" || error.kind === "error") showMessage(() => errorText(error), "error");
    }
    showAgain();
  }
  busy = false;
}

// The camera follows the pointer; pending moves of the same kind are merged, too.
let camera = null, moving = false;
const kindOf = (change) => ["to", "factor", "turn"].filter((key) => change[key] !== undefined).join();
export async function moveCamera(change) {
  if (!controlsRun()) return showMessage(whyTeacherOnly);
  if (camera && kindOf(camera) !== kindOf(change)) return;
  if (camera) {
    camera.to = change.to;
    if (change.factor) camera.factor *= change.factor;
    if (change.turn) camera.turn = camera.turn.map((angle, i) => angle + change.turn[i]);
  } else {
    camera = { ...change };
  }
  if (moving) return;
  moving = true;
  while (camera) {
    const next = camera;
    camera = null;
    try {
      takeStatus(await call("camera", next));
    } catch {
      // the death of the worker is reported elsewhere
    }
    showAgain();
  }
  moving = false;
}

const turnPerPress = Math.PI / 24; // of a key or a button

// Turns the view one step. `right`, `up`: -1, 0 or 1, the direction in which the view moves.
export const turnView = (right, up) => moveCamera({ turn: [right * turnPerPress, up * turnPerPress] });

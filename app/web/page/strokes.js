// Gestures on their way to the engine: one after the other, and moves that wait for a step are joined, for a move says
// where it came from.
import { showAgain } from "./frames.js";
import { brushOf, call, emit, inLabels, run, takeFacts, tellNote, toolIsOpen } from "./run.js";
import { say } from "./say.js";

const waiting = [];
let busy = false;

export function gesture(event) {
  if (!toolIsOpen(event.tool ?? run.tool)) {
    // Once a press: what else belongs to it goes unsaid.
    if (event.phase === "press") tellNote(() =>
      say("This step of the lesson leaves this tool out: read on, and go on to the next step."));
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

async function work() {
  busy = true;
  while (waiting.length) {
    const next = waiting.shift();
    try {
      const answer = await call("gesture", next);
      if (answer.actions?.length) {
        run.touched = true;
        emit("poked", next);
      }
      if (answer.facts) takeFacts(answer.facts);
      if (answer.facts?.note) tellNote(() => inLabels(answer.facts.note));
    } catch (error) {
      waiting.length = 0;
      if (error.kind === "input" || error.kind === "error") tellNote(() => inLabels(error.message), "error");
    }
    showAgain();
  }
  busy = false;
}

// The camera follows the hand; ways that wait are joined too.
let camera = null, moving = false;
export async function moveCamera(change) {
  if (camera && !change.factor && !camera.factor && !change.turn && !camera.turn) camera.to = change.to;
  else if (camera?.turn && change.turn) camera.turn = camera.turn.map((angle, i) => angle + change.turn[i]);
  else if (camera?.factor && change.factor) Object.assign(camera,
    { factor: camera.factor * change.factor, to: change.to });
  else if (camera) return;
  else camera = change;
  if (moving) return;
  moving = true;
  while (camera) {
    const next = camera;
    camera = null;
    try {
      takeFacts(await call("camera", next));
    } catch {
      // the worker's death is told elsewhere
    }
    showAgain();
  }
  moving = false;
}

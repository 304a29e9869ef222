// The frame loop: each frame asks the worker for the steps that are due, an image and, a few times per second, the
// numbers. A served run sends them by itself: each frame takes what has arrived.
import { FieldCanvas } from "./field_canvas.js";
import { errorText, tr } from "./i18n.js";
import { pace } from "./pace.js";
import { call, emit, engineIsSilent, on, run, runAction, setPlaying, showMessage, takeStatus } from "./run.js";
import { settings } from "./settings.js";

const frame = 1 / 60; // seconds
const diagnosticsInterval = 0.2, curvesInterval = 0.3; // seconds
const maxPixels = 2.1e6; // of a painted image; the browser enlarges it on a larger screen

let canvas = null, context = null, fieldCanvas = null;
let pending = false, missed = false, oneStep = 0, stale = true;
let last = 0, lastDiagnostics = 0, sharpness = 1, painting = 0, spent;
let silent = false;

export function startFrames(target) {
  canvas = target;
  context = canvas.getContext("2d", { alpha: false });
  new ResizeObserver(() => showAgain()).observe(canvas);
  document.addEventListener("visibilitychange", () => {
    last = performance.now();
    showAgain();
  });
  on("engine", () => (pace.limits = run.catalog.pace));
  on("playing", () => run.playing && pace.begin());
  requestAnimationFrame(tick);
}

// Repaints the view although no step was taken.
export function showAgain() {
  stale = true;
}
export function takeOneStep() {
  if (run.remote) runAction("playback", { one_step: true });
  else oneStep += 1;
}
// Reads the numbers again with the next frame.
export function refreshDiagnostics() {
  lastDiagnostics = 0;
  stale = true;
}

// Size at which the view is painted now. With 1 and Infinity: its size on the screen, pixel by pixel, however long that
// takes.
export function imageSize(sharp = sharpness, most = maxPixels) {
  const box = canvas.getBoundingClientRect(), wanted = Math.max(1, window.devicePixelRatio || 1) * sharp;
  const fits = Math.min(wanted, Math.sqrt(most / Math.max(1, box.width * box.height)));
  return { width: Math.max(16, Math.round(box.width * fits)), height: Math.max(16, Math.round(box.height * fits)) };
}

// The view as {image, width, height}, of this size. In a served run as it is shown.
export async function viewImage(size) {
  if (!run.remote) return call("image", size);
  const { width, height } = canvas;
  return { image: context.getImageData(0, 0, width, height).data.buffer, width, height };
}

function tick(now) {
  requestAnimationFrame(tick);
  if (engineIsSilent() !== silent) {
    silent = !silent;
    emit("silence", silent);
  }
  if (!run.status || document.hidden) return;
  if (run.playing && !run.remote) pace.elapse((now - last) / 1000);
  last = now;
  if (pending) missed = true;
  else send();
}

// If painting takes most of a frame, the images of a running scene are coarser; a paused one is sharp.
function chooseSharpness() {
  if (!run.playing) sharpness = 1;
  else if (painting > 0.016 && sharpness > 0.55) sharpness *= 0.9;
  else if (painting < 0.008 && sharpness < 1) sharpness = Math.min(1, sharpness * 1.05);
}

async function send() {
  const steps = oneStep > 0 ? oneStep : run.playing && !run.remote ? pace.take() : 0;
  const single = oneStep > 0;
  oneStep = 0;
  const now = performance.now();
  const wantsDiagnostics = now - lastDiagnostics > 1000 * (run.curvesShown ? curvesInterval : diagnosticsInterval) &&
    (steps > 0 || run.remote || stale || run.pointer?.moved || lastDiagnostics === 0);
  if (!steps && !stale && !wantsDiagnostics && !run.remote) return;
  chooseSharpness();
  /** @type {any} */
  const request = { steps, milliseconds: single ? 1e4 : Math.max(5, 1000 * (frame - 0.002 - painting)),
    ...imageSize(), field_side: fieldCanvas?.mostSide ?? 0 };
  if (wantsDiagnostics) {
    lastDiagnostics = now;
    request.diagnostics = { curves: run.curvesShown, scene_units: settings.sceneUnits };
    if (run.pointer) {
      const { x, y, width, height } = run.pointer;
      request.diagnostics.pixel = { x, y, width, height };
      run.pointer.moved = false;
    }
    request.status = true;
  }
  // Objects and theory are where they were, unless something has changed.
  if (stale || wantsDiagnostics || run.remote)
    request.overlay = { width: canvas.clientWidth, height: canvas.clientHeight, selected: run.selection.object,
      scene_units: settings.sceneUnits, ...(run.inspected && { inspect: run.inspected }),
      // A server sends the numbers that all see; the value under this pointer comes with the marks.
      ...(run.remote && run.pointer && { value_at: [run.pointer.x, run.pointer.y] }) };
  pending = true;
  missed = stale = false;
  const generation = run.generation, returned = spent;
  spent = undefined;
  let answer = null;
  try {
    answer = await call("frame", request, [], returned);
    if (run.generation === generation) take(answer, request);
  } catch (error) {
    // Shows why the view no longer changes. The death of a worker is reported elsewhere.
    if (error.kind === "input" || error.kind === "error") {
      setPlaying(false);
      showMessage(() => errorText(error), "error");
    }
  }
  pending = false;
  if (missed && run.playing && !run.remote && !document.hidden) {
    pace.elapse((performance.now() - last) / 1000);
    last = performance.now();
    send();
  }
  // The engine already computes the next frame.
  if (answer) show(answer);
}

function take(answer, { steps: asked, overlay: size }) {
  if (asked || answer.steps || answer.picture) pace.took(answer.steps);
  pace.count();
  if (answer.diagnostics) {
    if (run.diagnostics && answer.diagnostics.step > run.diagnostics.step)
      pace.timePerStep = (answer.diagnostics.time - run.diagnostics.time) /
        (answer.diagnostics.step - run.diagnostics.step);
    run.diagnostics = answer.diagnostics;
  }
  if (answer.status) {
    const stops = answer.status.stop_reason && !run.status.stop_reason;
    const completes = tr(answer.status.completion) && !tr(run.status.completion);
    takeStatus(answer.status);
    const { note } = answer.status;
    if (note) showMessage(() => tr(note));
    if (stops) emit("stopped");
    if (completes && run.playing) {
      setPlaying(false);
      showMessage(() => tr(run.status.completion));
    }
  }
  if (answer.overlay) {
    run.overlay = { width: size.width, height: size.height, ...answer.overlay };
    emit("overlay");
  }
  if (answer.diagnostics) emit("diagnostics");
}

// A picture of a served run.
function showPicture(picture) {
  const { source, width, height } = picture;
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
    emit("picture", { width, height });
  }
  context.drawImage(source, 0, 0, width, height);
  picture.close();
  emit("painted");
}

function show({ image, field, width, height, picture, painting: seconds }) {
  if (picture) return showPicture(picture);
  if (!image && !field) return;
  spent = field ? Object.values(field.lists) : [image];
  const drawn = field && fieldCanvas.draw(field, width, height);
  if (field && !drawn) return showAgain(); // the GPU has gone: the engine paints
  painting += 0.3 * (seconds - painting);
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  if (drawn) context.drawImage(drawn, 0, 0);
  else context.putImageData(new ImageData(new Uint8ClampedArray(image), width, height), 0, 0);
  emit("painted");
  // The first image does not wait for it.
  fieldCanvas ??= new FieldCanvas();
}

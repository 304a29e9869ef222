// The picture under the hand: mouse, pen, fingers and keys become gestures of the tool, or move the view. One finger
// pokes, two move and enlarge.
import { showAgain } from "./frames.js";
import { brushOf, emit, on, run } from "./run.js";
import { gesture, moveCamera } from "./strokes.js";

const radiansPerPixel = 0.008, zoomPerNotch = 1.15;
const fingerWaits = 90; // milliseconds in which a second finger makes a view of it

let canvas, ring;
const fingers = new Map(); // pointerId -> {x, y}
let doing = ""; // "", "poke", "line", "pan", "turn", "pinch", "wait"
let held = { id: 0, button: "left" };
let start = null, last = null, timer = 0;
let space = false, spaceUsed = false, control = false;

export const spaceWasTapped = () => {
  const tapped = space && !spaceUsed;
  space = spaceUsed = false;
  return tapped;
};
export const pressSpace = () => (space = true);

export function startStage(target, brushRing) {
  canvas = target;
  ring = brushRing;
  canvas.addEventListener("pointerdown", down);
  canvas.addEventListener("pointermove", move);
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", (event) => up(event));
  canvas.addEventListener("pointerleave", leave);
  canvas.addEventListener("wheel", wheel, { passive: false });
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  window.addEventListener("keydown", (event) => event.key === "Control" && (control = true));
  window.addEventListener("keyup", (event) => event.key === "Control" && (control = false));
  window.addEventListener("blur", () => (control = space = false));
  on("tool", () => (ring.hidden = true));
}

export const sizeOfPicture = () => ({ width: canvas.clientWidth, height: canvas.clientHeight });
const pointOf = (event) => {
  const box = canvas.getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
};
// A middle drag turns what has depth.
const turns = () => run.facts?.can_be_turned ?? false;

function poke(phase, point, event, button = held.button) {
  gesture({ phase, button, ...point, ...sizeOfPicture(), shift: event.shiftKey, control: event.ctrlKey || event.metaKey,
    start: start && [start.x, start.y], previous: last && [last.x, last.y] });
}

function begin(event, point) {
  canvas.setPointerCapture?.(event.pointerId);
  start = last = point;
  const opposite = event.button === 2 || (run.opposite && event.pointerType !== "mouse");
  held = { id: event.pointerId, button: opposite ? "right" : "left" };
}

function down(event) {
  canvas.focus({ preventScroll: true });
  emit("hand");
  const point = pointOf(event);
  fingers.set(event.pointerId, point);
  if (event.pointerType === "touch" && fingers.size === 2) {
    if (doing === "poke") poke("release", last, event);
    clearTimeout(timer);
    doing = "pinch";
    last = between();
    return;
  }
  if (doing) return; // a second button during a drag means nothing
  begin(event, point);
  if (event.button === 1 || (event.button === 0 && space)) {
    event.preventDefault();
    spaceUsed = true;
    doing = turns() && !event.shiftKey ? "turn" : "pan";
  } else if (event.pointerType === "touch") {
    doing = "wait";
    timer = setTimeout(() => doing === "wait" && press(event, point), fingerWaits);
  } else if (event.button === 0 || event.button === 2) {
    press(event, point);
  }
}

function press(event, point) {
  doing = event.shiftKey ? "line" : "poke";
  poke("press", point, event);
}

// Middle and distance of two fingers.
function between() {
  const [a, b] = [...fingers.values()];
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, apart: Math.hypot(a.x - b.x, a.y - b.y) };
}

function move(event) {
  const point = pointOf(event);
  if (fingers.has(event.pointerId)) fingers.set(event.pointerId, point);
  run.pointer = { ...point, ...sizeOfPicture(), moved: true };
  if (event.pointerType !== "touch") showRing(point);
  if (doing === "pinch" && fingers.size >= 2) {
    const now = between();
    moveCamera({ from: [last.x, last.y], to: [now.x, now.y], factor: now.apart / Math.max(1, last.apart),
      ...sizeOfPicture() });
    last = now;
    return;
  }
  if (event.pointerId !== held.id || !doing) return;
  if (doing === "wait") {
    if (Math.hypot(point.x - start.x, point.y - start.y) < 8) return;
    clearTimeout(timer);
    press(event, start);
  }
  if (doing === "poke") {
    poke("move", point, event);
  } else if (doing === "pan") {
    moveCamera({ from: [last.x, last.y], to: [point.x, point.y], ...sizeOfPicture() });
  } else if (doing === "turn") {
    moveCamera({ turn: [(last.x - point.x) * radiansPerPixel, (point.y - last.y) * radiansPerPixel] });
  }
  if (doing !== "line") last = point;
}

function up(event) {
  const point = pointOf(event);
  fingers.delete(event.pointerId);
  if (doing === "pinch") {
    if (fingers.size === 0) doing = "";
    return;
  }
  if (event.pointerId !== held.id) return;
  if (doing === "wait") {
    clearTimeout(timer);
    press(event, start);
  }
  if (doing === "line" && Math.hypot(point.x - start.x, point.y - start.y) > 0) poke("move", point, event);
  if (doing === "poke" || doing === "line") poke("release", point, event);
  doing = "";
}

function leave() {
  ring.hidden = true;
  run.pointer = null;
}

// The brush as a circle, where it has a radius and the picture is flat.
function showRing(point) {
  const radius = brushOf(run.tool).radius;
  if (!radius || turns() || !run.facts) {
    ring.hidden = true;
    return;
  }
  const { width, height } = sizeOfPicture();
  const [across, along] = run.facts.domain;
  const pixels = radius / (Math.max(across / width, along / height) / run.facts.view.camera.zoom);
  ring.hidden = pixels < 3;
  ring.style.transform = `translate(${point.x - pixels}px, ${point.y - pixels}px)`;
  ring.style.width = ring.style.height = `${2 * pixels}px`;
}

function wheel(event) {
  event.preventDefault();
  const notches = -event.deltaY / (event.deltaMode === 1 ? 3 : event.deltaMode === 2 ? 1 : 100);
  const point = pointOf(event);
  const tool = run.simulation?.tools.find((one) => one.id === run.tool);
  // Fingers that pinch on a touchpad come as a wheel with Ctrl that nobody presses.
  if (control && event.ctrlKey) {
    const field = tool?.brush.find((one) => one.id === "radius");
    if (tool?.wheel) gesture({ phase: "scroll", scroll: notches, ...point, ...sizeOfPicture(), control: true });
    else if (field) {
      const brush = brushOf(tool.id);
      brush.radius = Math.min(field.maximum, Math.max(field.minimum, brush.radius * zoomPerNotch ** notches));
      emit("brush");
      showRing(point);
    }
    return;
  }
  const factor = event.ctrlKey ? Math.exp(-event.deltaY / 100) : zoomPerNotch ** notches;
  moveCamera({ from: [point.x, point.y], to: [point.x, point.y], factor, ...sizeOfPicture() });
  showAgain();
}

// Two moments of one deed without a hand: the crosshair's.
export function pokeAt(phase, point, event, button = "left", tool = undefined) {
  gesture({ phase, button, ...point, ...sizeOfPicture(), shift: false, control: event.ctrlKey && phase === "move",
    ...(tool ? { tool } : {}) });
}

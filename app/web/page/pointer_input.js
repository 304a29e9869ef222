// Pointer input on the view: mouse, pen, touch and keys become gestures of the tool, drag objects or move the view. One
// finger uses the tool; two fingers pan and zoom, or rotate 3-D views. In an embedded page, the wheel and a swipe
// scroll the outer page, as on maps. Ctrl and the wheel, two fingers, or one finger after a long press act on this page.
import { showAgain } from "./frames.js";
import { clickInstrument, instrumentAt, startInstrumentDrag } from "./instruments.js";
import { handleAt, startDrag } from "./objects.js";
import { brushOf, emit, objectsAreOpen, on, run, setBrush, setTool, toolIsOpen } from "./run.js";
import { gesture, moveCamera, takeBack, takeStrokeBack } from "./strokes.js";

const radiansPerPixel = 0.008, zoomPerNotch = 1.15;
// Milliseconds. `longPress`: a finger that rests this long uses the tool without moving or lifting. `secondFingerTime`:
// a second finger within this time undoes the effect of the first.
const longPress = 180, secondFingerTime = 700;
const swipe = 8; // pixels after which a finger counts as moving
const leastObjectDrag = 6; // pixels: a shorter drag of a handle is a click

let canvas, ring;
const fingers = new Map(); // pointerId -> {x, y}
let doing = ""; // "", "poke", "line", "object", "instrument", "inspect", "pan", "turn", "pinch", "wait"
let held = { id: 0, button: "left" };
let start = null, last = null, timer = 0;
let since = 0, wandered = 0; // of the finger that is down: its start time, and its largest distance from there
let drag = null, dragged = false; // of a handle of an object or of an instrument
let grabbed = null; // the instrument's handle
let space = false, spaceUsed = false, control = false;

export const spaceWasTapped = () => {
  const tapped = space && !spaceUsed;
  space = spaceUsed = false;
  return tapped;
};
export const pressSpace = () => (space = true);

export function startPointerInput(target, brushRing) {
  canvas = target;
  ring = brushRing;
  canvas.addEventListener("pointerdown", down);
  canvas.addEventListener("pointermove", move);
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", cancel);
  canvas.addEventListener("pointerleave", leave);
  canvas.addEventListener("wheel", wheel, { passive: false });
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  window.addEventListener("keydown", (event) => event.key === "Control" && (control = true));
  window.addEventListener("keyup", (event) => event.key === "Control" && (control = false));
  window.addEventListener("blur", () => (control = space = false));
  document.documentElement.classList.toggle("framed", inFrame);
  // If a swipe scrolls the outer page, the handler of each finger's first move decides whether the browser may scroll.
  canvas.addEventListener("touchmove", (event) => {
    if (event.cancelable && (event.touches.length > 1 || doing !== "wait")) event.preventDefault();
  }, { passive: false });
  on("tool", () => (ring.hidden = true));
}

// True in an embedded page, except in full screen.
const inFrame = window.parent !== window;
const leavesScrolling = () => inFrame && !document.fullscreenElement;

export const viewSize = () => ({ width: canvas.clientWidth, height: canvas.clientHeight });
const pointOf = (event) => {
  const box = canvas.getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
};
// A middle drag rotates 3-D views.
export const canBeTurned = () => run.status?.can_be_turned ?? false;

function poke(phase, point, event, button = held.button) {
  gesture({ phase, button, ...point, ...viewSize(), shift: event.shiftKey, control: event.ctrlKey || event.metaKey,
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
  const point = pointOf(event);
  fingers.set(event.pointerId, point);
  if (event.pointerType === "touch" && fingers.size === 2) {
    if (doing === "poke") leaveStroke(event);
    if (doing === "object" && dragged) drag(last, true);
    if (doing === "object" && dragged && isEarly()) takeBack();
    clearTimeout(timer);
    emit("loupe", null);
    doing = "pinch";
    last = between();
    return;
  }
  if (doing) return; // ignores a second button during a drag
  begin(event, point);
  if (event.button === 1 || (event.button === 0 && space)) {
    event.preventDefault();
    spaceUsed = true;
    doing = canBeTurned() && !event.shiftKey ? "turn" : "pan";
  } else if (event.pointerType === "touch") {
    doing = "wait";
    since = performance.now();
    wandered = 0;
    timer = setTimeout(() => doing === "wait" && isTap() && press(event, point), longPress);
  } else if (event.button === 0 || event.button === 2) {
    press(event, point);
  }
}

function press(event, point) {
  grabbed = held.button === "left" && instrumentAt(point, event.pointerType);
  if (grabbed) {
    doing = "instrument";
    drag = startInstrumentDrag(grabbed, point, viewSize());
    dragged = false;
    return;
  }
  // With the microscope, a finger points.
  if (run.microscope && event.pointerType === "touch") {
    doing = "inspect";
    return;
  }
  const handle = held.button === "left" && handleAt(point, event.pointerType);
  if (handle) {
    doing = "object";
    drag = startDrag(handle, point, viewSize());
    dragged = false;
    return;
  }
  doing = event.shiftKey ? "line" : "poke";
  poke("press", point, event);
}

// In an embedded page, a finger that moves before it has rested scrolls the outer page.
const isTap = () => wandered < swipe || !leavesScrolling();

// Undoes the first finger's stroke when the second finger comes down: two fingers rarely touch at the same time.
const isEarly = () => performance.now() - since < secondFingerTime && wandered < 3 * swipe;
function leaveStroke(event) {
  if (isEarly()) takeStrokeBack({ button: held.button, ...last, ...viewSize(), shift: event.shiftKey,
    control: event.ctrlKey || event.metaKey });
  else poke("release", last, event);
}

// Midpoint and distance of two fingers.
function between() {
  const [a, b] = [...fingers.values()];
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, apart: Math.hypot(a.x - b.x, a.y - b.y) };
}

function move(event) {
  const point = pointOf(event);
  if (fingers.has(event.pointerId)) fingers.set(event.pointerId, point);
  run.pointer = { ...point, ...viewSize(), moved: true };
  if (event.pointerType !== "touch") showRing(point);
  if (doing === "pinch" && fingers.size >= 2) {
    const now = between(), factor = now.apart / Math.max(1, last.apart);
    // 3-D views: moving both fingers rotates, and spreading them zooms about their midpoint.
    if (canBeTurned()) moveCamera({ turn: [(last.x - now.x) * radiansPerPixel, (now.y - last.y) * radiansPerPixel],
      from: [now.x, now.y], to: [now.x, now.y], factor, ...viewSize() });
    else moveCamera({ from: [last.x, last.y], to: [now.x, now.y], factor, ...viewSize() });
    last = now;
    return;
  }
  if (event.pointerId !== held.id || !doing) return;
  if (start) wandered = Math.max(wandered, Math.hypot(point.x - start.x, point.y - start.y));
  if (doing === "wait") {
    if (wandered < swipe || leavesScrolling()) return;
    clearTimeout(timer);
    press(event, start);
  }
  if (doing === "object" || doing === "instrument") {
    dragged ||= wandered >= leastObjectDrag;
    if (dragged) drag(point);
    if (dragged && event.pointerType === "touch") emit("loupe", point);
  } else if (doing === "poke") {
    poke("move", point, event);
  } else if (doing === "pan") {
    moveCamera({ from: [last.x, last.y], to: [point.x, point.y], ...viewSize() });
  } else if (doing === "turn") {
    moveCamera({ turn: [(last.x - point.x) * radiansPerPixel, (point.y - last.y) * radiansPerPixel] });
  }
  if (doing !== "line") last = point;
}

// The browser has taken the finger for scrolling: it has no effect here.
function cancel(event) {
  if (doing === "wait" && event.pointerId === held.id) {
    clearTimeout(timer);
    doing = "";
    fingers.delete(event.pointerId);
    if (leavesScrolling()) emit("scrolled past");
  } else {
    up(event);
  }
}

function up(event) {
  const point = pointOf(event);
  fingers.delete(event.pointerId);
  if (doing === "pinch") {
    if (fingers.size === 0) doing = "";
    return;
  }
  if (event.pointerId !== held.id) return;
  emit("loupe", null);
  if (doing === "wait") {
    clearTimeout(timer);
    if (isTap()) press(event, start);
  }
  if (doing === "line" && Math.hypot(point.x - start.x, point.y - start.y) > 0) poke("move", point, event);
  if (doing === "poke" || doing === "line") poke("release", point, event);
  if (doing === "object" && dragged) drag(point, true);
  if (doing === "object" && !dragged && objectsAreOpen()) emit("object clicked"); // a click shows its sliders
  if (doing === "instrument" && !dragged) clickInstrument(grabbed);
  doing = "";
}

function leave() {
  ring.hidden = true;
  run.pointer = null;
}

// Draws the brush as a circle if it has a radius and the view is flat.
function showRing(point) {
  const radius = brushOf(run.tool).radius;
  if (!radius || canBeTurned() || !run.status) {
    ring.hidden = true;
    return;
  }
  const { width, height } = viewSize();
  const [across, along] = run.status.domain;
  const pixels = radius / (Math.max(across / width, along / height) / run.status.view.camera.zoom);
  ring.hidden = pixels < 3;
  ring.style.transform = `translate(${point.x - pixels}px, ${point.y - pixels}px)`;
  ring.style.width = ring.style.height = `${2 * pixels}px`;
}

function wheel(event) {
  if (leavesScrolling() && !event.ctrlKey && !event.metaKey) return emit("scrolled past");
  event.preventDefault();
  const notches = -event.deltaY / (event.deltaMode === 1 ? 3 : event.deltaMode === 2 ? 1 : 100);
  const point = pointOf(event);
  const tool = run.simulation?.tools.find((one) => one.id === run.tool);
  // A pinch on a touchpad arrives as a wheel event with Ctrl set, without the key pressed.
  if (control && event.ctrlKey && !leavesScrolling()) {
    const field = tool?.brush.find((one) => one.id === "radius");
    if (tool?.wheel) gesture({ phase: "scroll", scroll: notches, ...point, ...viewSize(), control: true });
    else if (field) {
      const radius = brushOf(tool.id).radius * zoomPerNotch ** notches;
      setBrush(tool.id, "radius", Math.min(field.maximum, Math.max(field.minimum, radius)));
      showRing(point);
    }
    return;
  }
  const factor = event.ctrlKey && !control ? Math.exp(-event.deltaY / 100) : zoomPerNotch ** notches;
  moveCamera({ from: [point.x, point.y], to: [point.x, point.y], factor, ...viewSize() });
  showAgain();
}

// Chooses a tool. One that acts on everything acts at once, and the chosen tool stays.
export function chooseTool(id) {
  const tool = run.simulation.tools.find((one) => one.id === id);
  if (!tool?.immediate) return setTool(id);
  if (toolIsOpen(id))
    for (const phase of ["press", "release"]) pokeAt(phase, { x: 0, y: 0 }, {}, "left", id);
  emit("tool");
}

// Press and release of one action without a pointer, for the crosshair.
export function pokeAt(phase, point, event, button = "left", tool = undefined) {
  gesture({ phase, button, ...point, ...viewSize(), shift: false, control: event.ctrlKey && phase === "move",
    ...(tool ? { tool } : {}) });
}

// Keyboard use of the tool, as in the window: arrows move a crosshair, Enter presses there, Shift drags. With Alt,
// arrows rotate 3-D views.
import { run } from "./run.js";
import { canBeTurned, pokeAt, sizeOfPicture } from "./pointer_input.js";
import { turnView } from "./turn_pad.js";

const stepsAcross = 40; // arrow presses from the bottom of the view to the top
let mark, place = null, drags = false;

export function startCrosshair(element, canvas) {
  mark = element;
  canvas.addEventListener("pointerdown", dropCrosshair);
  canvas.addEventListener("pointermove", (event) => event.pointerType === "mouse" && dropCrosshair());
  canvas.addEventListener("blur", () => endDrag());
  canvas.addEventListener("keydown", lead);
  canvas.addEventListener("keyup", (event) => event.key === "Shift" && endDrag());
}

function show() {
  mark.hidden = !place;
  if (place) mark.style.transform = `translate(${place.x}px, ${place.y}px)`;
  run.pointer = place && { ...place, ...sizeOfPicture(), moved: true };
}

function endDrag() {
  if (drags) pokeAt("release", place, {});
  drags = false;
}

export function dropCrosshair() {
  if (!place) return;
  endDrag();
  place = null;
  show();
}

const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function lead(event) {
  const { width, height } = sizeOfPicture();
  const way = ways[event.key];
  if (!way && event.key !== "Enter") {
    if (event.key === "Escape" && place) dropCrosshair();
    return;
  }
  if (event.altKey && !canBeTurned()) return; // Alt and arrows belong to the browser
  event.preventDefault();
  event.stopPropagation();
  if (event.altKey) {
    if (way) turnView(way[0], -way[1]);
    return;
  }
  place ??= { x: width / 2, y: height / 2 };
  if (event.key === "Enter") {
    const button = event.ctrlKey ? "right" : "left";
    pokeAt("press", place, {}, button);
    pokeAt("release", place, {}, button);
    show();
    return;
  }
  if (event.shiftKey && !drags) {
    pokeAt("press", place, {});
    drags = true;
  }
  const step = event.ctrlKey ? 1 : height / stepsAcross;
  place.x = Math.min(width - 1, Math.max(0, place.x + step * way[0]));
  place.y = Math.min(height - 1, Math.max(0, place.y + step * way[1]));
  if (drags) pokeAt("move", place, {});
  show();
}

// The service worker: keeps the page for a day without a network, and isolates it where the host does not, so that
// threads work. That takes one more load, which is done only while nobody has begun anything: whatever a hand does but
// open a scene or a lesson from the gallery is lost by it, be it an answer, a word that is typed or a file.
import { run } from "./run.js";

const once = "perturb isolated";
let touched = false;

export function watchInput() {
  const opens = (target) => target instanceof Element && target.closest("#gallery .card");
  for (const kind of ["pointerdown", "keydown", "input", "wheel", "drop"])
    addEventListener(kind, (event) => (touched ||= !opens(event.target)), { capture: true, passive: true });
}

export async function prepareOffline() {
  if (!("serviceWorker" in navigator) || !window.isSecureContext) return;
  try {
    await navigator.serviceWorker.register("service-worker.js");
    await navigator.serviceWorker.ready;
  } catch {
    return; // a browser that keeps nothing: the page works while there is a network
  }
  const framed = window.parent !== window;
  if (window.crossOriginIsolated || framed || navigator.hardwareConcurrency < 2) return;
  // (A dialog: every check is being computed behind a link to it.)
  const mayReload = () => !touched && !run.touched && !run.fromFile && !sessionStorage.getItem(once) &&
    !document.querySelector("dialog[open]");
  const reload = () => {
    if (!mayReload()) return;
    sessionStorage.setItem(once, "1");
    location.reload();
  };
  if (navigator.serviceWorker.controller) reload();
  else navigator.serviceWorker.addEventListener("controllerchange", reload, { once: true });
}

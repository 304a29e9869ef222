// Registers the service worker: it stores the page for use without a network, and isolates it if the host does not, so
// that threads work. Isolation needs one reload, which happens only if the user has not begun anything. The reload
// would lose everything except a scene or lesson opened from the gallery: an answer, typed text, a file. An open page
// keeps its version; a newer one that has arrived is reported.
import { tr } from "./i18n.js";
import { run, showMessage } from "./run.js";

const reloadKey = "perturb isolated";
let touched = false;

export function watchInput() {
  const opens = (target) => target instanceof Element && target.closest("#gallery .card");
  for (const kind of ["pointerdown", "keydown", "input", "wheel", "drop"])
    addEventListener(kind, (event) => (touched ||= !opens(event.target)), { capture: true, passive: true });
}

function watchVersions(registration) {
  const report = () => registration.active && registration.waiting && showMessage(() => tr("A new version of this page " +
    "has arrived. To use it, close the other tabs of the page and reload this one."));
  registration.addEventListener("updatefound", () =>
    registration.installing?.addEventListener("statechange", report));
  report();
}

export async function prepareOffline() {
  if (!("serviceWorker" in navigator) || !window.isSecureContext) return;
  try {
    const registration = await navigator.serviceWorker.register("service-worker.js");
    watchVersions(registration);
    await navigator.serviceWorker.ready;
  } catch {
    return; // a browser that stores nothing: the page works while there is a network
  }
  const framed = window.parent !== window;
  if (window.crossOriginIsolated || framed || navigator.hardwareConcurrency < 2) return;
  // (A dialog is open while the checks of a link are computed.)
  const mayReload = () => !touched && !run.touched && !run.fromFile && !sessionStorage.getItem(reloadKey) &&
    !document.querySelector("dialog[open]");
  const reload = () => {
    if (!mayReload()) return;
    sessionStorage.setItem(reloadKey, "1");
    location.reload();
  };
  if (navigator.serviceWorker.controller) reload();
  else navigator.serviceWorker.addEventListener("controllerchange", reload, { once: true });
}

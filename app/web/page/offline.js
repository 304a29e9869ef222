// The service worker: keeps the page for a day without a network, and isolates it where the host does not, so that
// threads work. That takes one more load, which is done only while nobody has begun anything.
import { run } from "./run.js";

const once = "perturb isolated";
let touched = false;

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
  const mayReload = () => !touched && !run.touched && !sessionStorage.getItem(once);
  const reload = () => {
    if (!mayReload()) return;
    sessionStorage.setItem(once, "1");
    location.reload();
  };
  if (navigator.serviceWorker.controller) reload();
  else navigator.serviceWorker.addEventListener("controllerchange", reload, { once: true });
}
prepareOffline.touched = () => (touched = true);

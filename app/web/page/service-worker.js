// Stores every file of the page, so that it opens without a network, and adds the headers that enable threads. The
// version is a checksum of all files, written when the folder is made; a different one downloads them again. A worker of
// a new version takes over when no tab shows the old one: an open tab would otherwise get new files for its old modules.
const version = "none";
const cacheName = `perturb-${version}`;

const headers = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp",
  "Cross-Origin-Resource-Policy": "cross-origin" };

function isolated(response) {
  if (!response || response.type === "opaque" || response.type === "opaqueredirect" ||
    response.status === 0) return response;
  const all = new Headers(response.headers);
  for (const [name, value] of Object.entries(headers)) all.set(name, value);
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers: all });
}

// For a missing file, a host may answer with an HTML page that says so.
const isFile = (url, response) =>
  response.ok && (/\.html$|\/$/.test(url) || !(response.headers.get("Content-Type") ?? "").startsWith("text/html"));

// Skips files that are missing or that the host does not deliver now: the others are stored, and the headers are added
// in any case.
async function keepAll() {
  try {
    const { version: now, files } = await (await fetch("files.json", { cache: "no-cache" })).json();
    if (now !== version) return; // the worker of that version stores it
    const cache = await caches.open(cacheName);
    const kept = new Set((await cache.keys()).map(({ url }) => url));
    const waiting = files.map((file) => new URL(file, self.registration.scope).href).filter((url) => !kept.has(url));
    const next = async () => {
      for (let url; (url = waiting.pop()) !== undefined;) {
        const response = await fetch(url, { cache: "no-cache" }).catch(() => null);
        if (response && isFile(url, response)) await cache.put(url, response);
      }
    };
    await Promise.all(Array.from({ length: 6 }, next));
  } catch {
    // no network, no list of files, or no space for them: stores what it can
  }
}

self.addEventListener("install", (event) => event.waitUntil(keepAll()));
self.addEventListener("message", ({ data }) => data === "take over" && self.skipWaiting());

self.addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    try {
      for (const name of await caches.keys())
        if (name.startsWith("perturb-") && name !== cacheName) await caches.delete(name);
    } catch {
      // a browser that stores nothing
    }
    await self.clients.claim();
  })());
});

// The only tab that shows this version is loaded again: the version that waits takes over, and the tab asks again.
async function yieldsTo(request) {
  const { waiting } = self.registration;
  if (request.mode !== "navigate" || !waiting) return false;
  if ((await self.clients.matchAll({ type: "window", includeUncontrolled: true })).length > 1) return false;
  waiting.postMessage("take over");
  return true;
}

// Asks again as soon as the other worker has taken over: it cannot while this one has requests to answer, so a page that
// asked again at once might do so for ever. (Not a header Refresh: to an address with "#" it loads nothing.)
const askAgain = `<script>
  navigator.serviceWorker.oncontrollerchange = () => location.reload();
  setTimeout(() => location.reload(), 2000);
</script>`;

let looked = false;
async function answerTo(request, url) {
  if (await yieldsTo(request))
    return isolated(new Response(askAgain, { headers: { "Content-Type": "text/html" } }));
  const wanted = request.mode === "navigate" && url.pathname.endsWith("/") ? new URL("index.html", url) : url;
  const kept = await caches.match(wanted, { cacheName, ignoreSearch: true }).catch(() => undefined);
  return isolated(kept ?? (await fetch(request)));
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== self.location.origin ||
    !url.href.startsWith(self.registration.scope)) return;
  event.respondWith(answerTo(request, url));
  // Files that were missing when this worker was installed may be available now.
  if (request.mode === "navigate" && !looked) {
    looked = true;
    event.waitUntil(keepAll());
  }
});

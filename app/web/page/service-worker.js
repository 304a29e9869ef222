// Keeps every file of the page, so that it opens without a network, and adds the headers that give it threads.
// The version is a checksum of all files, written in when the folder is made: another one fetches them anew.
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

self.addEventListener("install", (event) => {
  event.waitUntil((async () => {
    const { files } = await (await fetch("files.json", { cache: "no-cache" })).json();
    const cache = await caches.open(cacheName);
    await cache.addAll(files.map((file) => new Request(file, { cache: "no-cache" })));
    await self.skipWaiting();
  })());
});

self.addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys())
      if (name.startsWith("perturb-") && name !== cacheName) await caches.delete(name);
    await self.clients.claim();
  })());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== self.location.origin ||
    !url.href.startsWith(self.registration.scope)) return;
  event.respondWith((async () => {
    const cache = await caches.open(cacheName);
    const wanted = request.mode === "navigate" && url.pathname.endsWith("/") ? new URL("index.html", url) : url;
    const kept = await cache.match(wanted, { ignoreSearch: true });
    return isolated(kept ?? (await fetch(request)));
  })());
});

// Runs before the first paint. The gallery is part of index.html, but an address that names a scene waits for the
// engine. It is a plain script because modules run later.
if (!/^#?(scenes)?$/.test(location.hash)) document.documentElement.setAttribute("data-page", "start");

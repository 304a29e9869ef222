// Before anything is painted: the gallery is in the page as it comes, but an address that names a scene waits for the
// engine. A plain script, for the modules come later.
if (!/^#?(scenes)?$/.test(location.hash)) document.documentElement.setAttribute("data-page", "start");

// Plain script that runs before the first paint, for what cannot wait for the page's modules. Written in old JavaScript
// (ES3).

// The gallery is part of index.html, but an address that names a scene waits for the engine.
if (!/^#?(scenes)?$/.test(location.hash)) document.documentElement.setAttribute("data-page", "start");

// Message for browsers that cannot read the page's modules, or do not receive them: they would otherwise show only a
// name and an image. Both languages are here, because no translation code runs there.
window.addEventListener("load", function () {
  if (document.documentElement.hasAttribute("data-begun")) return;
  var german = /^de/.test(navigator.language || "");
  var start = document.getElementById("start");
  start.className += " failed";
  document.documentElement.setAttribute("data-page", "start");
  document.getElementById("start-words").textContent = german
    ? "Dieser Browser ist zu alt f\u00fcr die Seite, oder ein Teil von ihr wurde nicht geladen. Die Seite neu laden; " +
      "wenn das nicht hilft, Chrome oder Edge ab 103, Firefox ab 114 oder Safari ab 16.4 verwenden."
    : "This browser is too old for this page, or a part of the page was not loaded. Reload the page; if that does " +
      "not help, use Chrome or Edge 103, Firefox 114, Safari 16.4 or later.";
});

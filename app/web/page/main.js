// The page: starts the engine and shows the gallery, scene, lesson or checks that the address names.
import { isOfClass, startClass } from "./class_link.js";
import { buttonText } from "./command_table.js";
import { currentDialog, openAbout, openHelp, openShare, openVerify } from "./dialogs.js";
import { changePage, iconButton, make } from "./dom.js";
import { RequestError } from "./engine_client.js";
import { chooseFile, takeDrops } from "./exports.js";
import { refreshDiagnostics } from "./frames.js";
import { fillGallery } from "./gallery.js";
import { bindText, clipped, errorText, retranslate, tr } from "./i18n.js";
import { keepScene, startKeeping } from "./keep.js";
import { startKeys } from "./keys.js";
import { openLesson } from "./lesson_panel.js";
import { address, partsAsked, readHash } from "./link.js";
import { endLoading, showLoading, startLoading, startMessages } from "./messages.js";
import { prepareOffline, watchInput } from "./offline.js";
import { pace } from "./pace.js";
import { openPeople } from "./people.js";
import { refusalOf } from "./remote_engine.js";
import { cancelLongStep, controlsRun, emit, leadsClass, off, on, open, run, runIsOpen, setPlaying, showMessage, showRefusal,
  startAgain, startEngine, whyTeacherOnly } from "./run.js";
import { makeRunView } from "./run_view.js";
import { scenePicker } from "./scene_panel.js";
import { isServed, limited, servedGallery, servedHash, startServed } from "./served.js";
import { chooseLanguage, languageChoice, readSettings, settings } from "./settings.js";
import { shareLabel } from "./transport.js";

const $ = (id) => document.getElementById(id);
const dialogs = { about: openAbout, help: openHelp, share: () => (run.remote || leadsClass() ? openPeople() : openShare()) };

function fillTop() {
  const title = make("h1", { class: "top-title" });
  on("scene", () => title.replaceChildren(make("span", { text: () => tr(run.status.title) })));
  const wide = (name, label, press, more = "") => {
    const button = iconButton(name, label, press, { class: `icon-button with-words ${more}` });
    button.append(make("span", { text: label }));
    return button;
  };
  $("top").replaceChildren(
    make("a", { class: "skip", href: "#view", text: () => tr("Skip to the view"), onclick: (event) => {
      event.preventDefault();
      ($("run").hidden ? $("search") : $("view"))?.focus();
    } }),
    make("a", { class: "brand", href: partsAsked() ? address(location.hash) : "#scenes", target: partsAsked()
      ? "_blank" : null,
      rel: "noopener", title: () => tr("All scenes and lessons") },
    make("img", { src: "icon.webp", alt: "", width: 28, height: 28 }), make("span", { text: "Perturb" })), title, scenePicker(),
    make("nav", { "aria-label": () => tr("Page") },
      languageChoice("gallery-only"),
      run.remote ? "" : wide("folder", () => tr("Open a file"), chooseFile, "gallery-only open-file"),
      limited(wide("grid", () => tr("Scenes"), () => (location.hash = "scenes"), "run-only"), whyTeacherOnly),
      limited(wide(run.remote ? "people" : "share", shareLabel, dialogs.share, "run-only not-small"), whyTeacherOnly),
      iconButton("question", () => buttonText("help"), openHelp, { class: "icon-button not-small" }),
      iconButton("panel", () => buttonText("toggle-panels"), () => emit("panels"),
        { class: "icon-button run-only not-small" })));
}

const pages = ["gallery", "run", "start"];
let shown = "", wasPlaying = false;
function show(page) {
  if (shown === "run" && page !== "run") {
    wasPlaying = run.playing;
    if (!run.remote) setPlaying(false);
    emit("left");
  }
  changePage(shown ? $(shown) : null, () => {
    for (const one of pages) $(one).hidden = page !== one;
    document.documentElement.dataset.page = page; // the style sheets show the page by it; hidden parts take no focus
  }, run.status?.scene);
  shown = page;
  document.title = page === "run" && run.status ? `${tr(run.status.title)} – Perturb` : "Perturb";
  if (page === "run") refreshDiagnostics();
}

// Shows progress while a scene opens that takes long, such as a large one or one with many strokes. A user who goes elsewhere
// meanwhile, by the button or otherwise, cancels it.
let opensLong = false;
function showOpening() {
  const bar = make("progress", { max: 1, value: 0, hidden: true, "aria-label": () => tr("Opening the scene") });
  const box = make("div", { class: "message-box opening", role: "status" },
    make("p", { text: () => tr("Opening the scene") }), bar,
    make("span", { class: "spinner", "aria-hidden": "true" }),
    make("button", { type: "button", class: "quiet", text: () => tr("Cancel"), onclick: () =>
      (location.hash = "scenes") }));
  const showShare = (share) => {
    bar.hidden = false;
    bar.value = share;
  };
  on("opening", showShare);
  const timer = setTimeout(() => {
    $("messages").append(box);
    opensLong = true;
  }, 400);
  return () => {
    opensLong = false;
    off("opening", showShare);
    clearTimeout(timer);
    box.remove();
  };
}

// Hash for which the current run was opened. An opened file has a hash, too.
let followed = "";
const fileHash = "#file";
let engine = null, engineIsReady = false; // promise of whether the engine is ready; whether it is
let follows = 0;
function follow() {
  const own = ++follows;
  return openAddress(() => own === follows);
}

// `isCurrent`: returns whether the address still asks for this page; it may change while a scene opens.
async function openAddress(isCurrent) {
  const hash = location.hash;
  let opened = () => {};
  try {
    const aim = await readHash(hash);
    if (!isCurrent()) return;
    if (run.remote) return await followServed(aim, isCurrent);
    if (isServed(hash)) return location.reload(); // the page begins again, without an engine of its own
    // (Not awaited: the gallery needs no engine, and calls wait for the new one.)
    if (opensLong) cancelLongStep({ atOnce: true }).catch((error) => showMessage(() => errorText(error), "error"));
    if (aim.page === "gallery") {
      currentDialog()?.close();
      return show("gallery");
    }
    if (!engineIsReady) {
      show(aim.page === "verify" ? "gallery" : "start");
      const title = titleOf(aim);
      if (title) bindText($("start-words"), () => tr(title));
      if (!(await engine) || !isCurrent()) return;
    }
    if (aim.page === "verify") {
      if (!shown) show("gallery");
      return openVerify(aim.simulation, leaveVerify);
    }
    currentDialog()?.close();
    if (hash === followed && runIsOpen()) {
      show("run"); // back to the previous run, unchanged
      setPlaying(wasPlaying);
    } else if (aim.page === "file") {
      throw new RequestError(() =>
        tr("Cannot reopen the file: the browser does not store it. Open the file again."), "page");
    } else {
      opened = showOpening();
      await keepScene(); // stores the last changes to the run that is left
      if (aim.page === "lesson") await openLesson(aim.path);
      else await open(aim.request);
      followed = hash;
      wasPlaying = !settings.calm;
      if (!isCurrent()) return shown === "run" || setPlaying(false);
      setPlaying(!settings.calm);
      show("run");
    }
  } catch (error) {
    if (!isCurrent()) return;
    if (run.remote) return showRefusal(error);
    const isShown = error.kind === "fatal" || error.kind === "stopped";
    if (!isShown || shown === "start") show("gallery");
    if (isShown) return;
    showMessage(() => errorText(error), "error");
  } finally {
    opened();
  }
}

// In a served run the address shows the run, whatever it was; the teacher's page passes a scene or a lesson on to the
// server, or shows the gallery to choose one.
async function followServed(aim, isCurrent) {
  if (!engineIsReady) {
    show("start");
    bindText($("start-words"), () => tr("Connecting to the shared run"));
    if (!(await engine) || !isCurrent()) return;
  }
  currentDialog()?.close();
  if (aim.page === "gallery" && controlsRun()) {
    // A reload must not start an engine of the page.
    history.replaceState(history.state, "", servedGallery);
    return show("gallery");
  }
  const refusal = { lesson: refusalOf("lesson_open", run.remote.role), verify: refusalOf("verify"),
    file: refusalOf("load_state") }[aim.page];
  history.replaceState(history.state, "", servedHash);
  show("run");
  if (refusal) showMessage(refusal, "error");
  else if (aim.page !== "served" && !controlsRun()) showMessage(whyTeacherOnly, "error");
  else if (aim.page === "scene") await open(aim.request);
  else if (aim.page === "lesson") await openLesson(aim.path);
}

// Title in the gallery of a scene or a lesson that waits for the engine.
/** @param {{ request?: any, path?: string }} aim */
function titleOf({ request, path }) {
  const { simulations = [], lessons = [] } = run.catalog ?? {};
  return (path ? lessons.find((one) => one.path === path)
    : simulations.flatMap((one) => one.presets).find((one) => one.scene === request?.scene))?.title;
}

// Updates the address after a change to the run. Returns whether the browser accepted it.
function replaceAddress(hash) {
  if (location.hash !== followed) return false;
  try {
    history.replaceState(history.state, "", hash);
  } catch {
    return false; // the browser rejects an address of this length, or such frequent changes
  }
  followed = location.hash;
  return true;
}

// Restores the address of the page below the checks without going back: the previous page may be another site.
function leaveVerify() {
  if (location.hash.startsWith("#verify") && !currentDialog())
    history.replaceState(null, "", shown === "run" && followed ? followed : "#scenes");
}

// After the death of the engine: continues with a new one.
let deaths = [];
async function onDeath(message) {
  deaths = [...deaths.filter((time) => performance.now() - time < 120000), performance.now()];
  // ("memory access out of bounds", "Out of bounds memory access": a fault of the program)
  const memory = /memory|alloc|oom/i.test(message) && !/out of bounds/i.test(message);
  if (deaths.length > 3) {
    const text = () =>
      (memory ? tr("This browser has too little memory for this scene. Close other tabs or choose a smaller scene.")
      : tr("The engine crashed several times. Reload the page; if that does not help, use another browser."));
    return shown === "start" ? fail(text) : showMessage(text, "error");
  }
  // A change may have crashed it: a second time the scene opens as it was first opened.
  const opened = await startAgain(deaths.length === 1);
  if (opened)
    showMessage(() => (memory
      ? tr("This tab ran out of memory, and the scene was restarted. Choose a smaller scene or close other tabs.")
      : opened === "changed"
        ? tr("The engine crashed and was restarted. The scene starts from the beginning, with what you have changed.")
        : tr("The engine crashed and was restarted. The scene starts from the beginning.")), "error");
}

function fail(text) {
  show("start");
  $("start").classList.add("failed");
  bindText($("start-words"), text);
}

// Minimal module with a vector instruction: tests whether this browser supports WebAssembly with SIMD.
const simd = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0,
  253, 15, 253, 98, 11]);

async function begin() {
  document.documentElement.dataset.begun = ""; // (before_modules.js checks for it)
  watchInput();
  readSettings();
  startMessages($("messages"));
  if (isServed(location.hash)) {
    startServed();
    on("waits", (waits) => waits && !engineIsReady &&
      bindText($("start-words"), () => tr("The run begins when the teacher's page is there.")));
  } else if (typeof WebAssembly !== "object")
    return fail(() =>
      tr("This browser has no WebAssembly, or it is switched off. Use Chrome or Edge 103, Firefox 114, Safari 16.4 " +
        "or later."));
  else if (!WebAssembly.validate(simd))
    return fail(() =>
      tr("This browser lacks vector instructions (WebAssembly SIMD). Update it or use another browser."));
  // The gallery, buttons and the help need no engine: their tables are part of the page.
  run.catalog = JSON.parse($("catalog")?.textContent || "null");
  fillTop();
  const language = new URLSearchParams(location.search).get("language");
  if (run.catalog) {
    chooseLanguage(run.catalog.languages, language);
    fillGallery($("gallery"));
  }
  if (!run.remote) startLoading($("loading"), $("start-loading"));
  makeRunView($("run"), (name) => dialogs[name]());
  startKeys(dialogs);
  on("scene", () => {
    pace.setStepsPerFrame(run.remote?.stepsPerFrame || run.status.steps_per_frame || 16);
    document.title = `${tr(run.status.title)} – Perturb`;
  });
  takeDrops(document.documentElement);
  on("loaded", () => {
    currentDialog()?.close();
    // The address now names the file, so that its previous scene can be chosen again.
    if (location.hash !== fileHash) history.pushState(null, "", fileHash);
    followed = fileHash;
    show("run");
    setPlaying(!settings.calm);
  });
  startKeeping(replaceAddress);
  const filled = Boolean(run.catalog);
  let failure = null;
  engine = startEngine(onDeath, showLoading).then(() => (engineIsReady = true), (error) => {
    failure = error;
    return false;
  });
  if (isOfClass()) startClass();
  window.addEventListener("hashchange", follow);
  const first = follow();
  await engine;
  endLoading();
  if (failure)
    return fail(() => clipped(run.remote ? errorText(failure) : failure.said === undefined
      ? tr("Cannot start the engine ({}). Reload the page; if that does not help, use another browser.",
        failure.message)
      : tr("Cannot start the engine: {} Reload the page; if that does not help, use another browser.",
        errorText(failure))));
  if (!filled) {
    retranslate();
    chooseLanguage(run.catalog.languages, language);
    fillGallery($("gallery"));
  }
  await first;
  document.documentElement.dataset.engine = "ready"; // for tests
  performance.mark("perturb-shown");
  if (!run.remote && !isOfClass()) prepareOffline();
}

begin();

// The bar below the view: time, speed, undo, and a menu of commands for the view and the scene.
import { buttonText } from "./command_table.js";
import { iconButton, make, setIcon } from "./dom.js";
import { chooseFile, isRecording, saveImage, saveState, toggleVideo } from "./exports.js";
import { refreshDiagnostics, showAgain, takeOneStep } from "./frames.js";
import { fullScreen } from "./full_screen.js";
import { tr } from "./i18n.js";
import { instrumentButtons } from "./instruments_panel.js";
import { grouped, numberText, rateText } from "./numbers.js";
import { pace } from "./pace.js";
import { pastSlider } from "./past.js";
import { refusalOf } from "./remote_engine.js";
import { showReport } from "./report.js";
import { controlsRun, leadsClass, on, run, runAction, setPlaying, showMessage, startAgain, stepTakesLong, whyTeacherOnly }
  from "./run.js";
import { limited } from "./served.js";
import { timeText } from "./units.js";

// ---- what buttons and keys do

export const commands = {
  playPause: () => setPlaying(!run.playing),
  singleStep() {
    setPlaying(false);
    takeOneStep();
    refreshDiagnostics();
  },
  restart: () => (stepTakesLong() ? startAgain() : again("restart", {})),
  restartKeeping: () => again("restart", { keep_built: true }),
  undo: () => run.status.next_undo && again("undo", {}),
  redo: () => run.status.next_redo && again("redo", {}),
  restoreLastGood: () => again("restore_last_good", {}),
  faster: () => changePace("faster"),
  slower: () => changePace("slower"),
  speedUnit: () => pace.nextUnit(),
  async toggleTheory() {
    const { theory } = run.status.view;
    if (!theory && run.diagnostics && !run.diagnostics.has_theory)
      return showMessage(() => tr("This scene has no theory to draw."));
    await runAction("view", { theory: !theory });
    refreshDiagnostics();
  },
  homeView() {
    runAction("view", { camera: { center: [0.5, 0.5], zoom: 1, yaw: 0, pitch: 0, ...run.homeCamera } });
    showAgain();
  },
};

function changePace(how) {
  pace[how]();
  if (run.remote) runAction("playback", { steps_per_frame: pace.rate / 60 });
}

async function again(name, request) {
  await runAction(name, request);
  run.touched = true;
  refreshDiagnostics();
}

const speedUnitText = () => ({ per_second: tr("steps per second"), per_frame: tr("steps per frame"),
  real_time: tr("time units per second") })[pace.unit];
const speedHelp = () => ({ per_second: tr("Steps taken in a second, at any frame rate"),
  per_frame: tr("Steps taken in a frame: a higher frame rate makes the run faster"),
  real_time: tr("Simulated time that passes in a second, at any step size and frame rate") })[pace.unit];

function speedText() {
  if (pace.unit === "per_frame") return numberText(pace.rate / 60, 3);
  if (pace.unit === "real_time") return pace.speed > 0 ? numberText(pace.speed, 3) : "–";
  return rateText(pace.rate);
}

// A served run is shared by its code.
export const shareLabel = () => (run.remote || leadsClass() ? tr("People") : tr("Share a link"));

// A button of the menu shows its name. `content`: its entries.
function menuButton(content) {
  const close = () => (list.hidden = true);
  const list = make("div", { class: "bar-menu", id: "bar-menu", hidden: true, role: "group", "aria-label": () =>
    tr("More"), onclick: ({ target }) => target.closest("button:not(.stays)") && close() }, content);
  const button = iconButton("menu", () => tr("More"), () => (list.hidden = !list.hidden),
    { "aria-controls": "bar-menu", "aria-expanded": "false" });
  const node = make("div", { class: "bar-more", onkeydown: (event) => {
    if (event.key !== "Escape" || list.hidden) return;
    event.stopPropagation();
    close();
    button.focus();
  } }, button, list);
  new MutationObserver(() => button.setAttribute("aria-expanded", String(!list.hidden)))
    .observe(list, { attributeFilter: ["hidden"] });
  document.addEventListener("pointerdown", ({ target }) =>
    !(target instanceof Node && node.contains(target)) && close());
  for (const event of ["scene", "left"]) on(event, close);
  return { node, list };
}

export function transport(open) {
  const button = (name, label, press, properties) => iconButton(name, label, press, properties);
  // In a served run these are off for pupils.
  const teachers = (...properties) => limited(button(...properties), whyTeacherOnly);
  const whyNoFiles = () => (run.remote ? refusalOf("save")() : "");
  // In the menu, with its name.
  const named = (one, label) => {
    one.append(make("span", { class: "name", text: label }));
    return one;
  };
  const entry = (name, label, press, properties) => named(button(name, label, press, properties), label);
  const teachersEntry = (name, label, press) => named(teachers(name, label, press), label);
  const play = teachers("pause", () => buttonText("play-pause", run.playing ? tr("Pause") : tr("Play")),
    commands.playPause, { class: "icon-button play" });
  const step = teachers("step", () => buttonText("single-step"), commands.singleStep);
  const undo = teachers("undo", () =>
    buttonText("undo", run.status?.next_undo && `${tr("Undo")}: ${tr(run.status.next_undo)}`), commands.undo);
  const redo = teachersEntry("redo", () =>
    buttonText("redo", run.status?.next_redo && `${tr("Redo")}: ${tr(run.status.next_redo)}`), commands.redo);
  const speed = make("button", { type: "button", class: "speed stays", onclick: () => {
    commands.speedUnit();
    showClock();
  }, title: () => buttonText("speed-unit", `${speedHelp()}. ${tr("Click for another unit")}`) });
  const clock = make("span", { class: "clock" }), video = entry("video", () =>
    buttonText("film", isRecording() ? tr("Stop and save the video") : tr("Record a video of the view")), toggleVideo);

  const theory = teachers("theory", () => buttonText("toggle-theory"), commands.toggleTheory,
    { class: "icon-button toggle", "aria-pressed": "false" });
  const showClock = () => {
    const speedAndUnit = `${speedText()} ${speedUnitText()}`;
    const isThrottled = run.playing && pace.isThrottled, reached = rateText(pace.reached);
    // (If there is no space next to the clock, the measured speed replaces the unit.)
    speed.replaceChildren(make("b", { text: speedText() }), make("small", { class: "unit", text: speedUnitText() }),
      isThrottled ? make("small", { class: "reached", text: tr("{} per second reached", reached) }) : "");
    speed.classList.toggle("throttled-here", isThrottled);
    speed.setAttribute("aria-label", tr("Speed of the run: {}", speedAndUnit));
    const now = run.diagnostics, steps = now?.step ?? run.status?.steps ?? 0;
    const time = now ? tr(now.time_text) : run.status ? timeText(run.status) : "";
    clock.classList.toggle("warning", isThrottled);
    clock.replaceChildren(isThrottled
      ? make("span", { class: "throttled", text: tr("{} per second reached, to stay smooth", reached) }) : "",
    make("span", { class: "clock-step", text: tr("step {}", grouped(steps)) }),
    make("span", { text: time }));
  };
  const show = () => {
    setIcon(play, run.playing ? "pause" : "play");
    for (const one of [play, undo, redo]) one.boundTexts.forEach((getText, name) => one.setAttribute(name, getText()));
    play.disabled = step.disabled = Boolean(run.status?.stop_reason) || !controlsRun();
    theory.setAttribute("aria-pressed", String(run.status?.view.theory ?? false));
    undo.disabled = !run.status?.next_undo || !controlsRun();
    redo.disabled = !run.status?.next_redo || !controlsRun();
  };
  on("status", show);
  on("playing", show);
  on("diagnostics", showClock);
  on("scene", showClock);
  on("video", () => {
    video.classList.toggle("on", isRecording());
    video.boundTexts.forEach((getText, name) => video.setAttribute(name, getText()));
  });
  document.addEventListener("retranslated", () => run.status && showClock());

  const speedGroup = make("div", { class: "transport-speed" },
    teachers("minus", () => buttonText("slower"), () => {
      commands.slower();
      showClock();
    }, { class: "icon-button stays" }), speed,
    teachers("plus", () => buttonText("faster"), () => {
      commands.faster();
      showClock();
    }, { class: "icon-button stays" }));
  const instruments = instrumentButtons();
  const left = make("div", { class: "transport-left" },
    teachers("restart", () => buttonText("restart"), commands.restart), play, step, undo);
  const menu = menuButton([
    teachersEntry("keep", () => buttonText("restart-keeping"), commands.restartKeeping),
    teachersEntry("home", () => buttonText("home-view"), commands.homeView),
    entry("expand", () => tr("Full screen"), fullScreen),
    entry("camera", () => buttonText("screenshot"), saveImage), video,
    limited(entry("disk", () => buttonText("save-state"), saveState), whyNoFiles),
    limited(entry("folder", () => buttonText("open-file"), chooseFile), whyNoFiles),
    entry("table", () => tr("Lab report"), showReport),
    entry("information", () => buttonText("about-scene"), () => open("about")),
    limited(entry("share", shareLabel, () => open("share"), { class: "icon-button small-only" }), whyTeacherOnly),
    entry("question", () => buttonText("help"), () => open("help"), { class: "icon-button small-only" })]);
  const past = limited(pastSlider(), whyTeacherOnly);
  const right = make("div", { class: "transport-right" }, theory, menu.node);
  const bar = make("div", { class: "transport part-play", role: "toolbar", "aria-label": () => tr("Time and files") },
    past, left, clock, right);
  // A narrow bar has no room for all.
  const narrow = matchMedia("(max-width: 34rem), (max-height: 30rem), (max-width: 56rem) and (orientation: landscape)");
  const place = () => {
    if (narrow.matches) menu.list.prepend(past, speedGroup, redo);
    else {
      bar.prepend(past);
      left.append(redo);
      left.after(speedGroup);
    }
  };
  const roomy = matchMedia("(min-width: 84rem) and (min-height: 30rem)");
  const placeInstruments = () => (roomy.matches ? right : menu.list).prepend(instruments);
  place();
  placeInstruments();
  narrow.addEventListener("change", place);
  roomy.addEventListener("change", placeInstruments);
  return bar;
}

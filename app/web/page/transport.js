// The bar below the view: time, speed, undo, and commands for the view and the scene.
import { iconButton, make, setIcon } from "./dom.js";
import { isFilming, chooseFile, savePicture, saveState, toggleFilm } from "./exports.js";
import { leave } from "./focus.js";
import { refreshDiagnostics, pace, showAgain, takeOneStep } from "./frames.js";
import { decimals, grouped, numberText, rateText } from "./numbers.js";
import { runAction, withLabels, on, run, setPlaying, startAgain, stepTakesLong, showMessage } from "./run.js";
import { tr } from "./i18n.js";

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
  faster: () => pace.faster(),
  slower: () => pace.slower(),
  speedUnit: () => pace.nextUnit(),
  homeView() {
    runAction("view", { camera: { center: [0.5, 0.5], zoom: 1, yaw: 0, pitch: 0, ...run.homeCamera } });
    showAgain();
  },
};

async function again(name, request) {
  await runAction(name, request);
  run.touched = true;
  refreshDiagnostics();
}

const speedUnitText = () => ({ per_second: tr("steps a second"), per_frame: tr("steps a frame"),
  real_time: tr("time units a second") })[pace.unit];
const speedHelp = () => ({ per_second: tr("Steps taken in a second, however many pictures that has"),
  per_frame: tr("Steps taken between two pictures: faster where pictures come faster"),
  real_time: tr("Simulated time that passes in a second, however many steps and pictures that takes") })[pace.unit];

function speedText() {
  if (pace.unit === "per_frame") return numberText(pace.rate / 60, 3);
  if (pace.unit === "real_time") return pace.speed > 0 ? numberText(pace.speed, 3) : "–";
  return rateText(pace.rate);
}

export function transport(open) {
  const button = (name, words, press, properties) => iconButton(name, words, press, properties);
  const play = button("pause", () => (run.playing ? tr("Pause") : tr("Play")) + "  (Space)", commands.playPause,
    { class: "icon-button play" });
  const step = button("step", () => `${tr("One step (pauses)")}  ( . )`, commands.singleStep);
  const undo = button("undo", () =>
    `${tr("Undo")}${run.status?.next_undo ? `: ${tr(run.status.next_undo)}` : ""}  (Ctrl+Z)`,
    commands.undo);
  const redo = button("redo", () =>
    `${tr("Redo")}${run.status?.next_redo ? `: ${tr(run.status.next_redo)}` : ""}  (Ctrl+Y)`,
    commands.redo);
  const speed = make("button", { type: "button", class: "speed", onclick: () => {
    commands.speedUnit();
    showClock();
  }, title: () => `${speedHelp()}. ${tr("A click counts in another unit")}  (U)` });
  const clock = make("span", { class: "clock" }), film = button("film", () =>
    isFilming() ? tr("End the film and keep it") : tr("Film: what is seen, until it is ended"), toggleFilm);

  const showClock = () => {
    const words = `${speedText()} ${speedUnitText()}`;
    const isThrottled = run.playing && pace.isThrottled, reached = rateText(pace.reached);
    // (If there is no space next to the clock, the measured speed replaces the unit.)
    speed.replaceChildren(make("b", { text: speedText() }), make("small", { class: "unit", text: speedUnitText() }),
      isThrottled ? make("small", { class: "reached", text: tr("{} a second reached", reached) }) : "");
    speed.classList.toggle("throttled-here", isThrottled);
    speed.setAttribute("aria-label", tr("Speed of the run: {}", words));
    const { step: steps, time } = run.diagnostics ?? { step: run.status?.steps ?? 0, time: run.status?.time ?? 0 };
    clock.classList.toggle("warning", isThrottled);
    clock.replaceChildren(isThrottled
      ? make("span", { class: "throttled", text: tr("{} a second reached, to stay fluid", reached) }) : "",
    make("span", { class: "clock-step", text: tr("step {}", grouped(steps)) }),
    make("span", { text: `t = ${decimals(time.toFixed(2))}` }));
  };
  const show = () => {
    setIcon(play, run.playing ? "pause" : "play");
    for (const one of [play, undo, redo]) one.boundTexts.forEach((words, name) => one.setAttribute(name, words()));
    play.disabled = step.disabled = Boolean(run.status?.stop_reason);
    undo.disabled = !run.status?.next_undo;
    redo.disabled = !run.status?.next_redo;
  };
  on("status", show);
  on("playing", show);
  on("diagnostics", showClock);
  on("scene", showClock);
  on("film", () => {
    film.classList.toggle("on", isFilming());
    film.boundTexts.forEach((words, name) => film.setAttribute(name, words()));
  });
  document.addEventListener("retranslated", () => run.status && showClock());

  return make("div", { class: "transport part-play", role: "toolbar", "aria-label": () => tr("Time and files") },
    make("div", { class: "transport-left" },
      button("restart", () => `${tr("Restart the scene")}  (R)`, commands.restart), play, step, undo, redo),
    make("div", { class: "transport-speed" },
      button("minus", () => `${tr("Slower")}  ( - )`, () => {
        commands.slower();
        showClock();
      }), speed,
      button("plus", () => `${tr("Faster")}  ( + )`, () => {
        commands.faster();
        showClock();
      })),
    clock,
    make("div", { class: "transport-right" },
      button("keep", () => `${tr("Restart, keep walls and sources")}  (Shift+R)`, commands.restartKeeping),
      button("home", () => `${tr("Show the whole domain")}  (Home)`, commands.homeView),
      button("camera", () => `${tr("Save the picture as PNG")}  (P)`, savePicture), film,
      button("disk", () => tr("Save the state to a file"), saveState),
      button("folder", () => tr("Open a file"), chooseFile),
      button("expand", () => tr("Full screen"), fullScreen),
      button("information", () => `${tr("What am I seeing")}  (F4)`, () => open("about"))));
}

export function fullScreen() {
  const showNoFullscreen = () => showMessage(() => tr("This browser does not let the page fill the screen: open it in a window " +
    "of its own, or add it to the home screen and open it there."), "error");
  if (document.fullscreenElement) document.exitFullscreen();
  else if (document.documentElement.requestFullscreen) document.documentElement.requestFullscreen().catch(showNoFullscreen);
  else showNoFullscreen(); // iPhones
}

// Message after the run had to stop: the reason, and the choices.
export function stopMessage() {
  const words = make("p", {});
  const back = make("button", { type: "button", class: "accent", text: () => tr("Back to the last good state"),
    onclick: async () => {
      await commands.restoreLastGood();
      setPlaying(true);
    } });
  const card = make("div", { class: "stop-message", role: "alert", hidden: true }, words,
    make("div", { class: "buttons" }, back,
      make("button", { type: "button", class: "quiet", text: () => tr("Restart the scene"), onclick: async () => {
        await commands.restart();
        setPlaying(true);
      } })));
  on("status", () => {
    leave(card, () => (card.hidden = !run.status.stop_reason));
    if (!run.status.stop_reason) return;
    setPlaying(false);
    const now = withLabels(run.status.stop_reason);
    if (words.textContent !== now) words.replaceChildren(make("span", { text: () => withLabels(run.status.stop_reason) }));
    back.hidden = !run.status.can_restore_last_good;
  });
  return card;
}

// The bar below the picture: time, speed, undo; what is done with the picture and the scene.
import { iconButton, make, setIcon } from "./dom.js";
import { isFilming, chooseFile, savePicture, saveState, toggleFilm } from "./exports.js";
import { leave } from "./focus.js";
import { lookAgain, pace, showAgain, takeOneStep } from "./frames.js";
import { decimals, grouped, numberText, rateText } from "./numbers.js";
import { deed, withLabels, on, run, setPlaying, startAgain, stepTakesLong, tellNote } from "./run.js";
import { say } from "./say.js";

// ---- what buttons and keys do

export const commands = {
  playPause: () => setPlaying(!run.playing),
  singleStep() {
    setPlaying(false);
    takeOneStep();
    lookAgain();
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
    deed("view", { camera: { center: [0.5, 0.5], zoom: 1, yaw: 0, pitch: 0, ...run.homeCamera } });
    showAgain();
  },
};

async function again(name, request) {
  await deed(name, request);
  run.touched = true;
  lookAgain();
}

const speedWords = () => ({ per_second: say("steps a second"), per_frame: say("steps a frame"),
  real_time: say("time units a second") })[pace.unit];
const speedHelp = () => ({ per_second: say("Steps taken in a second, however many pictures that has"),
  per_frame: say("Steps taken between two pictures: faster where pictures come faster"),
  real_time: say("Simulated time that passes in a second, however many steps and pictures that takes") })[pace.unit];

function speedText() {
  if (pace.unit === "per_frame") return numberText(pace.rate / 60, 3);
  if (pace.unit === "real_time") return pace.speed > 0 ? numberText(pace.speed, 3) : "–";
  return rateText(pace.rate);
}

export function transport(open) {
  const button = (name, words, press, properties) => iconButton(name, words, press, properties);
  const play = button("pause", () => (run.playing ? say("Pause") : say("Play")) + "  (Space)", commands.playPause,
    { class: "icon-button play" });
  const step = button("step", () => `${say("One step (pauses)")}  ( . )`, commands.singleStep);
  const undo = button("undo", () =>
    `${say("Undo")}${run.status?.next_undo ? `: ${say(run.status.next_undo)}` : ""}  (Ctrl+Z)`,
    commands.undo);
  const redo = button("redo", () =>
    `${say("Redo")}${run.status?.next_redo ? `: ${say(run.status.next_redo)}` : ""}  (Ctrl+Y)`,
    commands.redo);
  const speed = make("button", { type: "button", class: "speed", onclick: () => {
    commands.speedUnit();
    showClock();
  }, title: () => `${speedHelp()}. ${say("A click counts in another unit")}  (U)` });
  const clock = make("span", { class: "clock" }), film = button("film", () =>
    isFilming() ? say("End the film and keep it") : say("Film: what is seen, until it is ended"), toggleFilm);

  const showClock = () => {
    const words = `${speedText()} ${speedWords()}`;
    const yields = run.playing && pace.yields, reached = rateText(pace.reached);
    // (Where there is no room beside the clock, what is reached stands here in place of the unit.)
    speed.replaceChildren(make("b", { text: speedText() }), make("small", { class: "unit", text: speedWords() }),
      yields ? make("small", { class: "reached", text: say("{} a second reached", reached) }) : "");
    speed.classList.toggle("yields-here", yields);
    speed.setAttribute("aria-label", say("Speed of the run: {}", words));
    const { step: steps, time } = run.look ?? { step: run.status?.steps ?? 0, time: run.status?.time ?? 0 };
    clock.classList.toggle("warning", yields);
    clock.replaceChildren(yields
      ? make("span", { class: "yields", text: say("{} a second reached, to stay fluid", reached) }) : "",
    make("span", { class: "clock-step", text: say("step {}", grouped(steps)) }),
    make("span", { text: `t = ${decimals(time.toFixed(2))}` }));
  };
  const show = () => {
    setIcon(play, run.playing ? "pause" : "play");
    for (const one of [play, undo, redo]) one.sayings.forEach((words, name) => one.setAttribute(name, words()));
    play.disabled = step.disabled = Boolean(run.status?.stop_reason);
    undo.disabled = !run.status?.next_undo;
    redo.disabled = !run.status?.next_redo;
  };
  on("status", show);
  on("playing", show);
  on("look", showClock);
  on("scene", showClock);
  on("film", () => {
    film.classList.toggle("on", isFilming());
    film.sayings.forEach((words, name) => film.setAttribute(name, words()));
  });
  document.addEventListener("retold", () => run.status && showClock());

  return make("div", { class: "transport part-play", role: "toolbar", "aria-label": () => say("Time and files") },
    make("div", { class: "transport-left" },
      button("restart", () => `${say("Restart the scene")}  (R)`, commands.restart), play, step, undo, redo),
    make("div", { class: "transport-speed" },
      button("minus", () => `${say("Slower")}  ( - )`, () => {
        commands.slower();
        showClock();
      }), speed,
      button("plus", () => `${say("Faster")}  ( + )`, () => {
        commands.faster();
        showClock();
      })),
    clock,
    make("div", { class: "transport-right" },
      button("keep", () => `${say("Restart, keep walls and sources")}  (Shift+R)`, commands.restartKeeping),
      button("home", () => `${say("Show the whole domain")}  (Home)`, commands.homeView),
      button("camera", () => `${say("Save the picture as PNG")}  (P)`, savePicture), film,
      button("disk", () => say("Save the state to a file"), saveState),
      button("folder", () => say("Open a file"), chooseFile),
      button("expand", () => say("Full screen"), fullScreen),
      button("information", () => `${say("What am I seeing")}  (F4)`, () => open("about"))));
}

export function fullScreen() {
  const refuse = () => tellNote(() => say("This browser does not let the page fill the screen: open it in a window " +
    "of its own, or add it to the home screen and open it there."), "error");
  if (document.fullscreenElement) document.exitFullscreen();
  else if (document.documentElement.requestFullscreen) document.documentElement.requestFullscreen().catch(refuse);
  else refuse(); // phones of Apple
}

// The run had to stop: why, and the ways on.
export function stopMessage() {
  const words = make("p", {});
  const back = make("button", { type: "button", class: "accent", text: () => say("Back to the last good state"),
    onclick: async () => {
      await commands.restoreLastGood();
      setPlaying(true);
    } });
  const card = make("div", { class: "stop-message", role: "alert", hidden: true }, words,
    make("div", { class: "buttons" }, back,
      make("button", { type: "button", class: "quiet", text: () => say("Restart the scene"), onclick: async () => {
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

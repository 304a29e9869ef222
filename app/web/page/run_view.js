// Layout of a run: the view with its overlays, the bar below, and the panels next to it.
import { colorBar } from "./color_bar.js";
import { startCrosshair } from "./crosshair.js";
import { deviceHelp, deviceText, paceTag } from "./device.js";
import { make } from "./dom.js";
import { setCanvas } from "./exports.js";
import { leave } from "./focus.js";
import { refreshDiagnostics, pace, startFrames } from "./frames.js";
import { decimalsWithin, rateText } from "./numbers.js";
import { kernelPanel, physicsPanel } from "./physics_panel.js";
import { lessonPanel } from "./lesson_panel.js";
import { partsAsked } from "./link.js";
import { plotsPanel } from "./plots_panel.js";
import { on, run, startAgain } from "./run.js";
import { tr } from "./i18n.js";
import { scrollHint } from "./scroll_hint.js";
import { hintBox, scenePanel, toolPanel } from "./scene_panel.js";
import { startPointerInput } from "./pointer_input.js";
import { transport, stopMessage } from "./transport.js";
import { turnPad } from "./turn_pad.js";
import { viewPanel } from "./view_panel.js";

const tabs = [
  { id: "lesson", words: () => tr("Lesson"), make: lessonPanel, part: "scene" },
  { id: "physics", words: () => tr("Physics"), make: physicsPanel, part: "parameters" },
  { id: "view", words: () => tr("View"), make: viewPanel, part: "view" },
  { id: "plots", words: () => tr("Plots"), make: plotsPanel, part: "plots" },
  { id: "kernels", words: () => tr("Kernels"), make: kernelPanel, part: "parameters" },
];

function tabbed() {
  const asked = partsAsked();
  const list = make("div", { class: "tabs", role: "tablist", "aria-label": () => tr("Panels") }),
    pages = make("div", {});
  const shown = tabs.filter((tab) => !asked || asked.includes(tab.part));
  let chosen = "";
  const choose = (id, focus = false) => {
    if (!shown.some((tab) => tab.id === id)) return;
    chosen = id;
    for (const tab of shown) {
      const on = tab.id === id;
      tab.button.setAttribute("aria-selected", String(on));
      tab.button.tabIndex = on ? 0 : -1;
      tab.page.hidden = !on;
      if (on && focus) tab.button.focus();
    }
    run.curvesShown = id === "plots";
    refreshDiagnostics();
  };
  for (const tab of shown) {
    tab.button = make("button", { type: "button", role: "tab", id: `tab-${tab.id}`, "aria-controls": `page-${tab.id}`,
      text: tab.words, onclick: () => choose(tab.id) });
    tab.page = make("div", { role: "tabpanel", id: `page-${tab.id}`, "aria-labelledby": `tab-${tab.id}`,
      class: "page" },
      tab.make());
    list.append(tab.button);
    pages.append(tab.page);
  }
  list.addEventListener("keydown", (event) => {
    const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!way) return;
    event.preventDefault();
    const open = shown.filter((tab) => !tab.button.hidden);
    const at = open.findIndex((tab) => tab.id === chosen);
    choose(open[(at + way + open.length) % open.length].id, true);
  });
  const lesson = shown.find((tab) => tab.id === "lesson");
  let inLesson = false;
  const showLesson = () => {
    if (lesson) lesson.button.hidden = !run.lesson;
    if (Boolean(run.lesson) !== inLesson) choose(run.lesson ? "lesson" : "physics");
    inLesson = Boolean(run.lesson);
  };
  on("lesson", showLesson);
  on("tab", (id) => choose(id, true));
  showLesson();
  choose(shown.find((tab) => tab.id !== "lesson")?.id ?? "");
  return shown.length ? make("div", { class: "tabbed" }, list, pages) : null;
}

// A dash while nothing has been counted yet.
const countedText = (rate) => (rate > 0 ? rateText(rate) : "\u2013");

function statusBar() {
  const device = make("span", { text: deviceText, title: deviceHelp });
  const fps = make("span", {}), rate = make("span", {}), value = make("span", { class: "value" });
  on("engine", () => device.boundTexts.forEach((words, name) =>
    (name ? device.setAttribute(name, words()) : (device.textContent = words()))));
  on("diagnostics", () => {
    fps.textContent = run.playing ? tr("{} fps", countedText(pace.framesPerSecond)) : "";
    rate.textContent = run.playing ? tr("{} steps/s", countedText(pace.reached)) : "";
    value.textContent = run.pointer && run.diagnostics.value ? decimalsWithin(tr(run.diagnostics.value)) : "";
  });
  return make("footer", { class: "status part-play" }, device, fps, rate, value);
}

// Message for a step that takes long, with a button to cancel it.
function silenceCard() {
  const card = make("div", { class: "stop-message", role: "status", hidden: true },
    make("p", { text: () => tr("A step takes long. Wait for it, or start the scene anew with smaller numbers.") }),
    make("div", { class: "buttons" }, make("button", { type: "button", class: "quiet", text: () =>
      tr("Start the scene anew"),
      onclick: () => {
        leave(card, () => (card.hidden = true));
        startAgain();
      } })));
  on("silence", (silent) => leave(card, () => (card.hidden = !silent)));
  return card;
}

export function makeRunView(main, openDialog) {
  const asked = partsAsked();
  const canvas = make("canvas", { id: "picture", tabindex: 0, role: "application", "aria-describedby": "picture-help",
    "aria-label": () => tr("The picture of the run: {}", tr(run.status?.title ?? "")) });
  const ring = make("span", { class: "ring", hidden: true }),
    cross = make("span", { class: "crosshair", hidden: true });
  const stage = make("div", { class: "stage" }, canvas, ring, cross, hintBox(), colorBar(), paceTag(), turnPad(),
    scrollHint(), stopMessage(), silenceCard(),
    make("p", { id: "picture-help", class: "visually-hidden", text: () =>
      tr("Arrow keys move a crosshair, Enter uses the tool there, with Ctrl its opposite; " +
        "Shift and arrow keys drag, Alt and arrow keys turn what has depth. F4 says what is to be seen.") }));
  on("scene", () => canvas.setAttribute("aria-label", tr("The picture of the run: {}", tr(run.status.title))));
  const panel = make("aside", { id: "panel", "aria-label": () => tr("Panels") }, scenePanel(), toolPanel(), tabbed());
  const left = make("div", { class: "left" }, stage, transport(openDialog), statusBar());
  main.append(left, panel);
  // On narrow windows, where the panels scroll below the view, a focused control must not be hidden behind the view.
  new ResizeObserver(() => document.documentElement.style.setProperty("--left-height", `${left.offsetHeight}px`))
    .observe(left);
  if (asked) {
    document.documentElement.classList.add("embedded");
    for (const part of ["play", "tools", "scene", "bar", "hint"])
      if (!asked.includes(part)) document.documentElement.classList.add(`without-${part}`);
    if (!asked.some((part) => ["tools", "scene", "parameters", "view", "plots"].includes(part)))
      document.documentElement.classList.add("without-panel");
  }
  on("panels", () => {
    document.documentElement.classList.toggle("no-panel");
  });
  setCanvas(canvas);
  startFrames(canvas);
  startPointerInput(canvas, ring);
  startCrosshair(cross, canvas);
}

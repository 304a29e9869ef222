// Layout of a run: the view with its overlays, the bar below, and the panels next to it.
import { isOfClass } from "./class_link.js";
import { colorBar } from "./color_bar.js";
import { deviceHelp, deviceText, paceTag } from "./device.js";
import { make } from "./dom.js";
import { setCanvas } from "./exports.js";
import { refreshDiagnostics, startFrames } from "./frames.js";
import { leaveButton } from "./full_screen.js";
import { tr } from "./i18n.js";
import { startCrosshair } from "./keys.js";
import { lessonPanel } from "./lesson_panel.js";
import { partsAsked } from "./link.js";
import { loupe } from "./loupe.js";
import { microscopeTable } from "./microscope.js";
import { rateText } from "./numbers.js";
import { hintBox, scrollHint, silenceCard, stopMessage, turnPad } from "./overlays.js";
import { pace } from "./pace.js";
import { kernelPanel, physicsPanel } from "./physics_panel.js";
import { plotsPanel, sceneReadings } from "./plots.js";
import { startPointerInput } from "./pointer_input.js";
import { inClass, on, run } from "./run.js";
import { sceneAbout, toolPanel } from "./scene_panel.js";
import { connectionLine, keepShape } from "./served.js";
import { settings } from "./settings.js";
import { transport } from "./transport.js";
import { viewMarks } from "./view_marks.js";
import { viewPanel } from "./view_panel.js";

const tabs = [
  { id: "lesson", label: () => tr("Lesson"), make: lessonPanel, part: "scene" },
  { id: "physics", label: () => tr("Physics"), make: physicsPanel, part: "parameters" },
  { id: "view", label: () => tr("View"), make: viewPanel, part: "view" },
  { id: "plots", label: () => tr("Plots"), make: plotsPanel, part: "plots" },
  { id: "kernels", label: () => tr("Kernels"), make: kernelPanel, part: "parameters", fullOnly: true },
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
      const isChosen = tab.id === id;
      tab.button.setAttribute("aria-selected", String(isChosen));
      tab.button.tabIndex = isChosen ? 0 : -1;
      tab.page.hidden = !isChosen;
      if (isChosen && focus) tab.button.focus();
    }
    run.curvesShown = id === "plots";
    refreshDiagnostics();
  };
  for (const tab of shown) {
    tab.button = make("button", { type: "button", role: "tab", id: `tab-${tab.id}`, "aria-controls": `page-${tab.id}`,
      class: tab.fullOnly ? "full-only" : null, text: tab.label, onclick: () => choose(tab.id) });
    tab.page = make("div", { role: "tabpanel", id: `page-${tab.id}`, "aria-labelledby": `tab-${tab.id}`,
      class: "page" },
      tab.make());
    list.append(tab.button);
    pages.append(tab.page);
  }
  list.addEventListener("keydown", (event) => {
    const direction = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!direction) return;
    event.preventDefault();
    const open = shown.filter((tab) => !tab.button.hidden && !(tab.fullOnly && settings.simple));
    const at = open.findIndex((tab) => tab.id === chosen);
    choose(open[(at + direction + open.length) % open.length].id, true);
  });
  const lesson = shown.find((tab) => tab.id === "lesson");
  let shownStep = "";
  const showLesson = () => {
    if (lesson) lesson.button.hidden = !run.lesson;
    // (Pupils see each step that their teacher opens.)
    const step = run.lesson ? inClass() ? `step ${run.lesson.index}` : "any" : "";
    if (step !== shownStep) choose(run.lesson ? "lesson" : "physics");
    shownStep = step;
  };
  on("lesson", showLesson);
  on("tab", (id) => choose(id, true));
  on("object clicked", () => choose("physics"));
  on("instrument clicked", () => choose("plots"));
  on("settings", () => settings.simple && shown.some((tab) => tab.id === chosen && tab.fullOnly) && choose("physics"));
  showLesson();
  choose(shown.find((tab) => tab.id !== "lesson")?.id ?? "");
  return shown.length ? make("div", { class: "tabbed" }, list, pages) : null;
}

// A dash while nothing has been counted yet.
const countedText = (rate) => (rate > 0 ? rateText(rate) : "\u2013");

function statusBar() {
  const device = make("span", { text: deviceText, title: deviceHelp });
  const fps = make("span", {}), value = make("span", { class: "value" });
  const rate = make("span", { title: () =>
    tr("Steps per second that the run reaches. The bar above shows the chosen speed.") });
  on("engine", () => device.boundTexts.forEach((getText, name) =>
    (name ? device.setAttribute(name, getText()) : (device.textContent = getText()))));
  on("diagnostics", () => {
    fps.textContent = run.playing ? tr("{} fps", countedText(pace.framesPerSecond)) : "";
    rate.textContent = run.playing ? tr("{} steps/s reached", countedText(pace.reached)) : "";
  });
  const showValue = () => {
    value.textContent = run.pointer ? tr(run.overlay?.value ?? run.diagnostics?.value) : "";
  };
  for (const event of ["diagnostics", "overlay"]) on(event, showValue);
  return make("footer", { class: "status part-play" }, device, fps, rate, value);
}

export function makeRunView(main, openDialog) {
  const asked = partsAsked();
  const canvas = make("canvas", { id: "view", tabindex: 0, role: "application", "aria-describedby": "view-help",
    "aria-label": () => tr("View of the run: {}", tr(run.status?.title ?? "")) });
  const ring = make("span", { class: "ring", hidden: true }),
    cross = make("span", { class: "crosshair", hidden: true });
  const marks = viewMarks(canvas);
  const stage = make("div", { class: "stage" }, canvas, marks, ring, cross, loupe([canvas, marks]), microscopeTable(canvas),
    colorBar(), paceTag(), turnPad(), scrollHint(), stopMessage(), silenceCard(), leaveButton(),
    ...(run.remote || isOfClass() ? [connectionLine()] : []),
    make("p", { id: "view-help", class: "visually-hidden", text: () =>
      tr("Arrow keys move a crosshair. Enter uses the tool there, Ctrl + Enter its opposite. Shift + arrow keys " +
        "drag; Alt + arrow keys turn 3-D views. F4 describes the scene.") }));
  on("scene", () => canvas.setAttribute("aria-label", tr("View of the run: {}", tr(run.status.title))));
  const panel = make("aside", { id: "panel", "aria-label": () => tr("Panels") }, toolPanel(), tabbed(), sceneAbout());
  const left = make("div", { class: "left" }, stage, sceneReadings(), transport(openDialog), statusBar());
  main.append(left, panel);
  // Where an embedding page omits the panels, below the view.
  const hint = hintBox();
  // On narrow windows, where the panels scroll below the view, a focused control must not be hidden behind the view.
  // (In the next frame, because the height of messages, which are observed too, depends on it.)
  new ResizeObserver(() => requestAnimationFrame(() =>
    document.documentElement.style.setProperty("--left-height", `${left.offsetHeight}px`))).observe(left);
  if (asked) {
    document.documentElement.classList.add("embedded");
    for (const part of ["play", "tools", "scene", "bar", "hint"])
      if (!asked.includes(part)) document.documentElement.classList.add(`without-${part}`);
    if (!asked.some((part) => ["tools", "scene", "parameters", "view", "plots"].includes(part)))
      document.documentElement.classList.add("without-panel");
  }
  if (document.documentElement.classList.contains("without-panel")) stage.after(hint);
  else panel.prepend(hint);
  on("panels", () => {
    document.documentElement.classList.toggle("no-panel");
  });
  if (run.remote) keepShape(stage);
  setCanvas(canvas);
  startFrames(canvas);
  startPointerInput(canvas, ring);
  startCrosshair(cross, canvas);
}

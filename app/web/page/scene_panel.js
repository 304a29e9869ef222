// The scene's name as a list of all scenes, its equation, and the tools.
import { buttonText } from "./command_table.js";
import { hasIcon, icon, iconButton, make } from "./dom.js";
import { fingerHelp, tr } from "./i18n.js";
import { keepScene, keptLink } from "./keep.js";
import { chooseTool } from "./pointer_input.js";
import { brushDefault, brushOf, on, run, setBrush, showMessage, toolIsOfStep, toolIsOpen, whyToolIsClosed } from "./run.js";
import { forTeacher } from "./served.js";
import { valueRow } from "./value_row.js";

export function neighbour(direction) {
  const scenes = run.catalog.simulations.flatMap((one) => one.presets.map((preset) => preset.scene));
  const here = scenes.indexOf(run.status?.scene);
  return scenes[(here + direction + scenes.length) % scenes.length];
}
// A scene that was changed in this tab opens with its changes; the gallery opens it fresh.
let restored = "";
export async function goTo(scene) {
  await keepScene();
  restored = run.remote ? "" : keptLink(scene) ?? "";
  location.hash = restored || `s=${scene}`;
}

// An equation of the tables in mathematical typesetting, as in the window: letters are italic, "_" and "^" make
// subscripts and superscripts.
export function equation(text) {
  const node = make("div", { class: "equation", role: "math", "aria-label": text });
  const shown = make("span", { "aria-hidden": "true" });
  const line = shown;
  let level = 0, braced = false, part = null;
  const signs = [...text];
  const put = (sign) => {
    const letter = /\p{L}/u.test(sign);
    const kind = `${letter}${level}`;
    if (part?.dataset.kind !== kind) {
      part = document.createElement(letter ? "i" : "span");
      part.dataset.kind = kind;
      const outer = level < 0 ? document.createElement("sub") : level > 0 ? document.createElement("sup") : null;
      if (outer) outer.append(part);
      line.append(outer ?? part);
    }
    part.textContent += sign;
  };
  for (let i = 0; i < signs.length; ++i) {
    const sign = signs[i];
    if ((sign === "_" || sign === "^") && level === 0) {
      level = sign === "_" ? -1 : 1;
      braced = signs[i + 1] === "{";
      if (braced) ++i;
      part = null;
      continue;
    }
    if (level !== 0 && braced && sign === "}") {
      level = 0;
      part = null;
      continue;
    }
    if (level !== 0 && !braced && !/[\p{L}\p{N}]/u.test(sign)) {
      level = 0;
      part = null;
    }
    put(sign);
  }
  node.append(shown);
  return node;
}

// The list of scenes for the top of the page, with buttons for the next and the previous one.
export function scenePicker() {
  const choose = make("select", { class: "scene-select", "aria-label": () => tr("Scene"),
    onchange: () => goTo(choose.value) });
  const buttons = make("span", {},
    iconButton("previous", () => buttonText("previous-scene"), () => goTo(neighbour(-1))),
    iconButton("next", () => buttonText("next-scene"), () => goTo(neighbour(1))));
  const picker = make("div", { class: "scene-choice part-scene run-only" }, forTeacher(choose, buttons));
  // As wide as the scene's name. A name that is wider than its place gets smaller letters.
  const ruler = document.createElement("canvas").getContext("2d");
  const fit = () => {
    choose.style.fontSize = "";
    const { fontWeight, fontSize, fontFamily } = getComputedStyle(choose), em = parseFloat(fontSize);
    ruler.font = `${fontWeight} ${fontSize} ${fontFamily}`;
    const { width } = ruler.measureText(choose.selectedOptions[0]?.text ?? ""), edges = 3 * em; // with the arrow
    const room = picker.clientWidth - buttons.offsetWidth - edges;
    if (room > 0 && width > room) choose.style.fontSize = `${Math.floor(em * room / width * 10) / 10}px`;
    choose.style.flexBasis = `${Math.ceil(width + edges)}px`;
  };
  new ResizeObserver(fit).observe(picker);
  document.addEventListener("retranslated", fit);
  on("engine", () => {
    choose.replaceChildren(...run.catalog.simulations.map((simulation) =>
      make("optgroup", { label: () => tr(simulation.title) }, simulation.presets.map((preset) =>
        make("option", { value: preset.scene, text: () => tr(preset.title) })))));
  });
  on("scene", () => {
    choose.value = run.status.scene;
    fit();
    if (restored && location.hash === restored)
      showMessage(() => tr("Your changes to this scene were restored. Choose it in the gallery to start without " +
        "them."));
    restored = "";
  });
  return picker;
}

export function sceneAbout() {
  const about = make("section", { class: "scene-about part-scene", "aria-label": () => tr("Scene") });
  on("scene", () => about.replaceChildren(...[
    run.simulation.equation && equation(run.simulation.equation),
    make("p", { class: "dim", text: () => tr(run.simulation.summary) })].filter(Boolean)));
  on("lesson", () => (about.hidden = Boolean(run.lesson)));
  return about;
}

export function toolPanel() {
  const buttons = make("div", { class: "tools", role: "radiogroup", "aria-label": () => tr("Tool") });
  const help = make("p", { class: "dim small tool-help" });
  const fields = make("div", { class: "rows full-only" });
  const settings = make("div", { class: "tool-settings" }, help, fields);
  let rows = [], width = 0;

  function showTool() {
    const tool = run.simulation.tools.find((one) => one.id === run.tool);
    for (const button of buttons.querySelectorAll("input")) {
      // (A checked button would not act when it is pressed.)
      button.checked = button.value === run.tool && !tool?.immediate;
      button.disabled = !toolIsOpen(button.value);
      button.parentElement.hidden = !toolIsOfStep(button.value);
    }
    showNames();
    if (!tool) return;
    fill(tool);
    showValues();
  }

  function fill(tool) {
    const sized = !tool.wheel && tool.brush.some((field) => field.id === "radius");
    help.replaceChildren(make("span", { text: fingerHelp }), " ", make("span", { text: () => tr(tool.help) }), " ",
      sized ? make("span", { class: "fine-only", text: () => tr("Ctrl + wheel: the radius.") }) : "");
    rows = tool.brush.map((field) => valueRow(field, { set: (value) => setBrush(tool.id, field.id, value) }));
    fields.replaceChildren(...rows.map((row) => row.node));
  }

  // Every tool shows its name, if all have room; otherwise the chosen one.
  function showNames() {
    for (const names of ["named", "", "bare"]) {
      buttons.className = `tools ${names}`;
      if (buttons.scrollWidth <= buttons.clientWidth + 1) break;
    }
  }

  // Reserves the height of the tool with the longest text, so that the tabs below stay in place when another tool is
  // chosen.
  function reserve() {
    if (!run.simulation) return;
    settings.style.minHeight = "";
    const heights = run.simulation.tools.map((tool) => {
      fill(tool);
      return settings.getBoundingClientRect().height;
    });
    settings.style.minHeight = `${Math.max(0, ...heights)}px`;
    showTool();
  }
  // (The buttons fix the width. An observer that changes the size of what it observes raises an error event of the
  // page.)
  new ResizeObserver(() => {
    if (buttons.offsetWidth === width) return;
    width = buttons.offsetWidth;
    reserve();
  }).observe(buttons);
  const showValues = () => rows.forEach((row) => row.show(brushOf(run.tool)[row.info.id], brushDefault(row.info)));

  on("scene", () => {
    buttons.replaceChildren(...run.simulation.tools.map((tool, i) =>
      make("label", { class: "tool", title: () => whyToolIsClosed(tool.id) ||
        `${tr(tool.help)}${i < 9 ? `\n${tr("Key {}", i + 1)}` : ""}` },
        make("input", { type: "radio", name: "tool", value: tool.id, onchange: () => chooseTool(tool.id) }),
        make("span", {}, hasIcon(`tool-${tool.id}`) && icon(`tool-${tool.id}`),
          make("span", { class: hasIcon(`tool-${tool.id}`) ? "tool-name" : "", text: () => tr(tool.label) })))));
    reserve();
  });
  on("settings", (key) => (key === "language" || key === "simple") && requestAnimationFrame(reserve));
  document.addEventListener("retranslated", showNames);
  on("settings", (key) => key === "sceneUnits" && run.status && showValues());
  on("tool", showTool);
  for (const event of ["lesson", "remote"]) on(event, () => run.simulation && showTool());
  on("brush", showValues);
  on("status", showValues); // a setting may follow a parameter
  // A touch screen has no right button.
  const opposite = make("input", { type: "checkbox", role: "switch", onchange: () => (run.opposite = opposite.checked) });
  const section = make("section", { class: "tool-panel part-tools", "aria-label": () => tr("Tool") },
    make("div", { class: "tool-row" }, buttons,
      make("label", { class: "tool opposite touch-only", title: () =>
        tr("A finger or pen acts like the right mouse button.") }, opposite,
      make("span", {}, icon("opposite"), make("span", { class: "visually-hidden", text: () =>
        tr("The tool's opposite") })))),
    settings);
  on("lesson", () => (section.hidden = run.lesson?.step.tools?.length === 0));
  return section;
}

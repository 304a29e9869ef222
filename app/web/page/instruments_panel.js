// The buttons that add instruments, for the bar, and in the tab "Plots" a list of the instruments with their readings and
// the settings of the selected one.
import { iconButton, make, replaceKeepingFocus } from "./dom.js";
import { tr } from "./i18n.js";
import { addInstrument, changeInstrument, instruments, kinds, pressStopwatch, removeInstrument, selectedInstrument,
  selectInstrument } from "./instruments.js";
import { microscopeButton } from "./microscope.js";
import { playedProbe, playProbe, soundHelp } from "./probe_sound.js";
import { on, run, whyTeacherOnly } from "./run.js";
import { forTeacher, limited } from "./served.js";
import { valueRow } from "./value_row.js";

export function instrumentButtons() {
  return make("div", { class: "instrument-buttons", role: "group", "aria-label": () => tr("Instruments") },
    kinds.map(({ id, label, help }) => limited(iconButton(id, label, () => addInstrument(id),
      { title: () => `${label()}\n${help()}`, "data-kind": id }), whyTeacherOnly)), microscopeButton());
}

const number = { id: "count", label: "Intervals", help: "Number of intervals; shows the length of one.", kind: "integer",
  unit: "", scale: "linear", minimum: 1, maximum: 50, default: 1 };
const mean = { id: "averaged", label: "Mean over time", kind: "boolean", default: false,
  help: "The mean profile since this was switched on, instead of the current one." };

// Controls of one instrument: {nodes, show(one)}.
function settingsOf({ kind, id }) {
  const own = () => instruments().find((one) => one.id === id) ?? { id };
  const button = (press, text = () => "") => make("button", { type: "button", class: "quiet", text, onclick: press });
  if (kind === "ruler") {
    const row = valueRow(number, { set: (count) => changeInstrument({ id }, { count }) });
    return { nodes: [row.node], show: (one) => row.show(one.count) };
  }
  if (kind === "cut") {
    const row = valueRow(mean, { set: (averaged) => changeInstrument({ id }, { averaged }) });
    return { nodes: [row.node], show: (one) => row.show(one.averaged) };
  }
  if (kind === "stopwatch") {
    const toggle = button(() => pressStopwatch({ id }));
    const show = (one) => (toggle.textContent = tr(one.runs ? "Stop" : "Start"));
    return { nodes: [toggle, button(() => changeInstrument({ id }, { watch: "restart" }), () => tr("Reset"))], show };
  }
  if (kind !== "probe") return { nodes: [], show: () => {} };
  const sound = button(() => playProbe(own())), help = make("p", { class: "small dim" });
  const show = () => {
    const plays = playedProbe() === id;
    sound.textContent = tr(plays ? "Stop sound" : "Play sound");
    sound.setAttribute("aria-pressed", String(plays));
    help.textContent = plays ? soundHelp() : "";
  };
  return { nodes: [sound, help], show };
}

export function instrumentsPanel() {
  const list = make("div", { class: "instruments" }), settings = make("div", { class: "rows" });
  const removeAll = make("button", { type: "button", class: "quiet", text: () => tr("Remove all"), onclick: () =>
    removeInstrument() });
  let shown = "", controls = null, readings = new Map();
  const section = make("section", { class: "instruments-panel", hidden: true }, make("h2", { text: () => tr("Instruments") }),
    forTeacher(list, settings, removeAll));
  function show() {
    const all = instruments(), selected = selectedInstrument();
    section.hidden = !all.length;
    const now = JSON.stringify([run.generation, run.instrument.id, all.map((one) => [one.id, one.name])]);
    if (now !== shown) {
      shown = now;
      readings = new Map(all.map((one) => [one.id, make("b", {})]));
      controls = selected && settingsOf(selected);
      replaceKeepingFocus(list, all.map((one) => make("div", { class: "instrument" },
        make("button", { type: "button", class: "quiet", "aria-pressed": String(one === selected),
          onclick: () => selectInstrument(one === selected ? 0 : one.id) },
        make("span", { text: () => tr(one.name) }), readings.get(one.id)),
        iconButton("close", () => tr("Remove: {}", tr(one.name)), () => removeInstrument(one)))));
      replaceKeepingFocus(settings, controls?.nodes ?? []);
      removeAll.hidden = all.length < 2;
    }
    for (const one of all) readings.get(one.id).textContent = tr(one.reading);
    if (selected) controls?.show(selected);
  }
  for (const event of ["overlay", "instrument", "sound"]) on(event, show);
  document.addEventListener("retranslated", show);
  return section;
}

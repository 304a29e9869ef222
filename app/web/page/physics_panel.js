// The scene's main controls, gauges that warn before a run becomes unstable, and all parameters, grouped as in the table.
// The simple view shows the controls alone, and a gauge that warns.
import { leave, make, replaceKeepingFocus, segments } from "./dom.js";
import { refreshDiagnostics } from "./frames.js";
import { numberText } from "./numbers.js";
import { objectsPanel } from "./objects_panel.js";
import { runAction, on, parameterIsOpen, run, showMessage, whyParameterIsClosed } from "./run.js";
import { forTeacher } from "./served.js";
import { tr } from "./i18n.js";
import { set as setSetting, settings } from "./settings.js";
import { singButton } from "./singing.js";
import { valueRow } from "./value_row.js";

const isFine = ({ level }) => level === "good" || level === "unknown";

function gaugeNode(gauge) {
  const span = run.catalog.gauge_span; // the bar ends above the limit, so that exceeding it is visible
  const unknown = gauge.level === "unknown";
  const sign = unknown || gauge.level === "good" ? "" : gauge.level === "near" ? "! " : "!! ";
  let value = numberText(gauge.value, 3), limit = numberText(gauge.limit, 3);
  for (let digits = 4; value === limit && gauge.value !== gauge.limit && digits < 8; ++digits)
    [value, limit] = [numberText(gauge.value, digits), numberText(gauge.limit, digits)];
  const help = () => tr(gauge.advice);
  return make("div", { class: `gauge ${gauge.level} ${isFine(gauge) ? "full-only" : ""}`, title: help },
    make("div", { class: "gauge-head" }, make("span", { text: () => tr(gauge.label) }),
      make("span", { class: "gauge-numbers", text: () =>
        unknown ? tr("not measured yet") : sign + (gauge.only_warns ? value : tr("{0} of {1}", value, limit)) })),
    make("div", { class: "gauge-bar", role: "meter", "aria-label": () => tr(gauge.label), "aria-valuemin": 0,
      "aria-valuemax": span, "aria-valuenow": gauge.share.toFixed(3), "aria-valuetext": () =>
        unknown ? tr("not measured yet") : `${value} / ${limit}` },
    make("span", { class: "gauge-fill", style: `width:${100 * gauge.share / span}%` }),
    gauge.only_warns ? null : make("span", { class: "gauge-mark" })),
    unknown || gauge.level === "good" ? null : make("p", { class: "small gauge-help", text: help }));
}

// Sends changes of parameters. `mergeWithLast`: part of the same undo step (a slider drag).
let next = null, sending = false;
async function setParameter(id, value, mergeWithLast) {
  if (next && !(id in next.changes)) await flush();
  next = { changes: { ...next?.changes, [id]: value },
    merge_with_last: (next?.merge_with_last ?? true) && mergeWithLast };
  if (!sending) flush();
}
async function flush() {
  sending = true;
  while (next) {
    const request = next;
    next = null;
    const answer = await runAction("set", request);
    for (const message of Object.values(answer?.errors ?? {})) showMessage(() => tr(message), "error");
    if (answer) run.touched = true;
    refreshDiagnostics();
  }
  sending = false;
}

// The initial values of the parameters.
const initialValues = () => run.status.defaults;

const rowOf = (info) => valueRow(info, { restarts: info.apply === "restart",
  set: (value, mergeWithLast) => setParameter(info.id, value, mergeWithLast) });
// Parameters of this group change only what is drawn: the view's panel has their rows.
const isOfView = (info) => info.group === "Display";
export function displayRows() {
  const holder = make("div", { class: "rows" });
  let rows = [];
  on("scene", () => {
    rows = run.simulation.parameters.filter(isOfView).map(rowOf);
    holder.replaceChildren(...rows.map((row) => row.node));
  });
  on("status", () => showRows(rows));
  on("lesson", () => run.status && showRows(rows));
  return holder;
}
function showRows(rows) {
  for (const row of rows)
    row.show(run.status.parameters[row.info.id], initialValues()[row.info.id], parameterIsOpen(row.info.id),
      whyParameterIsClosed(row.info.id));
}

// The parameters that the scene names as its main controls, in its order.
const infosOf = (ids) => ids.map((id) => run.simulation.parameters.find((one) => one.id === id)).filter(Boolean);
const mainControls = () => infosOf(run.status.controls ?? []);

// Chooses between the simple and the full view of the panels.
function detailChoice() {
  const holder = make("div", {});
  const show = () => replaceKeepingFocus(holder, [segments("detail", () => tr("Controls"), [
    { id: "simple", label: () => tr("Simple") }, { id: "full", label: () => tr("Full") }],
  settings.simple ? "simple" : "full", (id) => setSetting("simple", id === "simple"))]);
  show();
  on("settings", (key) => key === "simple" && show());
  return holder;
}

export function physicsPanel() {
  const gauges = make("div", { class: "gauges" });
  const stability = make("section", { hidden: true }, make("h2", { text: () => tr("Stability") }), gauges);
  const main = make("section", { class: "controls", "aria-label": () => tr("Controls") }), others = make("div", {});
  const sing = singButton();
  let rows = [], drawn = "";

  async function resetAll() {
    const initial = initialValues();
    const changes = Object.fromEntries(run.simulation.parameters
      .filter((info) => parameterIsOpen(info.id) && run.status.parameters[info.id] !== initial[info.id])
      .map((info) => [info.id, initial[info.id]]));
    if (Object.keys(changes).length) await runAction("set", { changes, merge_with_last: false });
    refreshDiagnostics();
  }

  on("scene", () => {
    const controls = mainControls(), rest = run.simulation.parameters.filter((one) => !controls.includes(one));
    rows = [];
    const rowsOf = (infos) => make("div", { class: "rows" }, infos.map((info) => {
      const row = rowOf(info);
      rows.push(row);
      return row.node;
    }));
    main.replaceChildren(rowsOf(controls));
    if (run.status.sung && !run.remote) rows.find((row) => row.info.id === run.status.sung)?.node.after(sing);
    main.hidden = !controls.length;
    // (A file may name a scene without controls.)
    others.classList.toggle("full-only", controls.length > 0);
    const groups = new Set(rest.filter((one) => !isOfView(one)).map((one) => one.group));
    others.replaceChildren(...[...groups].map((name) => make("section", {},
      make("h2", { text: () => tr(name || "Parameters") }), rowsOf(rest.filter((one) => one.group === name)))));
    drawn = "";
  });
  on("status", () => {
    showRows(rows);
    const now = JSON.stringify(run.status.gauges);
    if (now === drawn) return;
    drawn = now;
    stability.hidden = !run.status.gauges.length;
    stability.classList.toggle("full-only", run.status.gauges.every(isFine));
    gauges.replaceChildren(...run.status.gauges.map(gaugeNode));
  });
  on("lesson", () => run.status && showRows(rows));
  return make("div", {}, main, stability, forTeacher(countRow(), lighterOffer()), objectsPanel(),
    make("div", { class: "detail" }, detailChoice(),
      make("button", { type: "button", class: "link reset-all", text: () => tr("Reset all"), onclick: resetAll })),
    others);
}

// The parameters that a lesson's step lets change, for its panel: {first, others}. `first` begins it, so that it is in sight.
export function stepControls() {
  const first = make("div", { class: "rows step-control", hidden: true });
  const others = make("div", { class: "rows", hidden: true });
  let rows = [], drawn = "";
  const show = () => {
    const { lesson } = run;
    if (!run.status || !lesson) return;
    const infos = lesson.step.unlocked ? infosOf(lesson.step.unlocked) : mainControls();
    const now = JSON.stringify([run.generation, lesson.lesson.path, lesson.index, infos.map((one) => one.id)]);
    if (now !== drawn) {
      drawn = now;
      rows = infos.map(rowOf);
      const [one, ...more] = rows.map((row) => row.node);
      first.replaceChildren(...(one ? [one] : []));
      others.replaceChildren(...more);
      first.hidden = !one;
      others.hidden = !more.length;
    }
    showRows(rows);
  };
  on("status", show);
  on("lesson", show);
  return { first, others };
}

// The number of fibers, of a scene that may open with fewer than its preset has.
function countRow() {
  const holder = make("div", { class: "rows" }), note = make("p", { class: "small dim", text: () =>
    tr(run.status?.count?.text) });
  const all = make("button", { type: "button", class: "quiet", text: () => tr("Use all {}", run.status?.count?.preset),
    onclick: () => choose(run.status.count.preset) });
  const offer = make("div", { class: "count-offer" }, note, all);
  const section = make("section", { class: "count", hidden: true }, holder, offer);
  let row = null, shown = "";
  async function choose(value) {
    await runAction("count", { value });
    run.touched = true;
    refreshDiagnostics();
  }
  const show = () => {
    const { count } = run.status;
    section.hidden = !count || Boolean(run.lesson);
    if (section.hidden) return;
    const maximum = Math.max(count.preset, count.value), now = JSON.stringify([run.generation, count.label, maximum]);
    if (now !== shown) {
      shown = now;
      row = valueRow({ id: "count", label: count.label, kind: "integer", unit: "", scale: "linear", minimum: 1,
        maximum, default: count.preset, help: "The duration of a step grows with the square of this number." },
      { restarts: true, onRelease: true, set: choose });
      replaceKeepingFocus(holder, [row.node]);
    }
    for (const one of [note, all]) one.boundTexts.forEach((getText) => (one.textContent = getText()));
    if (count.is_from_machine) offer.hidden = false;
    else leave(offer, () => (offer.hidden = true));
    row.show(count.value, count.preset, true);
  };
  on("status", show);
  on("lesson", () => run.status && show());
  // As in the window: what is shown is not the whole scene.
  on("scene", () => {
    const { count } = run.status;
    if (count?.is_from_machine && !run.lesson) showMessage(() => tr(count.text));
  });
  return section;
}

// Whether the run is a lighter variant of its scene, with a way to the full scene and back.
function lighterOffer() {
  const note = make("p", { class: "small dim", text: () => tr(run.status?.lightness?.text) });
  const full = make("button", { type: "button", class: "quiet", text: () => tr("Open the full scene"), onclick: () =>
    (location.hash = `s=${run.status.scene}-full`) });
  const back = make("button", { type: "button", class: "quiet", text: () =>
    tr("Open the scene as this machine can compute it"), onclick: () => (location.hash = `s=${run.status.scene}`) });
  const section = make("section", { class: "lighter-offer", hidden: true }, note, full, back);
  const show = () => {
    const { lightness } = run.status;
    section.hidden = !lightness || Boolean(run.lesson) || !(lightness.is_lighter || lightness.is_chosen);
    if (section.hidden) return;
    note.hidden = full.hidden = !lightness.is_lighter;
    back.hidden = lightness.is_lighter;
    note.boundTexts.forEach((getText) => (note.textContent = getText()));
  };
  on("scene", () => {
    show();
    const { lightness } = run.status;
    if (lightness?.is_from_machine && !run.lesson) showMessage(() => tr(lightness.text));
  });
  on("lesson", () => run.status && show());
  return section;
}

// Panel of the kernels: what each does differently, and its measured speed.
export function kernelPanel() {
  const choiceText = make("p", { class: "dim small" }), list = make("div", { class: "kernels", role: "radiogroup",
    "aria-label": () => tr("Kernels") });
  on("scene", () => {
    const all = [{ id: "auto", title: "Automatic", idea: "The fastest kernel that fits the scene, measured on this " +
      "device." },
      ...run.simulation.kernels.filter((one) => one.cpu)];
    list.replaceChildren(...all.map((kernel) => make("label", { class: "kernel" },
      make("input", { type: "radio", name: "kernel", value: kernel.id, onchange: () =>
        runAction("kernel", { id: kernel.id }) }),
      make("span", {}, make("b", { text: () => tr(kernel.title) }),
        make("span", { class: "small dim", text: () => tr(kernel.idea) })))),
      make("label", { class: "kernel dim" },
        make("input", { type: "radio", name: "kernel", value: "edited", disabled: true }),
        make("span", {}, make("b", { text: () => tr("Edited") }),
          make("span", { class: "small dim", text: () =>
            tr("A browser has no compiler: edit kernels in the program for the desktop.") }))));
  });
  on("status", () => {
    const choice = run.status.kernel_choice;
    if (choiceText.textContent !== tr(choice)) choiceText.replaceChildren(make("span", { text: () => tr(choice) }));
    for (const input of list.querySelectorAll("input")) input.checked = input.value === run.status.kernel;
  });
  return make("div", {}, make("h2", { text: () => tr("How a step is computed") }), choiceText, forTeacher(list));
}

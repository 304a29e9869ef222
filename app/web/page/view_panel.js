// Panel of the view: the quantity shown as colours, and the appearance of the page.
import { drawStrip, stripTicks } from "./color_bar.js";
import { make, replaceKeepingFocus, segments } from "./dom.js";
import { refreshDiagnostics, showAgain } from "./frames.js";
import { currentLanguage, tr } from "./i18n.js";
import { decimals } from "./numbers.js";
import { displayRows } from "./physics_panel.js";
import { emit, on, quantityShown, run, runAction, showMessage } from "./run.js";
import { forTeacher } from "./served.js";
import { languageChoice, set as setSetting, settings } from "./settings.js";
import { commands } from "./transport.js";
import { shownRange } from "./units.js";
import { valueRow } from "./value_row.js";

async function setView(change) {
  await runAction("view", change);
  emit("view");
  showAgain();
}

function choiceRow(info, choices, choose) {
  const row = valueRow({ id: info.label, ...info, kind: "choice", unit: "", choices }, { set: choose });
  row.node.classList.add("no-reset");
  return row;
}

function rangeRow(label, end) {
  let row = null;
  const holder = make("div", {});
  const show = () => {
    const quantity = quantityShown(), { minimum, maximum } = run.status.view;
    const reach = 4 * Math.max(...[quantity.minimum, quantity.maximum, minimum, maximum].map(Math.abs));
    const low = !quantity.signed && quantity.minimum >= 0 ? 0 : -reach;
    const key = `${quantity.id} ${low} ${Number(reach.toPrecision(1))}`;
    if (holder.dataset.key !== key) {
      holder.dataset.key = key;
      row = valueRow({ id: quantity.id, label, unit: quantity.unit, help: "An end of the colour bar.", kind: "real",
        scale: "linear", minimum: low, maximum: reach },
      { initial: quantity[end], set: (value) => {
        const changed = { ...run.status.view, [end]: value }, { minimum: least, maximum: most } = changed;
        if (least < most) return setView({ minimum: least, maximum: most, automatic: false });
        showMessage(() => tr("Cannot set this end of the colour bar: the lowest value must be below the highest one. " +
          "Change the other end first."), "error");
        show();
      } });
      holder.replaceChildren(row.node);
    }
    row.show(run.status.view[end], quantity[end]);
  };
  return { node: holder, show };
}

// Theory over the view, where the scene has some.
function theoryRows() {
  const row = valueRow({ id: "theory", label: "Theory in the view", kind: "boolean", unit: "", default: false,
    help: "Draws what theory expects over the view: fringes, rays, wavelengths, nodal lines, forces, profiles." },
  { set: commands.toggleTheory });
  row.node.classList.add("no-reset");
  const none = make("p", { class: "small dim", hidden: true, text: () => tr("This scene has no theory to draw.") });
  const show = () => {
    if (!run.status) return;
    const { theory } = run.status.view;
    // Until the first numbers arrive it is not known.
    none.hidden = theory || !run.diagnostics || run.diagnostics.has_theory;
    row.show(theory, theory, none.hidden);
  };
  on("status", show);
  on("diagnostics", show);
  return make("section", {}, make("h2", { text: () => tr("Theory") }), row.node, none);
}

// The scene's units or the simulation's, where the scene states some, with their scale.
function unitChoice() {
  const choice = make("div", {}), scales = make("div", { class: "small dim" });
  const section = make("section", { hidden: true }, make("h2", { text: () => tr("Units") }), choice, scales);
  let drawn = "";
  const show = () => {
    const units = run.status?.units;
    section.hidden = !units?.names.length;
    if (section.hidden) return;
    const now = JSON.stringify([units.names, units.scales, settings.sceneUnits, Boolean(run.lesson)]);
    if (now === drawn) return;
    drawn = now;
    replaceKeepingFocus(choice, [segments("units", () => tr("Units"), [
      { id: "scene", label: () => units.names.map((name) => tr(name)).join(", ") },
      { id: "simulation", label: () => tr("Simulation") }], settings.sceneUnits ? "scene" : "simulation", (id) =>
      setSetting("sceneUnits", id === "scene"))]);
    scales.replaceChildren(...units.scales.map(({ of, text }) =>
      make("p", { text: () => tr("1 {} = {}", tr(of), decimals(text)) })),
    run.lesson ? make("p", { text: () => tr("Lessons use the units of the scene.") }) : "");
  };
  on("status", show);
  on("settings", (key) => {
    if (key !== "sceneUnits" || !run.status) return;
    emit("status"); // everything that shows a value
    refreshDiagnostics();
  });
  return section;
}

export function viewPanel() {
  const shown = make("div", { class: "rows" }), bar = make("canvas",
    { class: "strip", height: 16, "aria-hidden": "true" });
  const ticks = make("div", { class: "strip-ticks small dim" });
  const rangeMode = make("div", {}), ends = make("div", { class: "rows" }), cells = make("div", {});
  const low = rangeRow("Lowest", "minimum"), high = rangeRow("Highest", "maximum");
  ends.append(low.node, high.node);
  let quantity = null, colors = null, layer = null, drawn = "";

  function build() {
    quantity = choiceRow({ label: "Quantity", help: "What the colours stand for." }, run.simulation.quantities,
      (id) => setView({ quantity: id }));
    colors = choiceRow({ label: "Colours", help: "Which colours mean which values. Even steps for the eye, and " +
      "safe for the colour-blind: viridis, cividis, magma, inferno, balance, grey." },
    run.catalog.colormaps.map((map) => ({ id: map.id, label: map.label ?? map.id })), (id) =>
      setView({ colormap: id }));
    const over = run.simulation.quantities.filter((one) => one.can_lie_over);
    layer = over.length > 1 && choiceRow({ label: "Over it",
      help: "A second quantity, drawn over the first as lines of equal value." },
      [{ id: "", label: "Nothing" }, ...over],
      (id) => setView({ layer: { quantity: id, as: "lines" } }));
    if (layer) layer.node.classList.add("full-only");
    shown.replaceChildren(...[quantity, colors, layer].filter(Boolean).map((row) => row.node));
    drawn = "";
  }
  on("scene", build);
  on("colors", (id) => {
    build();
    setView({ colormap: id });
  });

  function show() {
    const { view } = run.status, now = quantityShown();
    quantity.show(view.quantity || now.id, view.quantity || now.id);
    colors.show(view.colormap, view.colormap);
    if (layer) layer.show(view.layer?.quantity ?? "", view.layer?.quantity ?? "");
    const shownView = shownRange(view, now);
    const key = JSON.stringify([view.quantity, view.colormap, view.minimum, view.maximum, view.automatic, view.smooth,
      shownView.maximum, currentLanguage()]);
    if (key === drawn) return;
    drawn = key;
    drawStrip(bar, view.colormap, false);
    const axis = stripTicks(shownView, 4), { minimum, maximum } = shownView;
    ticks.replaceChildren(...axis.ticks.map((tick, i) => make("span", { text: axis.texts[i],
      style: `left:${100 * (tick - minimum) / (maximum - minimum)}%` })),
    make("span", { class: "common", text: axis.common }));
    replaceKeepingFocus(rangeMode, [segments("range", () => tr("Range of colours"), [
      { id: "follows", label: () => tr("Follows") }, { id: "locked", label: () => tr("Locked") }],
    view.automatic ? "follows" : "locked", (id) =>
      setView(id === "follows" ? { automatic: true } : { automatic: false, minimum: view.minimum,
        maximum: view.maximum }))]);
    ends.hidden = view.automatic;
    if (!view.automatic) {
      low.show();
      high.show();
    }
    replaceKeepingFocus(cells, [segments("cells", () => tr("Cells"), [
      { id: "smooth", label: () => tr("Smooth") }, { id: "squares", label: () => tr("As squares") }],
    view.smooth ? "smooth" : "squares", (id) => setView({ smooth: id === "smooth" }))]);
  }
  on("status", () => quantity && show());

  const heading = (title) => make("h2", { text: title });
  return make("div", {}, heading(() => tr("Shown")), forTeacher(shown), bar, ticks, displayRows(),
    forTeacher(theoryRows()), unitChoice(), make("div", { class: "full-only" }, forTeacher(
      heading(() => tr("Range of colours")), rangeMode, ends, heading(() => tr("Cells")), cells)),
    pageRows());
}

// Rows for the appearance of the page; the browser stores them.
function pageRows() {
  const themes = make("div", {}), rows = make("div", { class: "rows" });
  const toggle = (key, info) => {
    const row = valueRow({ id: key, help: "", ...info, kind: "boolean", unit: "", default: settings[key] },
      { set: (value) => setSetting(key, value) });
    row.show(settings[key], settings[key]);
    on("settings", (changed) => changed === key && row.show(settings[key], settings[key])); // by a key, too
    return row.node;
  };
  const showThemes = () => themes.replaceChildren(segments("look", () => tr("Theme"), [
    { id: "system", label: () => tr("Automatic") }, { id: "dark", label: () => tr("Dark") },
    { id: "light", label: () => tr("Light") }, { id: "high-contrast", label: () => tr("Contrast") }],
  settings.look, (id) => setSetting("look", id)));
  showThemes();
  rows.append(toggle("colorBar", { label: "Colour bar over the view" }),
    toggle("calm", { label: "Reduced motion", help: "Scenes start paused, and nothing moves by itself." }),
    toggle("keys", { label: "Single-key shortcuts", help: "A single key runs a command, such as R. Switch this " +
      "off if you use speech input." }));
  return make("section", {}, make("h2", { text: () => tr("Page") }), themes,
    make("div", { class: "row" }, make("span", { class: "row-label", text: () => tr("Language") }), languageChoice()),
    rows);
}

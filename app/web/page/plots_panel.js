// Numbers that the simulation measures, and its curves compared with theory.
import { make } from "./dom.js";
import { numberText } from "./numbers.js";
import { plot } from "./plot.js";
import { withLabels, on, run } from "./run.js";
import { tr } from "./i18n.js";
import { saveCurves } from "./exports.js";

export function plotsPanel() {
  const table = make("dl", { class: "numbers" }), remarks = make("div", { class: "small dim" });
  const curves = make("div", {}), plots = new Map();
  const save = make("button", { type: "button", class: "quiet", text: () => tr("Save the curves as CSV"),
    onclick: saveCurves });
  const values = new Map();

  on("scene", () => {
    plots.clear();
    values.clear();
    curves.replaceChildren();
    table.replaceChildren();
  });
  on("diagnostics", () => {
    if (!run.curvesShown) return;
    for (const scalar of run.diagnostics.scalars ?? []) {
      if (!values.has(scalar.id)) {
        const value = make("dd", {});
        values.set(scalar.id, value);
        table.append(make("dt", { text: () => tr(scalar.label) }), value);
      }
      const unit = scalar.unit && scalar.value !== null ? ` ${tr(scalar.unit)}` : "";
      values.get(scalar.id).textContent = numberText(scalar.value) + unit;
    }
    remarks.replaceChildren(...(run.diagnostics.remarks ?? []).map((text) => make("p", { text: () => withLabels(text) })));
    const there = new Set();
    for (const curve of run.diagnostics.curves ?? []) {
      there.add(curve.id);
      if (!plots.has(curve.id)) {
        const one = plot();
        plots.set(curve.id, one);
        curves.append(one.node);
      }
      plots.get(curve.id).show(curve);
    }
    for (const [id, one] of plots)
      if (!there.has(id)) {
        one.node.remove();
        plots.delete(id);
      }
    save.hidden = plots.size === 0;
  });
  on("settings", () => requestAnimationFrame(() => plots.forEach((one) => one.draw())));
  return make("div", {}, make("h2", { text: () => tr("Numbers") }), table, remarks, curves, save);
}

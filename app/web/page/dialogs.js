// Dialogs over the page: help, "What am I seeing", sharing, all theory checks.
import { deviceHelp, deviceText, paceText } from "./device.js";
import { icon, make } from "./dom.js";
import { equation } from "./equation.js";
import { bindings, pointerBindings } from "./keys.js";
import { numberText } from "./numbers.js";
import { call, withLabels, run } from "./run.js";
import { retranslate, tr, bindText } from "./i18n.js";
import { buttonsForFingers, hintOf, namesButtons, toolHelp } from "./touch.js";

export function openDialog(title, ...content) {
  document.querySelector("dialog[open]")?.close();
  const close = make("button", { type: "button", class: "icon-button", "aria-label": () => tr("Close this"),
    title: () => tr("Close this"), onclick: () => dialog.close() }, icon("close"));
  const heading = make("h2", { id: "dialog-title", text: title });
  const dialog = make("dialog", { "aria-labelledby": "dialog-title", onclose: () => dialog.remove(),
    onclick: (event) => event.target === dialog && dialog.close() },
  make("div", { class: "dialog-body" }, make("div", { class: "dialog-head" }, heading, close), ...content));
  document.body.append(dialog);
  dialog.showModal();
  retranslate(dialog);
  return dialog;
}

const pair = (left, right) => [make("dt", { text: left }), make("dd", { text: right })];
const headed = (words) => make("h3", { text: words });

export function openHelp() {
  openDialog(() => tr("Keys and mouse"),
    make("div", { class: "columns" },
      make("section", {}, headed(() => tr("Mouse and fingers")),
        make("dl", { class: "pairs" }, pointerBindings.flatMap(([left, right]) => pair(left, right)))),
      make("section", {}, headed(() => tr("Keys")),
        make("dl", { class: "pairs" }, bindings.flatMap((one) => pair(() => one.keys.filter((key) => key !== "=")
          .map((key) => (key.length === 1 ? key.toUpperCase() : key)).join("  ·  "), one.words))))));
}

// "What am I seeing": a description of the run, things to try, the equation, tools, parameters, the paper.
export async function openAbout() {
  const { status, simulation } = run;
  const now = make("p", { class: "now", role: "status" });
  const dialog = openDialog(() => tr("What am I seeing"),
    make("p", { class: "strong", text: () => tr(status.title) }),
    make("p", { text: () => hintOf(status) }), now,
    status.tries?.length ? headed(() => tr("Things to try")) : null,
    make("ol", {}, (status.tries ?? []).map((text) => make("li", { text: () => tr(text) }))),
    namesButtons(status.tries ?? []) ? make("p", { class: "small dim", text: buttonsForFingers }) : null,
    headed(() => tr(simulation.title)), simulation.equation ? equation(simulation.equation) : null,
    make("p", { text: () => tr(simulation.summary) }),
    headed(() => tr("Tools")),
    make("dl", { class: "pairs" }, simulation.tools.flatMap((tool, i) =>
      pair(() => `${tr(tool.label)}${i < 9 ? `  (${i + 1})` : ""}`, () => toolHelp(tool)))),
    headed(() => tr("Parameters")),
    make("dl", { class: "pairs" }, simulation.parameters.flatMap((one) =>
      pair(() => [tr(one.label), one.symbol].filter(Boolean).join(", "),
        () => `${tr(one.help)}${one.unit ? ` ${tr("In {}.", tr(one.unit))}` : ""}`))),
    headed(() => tr("Where it is computed")),
    make("p", { class: "device", text: () => `${deviceText()}. ${deviceHelp()}` }), make("p", { text: paceText }),
    simulation.source ? headed(() => tr("Paper")) : null,
    simulation.source ? make("p", { text: () => simulation.source }) : null);
  try {
    const { words } = await call("describe", {});
    if (dialog.isConnected) now.replaceChildren(make("span", { text: () => withLabels(words) }));
  } catch {
    now.remove();
  }
}

// All checks of a simulation: expected value, result, error, tolerance.
export function openVerify(chosen, leave) {
  const rows = make("tbody", {}), words = make("p", { role: "status" });
  const choose = make("select", { "aria-label": () => tr("Simulation"), onchange: () => show(choose.value) },
    run.catalog.simulations.map((one) => make("option", { value: one.id, text: () => tr(one.title) })));
  const head = [() => tr("Check"), () => tr("Expected"), () => tr("Got"), () => tr("Error"), () =>
    tr("Tolerance"), () => ""];
  let asked = 0;
  async function show(id) {
    const own = ++asked;
    rows.replaceChildren();
    bindText(words, () => tr("Computing; this takes up to a minute, and the run waits meanwhile."));
    try {
      const answer = await call("verify", { simulation: id });
      if (own !== asked) return;
      const checks = answer.rows ?? answer, passed = checks.filter((one) => one.pass).length;
      bindText(words, () => tr("{0} of {1} checks pass, in this browser.", passed, checks.length));
      rows.replaceChildren(...checks.map((one) => make("tr", { class: one.pass ? "" : "failed" },
        make("th", { scope: "row" }, one.name, make("span", { class: "small dim", text: one.note })),
        ...[one.expected, one.got].map((value) => make("td",
          { text: `${numberText(value, 6)}${one.unit ? ` ${one.unit}` : ""}` })),
        make("td", { text: numberText(one.error, 2) }), make("td", { text: numberText(one.tolerance, 2) }),
        make("td", { text: () => (one.pass ? `✓ ${tr("passes")}` : `✗ ${tr("fails")}`) }))));
    } catch (error) {
      if (own === asked) bindText(words, () => withLabels(error.message));
    }
  }
  const dialog = openDialog(() => tr("Every check beside theory"),
    make("p", { class: "dim", text: () =>
      tr("The same checks as the desktop program's “perturb verify”, computed here and now.") }),
    choose, words,
    make("div", { class: "table-scroll", tabindex: 0, role: "region", "aria-label": () => tr("Checks") },
      make("table", { class: "checks" }, make("thead", {}, make("tr", {}, head.map((text) =>
        make("th", { scope: "col", text })))), rows)));
  dialog.classList.add("wide");
  choose.value = run.catalog.simulations.some((one) => one.id === chosen) ? chosen : run.catalog.simulations[0].id;
  show(choose.value);
  dialog.addEventListener("close", leave);
}

// Dialogs over the page: help, "About this scene", sharing, all theory checks.
import { commandTable } from "./command_table.js";
import { deviceHelp, deviceText, paceText } from "./device.js";
import { icon, make } from "./dom.js";
import { bindText, clipped, errorText, fingerHelp, hasFingersOnly, hintOf, retranslate, textForDevice, tr }
  from "./i18n.js";
import { pointerBindings } from "./keys.js";
import { address, packScene, parts } from "./link.js";
import { numberText } from "./numbers.js";
import { qrCode } from "./qr.js";
import { call, on, run, showRefusal } from "./run.js";
import { equation } from "./scene_panel.js";
import { settings } from "./settings.js";

// The dialog that is open.
/** @returns {HTMLDialogElement | null} */
export const currentDialog = () => document.querySelector("dialog[open]");

export function openDialog(title, ...content) {
  currentDialog()?.close();
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

// Asks what an image that was opened or dropped becomes.
on("image", ({ name, kinds, use }) => {
  const dialog = openDialog(() => tr("Use image as"), make("p", { class: "small", text: name }),
    make("div", { class: "answers" }, kinds.map((kind) => make("button", { type: "button", class: "answer-choice",
      onclick: () => {
        dialog.close();
        use(kind);
      } }, make("span", {}, make("b", { text: () => tr(kind.label) }), make("br"),
      make("span", { class: "small dim", text: () => tr(kind.help) }))))));
});

const pair = (left, right) => [make("dt", { text: left }), make("dd", { text: right })];
const headed = (title) => make("h3", { text: title });

export function openHelp() {
  const groups = [...new Set(commandTable().map((one) => one.group))];
  openDialog(() => tr("Keys and mouse"),
    make("div", { class: "columns" },
      make("section", {}, headed(() => tr("Mouse and fingers")),
        make("dl", { class: "pairs" }, pointerBindings.flatMap(([left, right]) => pair(left, right)))),
      make("section", {}, groups.map((group) => [headed(() => tr(group)),
        make("dl", { class: "pairs" }, commandTable().filter((one) => one.group === group).flatMap((one) =>
          pair(() => tr(one.shown_keys), () => tr(one.label))))]).flat(), headed(() => tr("Tools")),
      make("dl", { class: "pairs" }, pair("1 ... 9", () => tr("Choose a tool"))))));
}

// "About this scene": a description of the view, things to try, the equation, tools, parameters, the paper.
export async function openAbout() {
  const { status, simulation } = run;
  const tries = (status.tries ?? []).filter((text) => textForDevice(text));
  const now = make("p", { class: "now", role: "status" });
  const dialog = openDialog(() => tr("About this scene"),
    make("p", { class: "strong", text: () => tr(status.title) }),
    make("p", { text: () => hintOf(status) }), now,
    tries.length ? headed(() => tr("Things to try")) : null,
    make("ol", {}, tries.map((text) => make("li", { text: () => tr(text) }))),
    headed(() => tr(simulation.title)), simulation.equation ? equation(simulation.equation) : null,
    make("p", { text: () => tr(simulation.summary) }),
    headed(() => tr("Tools")),
    hasFingersOnly() ? make("p", { class: "small dim", text: fingerHelp }) : null,
    make("dl", { class: "pairs" }, simulation.tools.flatMap((tool, i) =>
      pair(() => `${tr(tool.label)}${i < 9 ? `  (${i + 1})` : ""}`, () => tr(tool.help)))),
    headed(() => tr("Parameters")),
    make("dl", { class: "pairs" }, simulation.parameters.flatMap((one) =>
      pair(() => [tr(one.label), one.symbol].filter(Boolean).join(", "),
        () => `${tr(one.help)}${one.unit ? ` ${tr("In {}.", tr(one.unit))}` : ""}`))),
    headed(() => tr("Where the simulation runs")),
    make("p", { class: "device", text: () => `${deviceText()}. ${deviceHelp()}` }), make("p", { text: paceText }),
    simulation.source ? headed(() => tr("Paper")) : null,
    simulation.source ? make("p", { text: () => simulation.source }) : null,
    simulation.paper_page ? make("p", { text: () => tr("Which of its claims hold today: {}.",
      `docs/papers/${simulation.paper_page}.md, "perturb paper ${simulation.paper_page}"`) }) : null);
  try {
    const { words } = await call("describe", { scene_units: settings.sceneUnits });
    if (dialog.isConnected) now.replaceChildren(make("span", { text: () => tr(words) }));
  } catch {
    now.remove();
  }
}

// All checks of a simulation: expected value, result, error, tolerance.
export function openVerify(chosen, leave) {
  const rows = make("tbody", {}), progress = make("p", { role: "status" });
  const choose = make("select", { "aria-label": () => tr("Simulation"), onchange: () => show(choose.value) },
    run.catalog.simulations.map((one) => make("option", { value: one.id, text: () => tr(one.title) })));
  const head = [() => tr("Check"), () => tr("Expected"), () => tr("Result"), () => tr("Error"), () =>
    tr("Tolerance"), () => tr("Verdict")];
  let latest = 0;
  async function show(id) {
    const own = ++latest;
    rows.replaceChildren();
    bindText(progress, () => tr("Computing the checks. This takes up to a minute; the run waits."));
    try {
      const answer = await call("verify", { simulation: id });
      if (own !== latest) return;
      const checks = answer.rows ?? answer, passed = checks.filter((one) => one.pass).length;
      bindText(progress, () => tr("{0} of {1} checks pass in this browser.", passed, checks.length));
      rows.replaceChildren(...checks.map((one) => make("tr", { class: one.pass ? "" : "failed" },
        make("th", { scope: "row" }, one.name, make("span", { class: "small dim", text: one.note })),
        ...[one.expected, one.got].map((value) => make("td",
          { text: `${numberText(value, 6)}${one.unit ? ` ${one.unit}` : ""}` })),
        make("td", { text: numberText(one.error, 2) }), make("td", { text: numberText(one.tolerance, 2) }),
        make("td", { text: () => (one.pass ? `✓ ${tr("passes")}` : `✗ ${tr("fails")}`) }))));
    } catch (error) {
      if (own === latest) bindText(progress, () => clipped(errorText(error)));
    }
  }
  const dialog = openDialog(() => tr("Checks against theory"),
    make("p", { class: "dim", text: () =>
      tr("The same checks as “perturb verify” in the desktop program, computed now in this browser.") }),
    choose, progress,
    make("div", { class: "table-scroll", tabindex: 0, role: "region", "aria-label": () => tr("Checks") },
      make("table", { class: "checks" }, make("thead", {}, make("tr", {}, head.map((text) =>
        make("th", { scope: "col", text })))), rows)));
  dialog.classList.add("wide");
  choose.value = run.catalog.simulations.some((one) => one.id === chosen) ? chosen : run.catalog.simulations[0].id;
  show(choose.value);
  dialog.addEventListener("close", leave);
}

// ---- sharing: a link that contains the whole scene, and the code to embed it in a web page

export async function copy(field, result) {
  try {
    await navigator.clipboard.writeText(field.value);
    bindText(result, () => tr("Copied."));
  } catch {
    field.select(); // a page without access to the clipboard
    const copied = document.execCommand?.("copy");
    bindText(result, () => (copied ? tr("Copied.") : tr("Press Ctrl+C to copy the selected text.")));
  }
}

const partLabels = { play: () => tr("Time and files"), tools: () => tr("Tools"), scene: () =>
  tr("Scene and equation"),
  parameters: () => tr("Parameters"), view: () => tr("View"), plots: () => tr("Curves"), bar: () =>
    tr("Colour bar"),
  hint: () => tr("Hint") };

export async function openShare() {
  let hash;
  try {
    hash = await packScene(await call("scene", {}));
  } catch (error) {
    return showRefusal(error);
  }
  const link = make("input", { type: "text", readonly: true, id: "share-link", value: address(hash) });
  const frame = make("textarea", { readonly: true, rows: 3, id: "share-frame" });
  const result = make("p", { role: "status", class: "small" });
  const chosen = new Set(["play", "tools", "bar", "hint"]);
  const showFrame = () => {
    const query = `?controls=${parts.filter((part) => chosen.has(part)).join(",")}`;
    frame.value = `<iframe src="${address(hash, query)}" width="800" height="600" style="border:0" ` +
      `allow="fullscreen; cross-origin-isolated" title="Perturb"></iframe>`;
  };
  showFrame();
  openDialog(() => tr("Share this scene"),
    run.fromFile ? make("p", { class: "warning", role: "note", text: () =>
      tr("This run was opened from a file. The link contains its scene, parameters and view, and what you have " +
        "built since then, but not what was built before. To share everything, save the state and pass on that " +
        "file.") })
    : make("p", { class: "dim", text: () =>
      tr("The link contains the scene with its parameters and view, and what you have built. It opens the scene at " +
        "its start: motion that you caused is not included, nor is any personal data.") }),
    make("label", { for: "share-link", text: () => tr("Link") }),
    make("div", { class: "copy-row" }, link, make("button", { type: "button", class: "accent", text: () => tr("Copy"),
      onclick: () => copy(link, result) })),
    qrView(link.value, () => tr("QR code of the link")) ?? make("p", { class: "small dim", text: () =>
      tr("This link is too long for a QR code.") }),
    make("label", { for: "share-frame", text: () => tr("Embed in your own web page") }),
    make("fieldset", { class: "parts" }, make("legend", { text: () => tr("Parts to show") }),
      parts.map((part) => make("label", {}, make("input",
        { type: "checkbox", checked: chosen.has(part), onchange: (event) => {
        if (event.target.checked) chosen.add(part);
        else chosen.delete(part);
        showFrame();
      } }), make("span", { text: partLabels[part] })))),
    make("div", { class: "copy-row" }, frame, make("button", { type: "button", class: "quiet", text: () => tr("Copy"),
      onclick: () => copy(frame, result) })),
    make("p", { class: "small dim", text: () => tr("A frame with the attribute “sandbox” also needs " +
      "“allow-scripts allow-same-origin”; otherwise it shows only a list of scenes.") }), result);
  link.select();
}

const quietModules = 4; // light modules around a QR code

// Draws a QR code, dark on light in every theme, as cameras require. Returns a canvas, or null if the text is too long.
export function qrView(text, sayName) {
  const code = qrCode(text);
  if (!code) return null;
  const size = code.size + 2 * quietModules;
  const canvas = make("canvas", { class: "qr", role: "img", "aria-label": sayName, width: size, height: size,
    style: `width:${size * Math.max(2, Math.round(280 / size))}px` }); // a whole number of pixels per module
  const context = canvas.getContext("2d");
  context.fillStyle = "#fff";
  context.fillRect(0, 0, size, size);
  context.fillStyle = "#000";
  for (let y = 0; y < code.size; ++y)
    for (let x = 0; x < code.size; ++x)
      if (code.isDark(x, y)) context.fillRect(x + quietModules, y + quietModules, 1, 1);
  return canvas;
}

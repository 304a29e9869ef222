// Sharing: a link that contains the whole scene, and the code to embed it in a web page.
import { make } from "./dom.js";
import { openDialog } from "./dialogs.js";
import { address, packScene, parts } from "./link.js";
import { qrView } from "./qr_view.js";
import { call, run, showRefusal } from "./run.js";
import { tr, bindText } from "./i18n.js";

async function copy(field, result) {
  try {
    await navigator.clipboard.writeText(field.value);
    bindText(result, () => tr("Copied."));
  } catch {
    field.select(); // a page without access to the clipboard
    const copied = document.execCommand?.("copy");
    bindText(result, () => (copied ? tr("Copied.") : tr("Press Ctrl+C to copy what is marked.")));
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
      tr("This run goes on from a file: the link holds its scene, parameters and view, and what was built since the " +
      "file was opened, but nothing that was built before. To hand on all of it, save the state and give that file.") })
    : make("p", { class: "dim", text: () =>
      tr("The link holds the scene with its parameters, what was built in it and the view. " +
      "It begins anew for whoever opens it: what was stirred is not in it, nor is anything about you.") }),
    make("label", { for: "share-link", text: () => tr("Link") }),
    make("div", { class: "copy-row" }, link, make("button", { type: "button", class: "accent", text: () => tr("Copy"),
      onclick: () => copy(link, result) })),
    qrView(link.value, () => tr("QR code of the link")) ?? make("p", { class: "small dim", text: () =>
      tr("This link is too long for a QR code.") }),
    make("label", { for: "share-frame", text: () => tr("In a page of your own") }),
    make("fieldset", { class: "parts" }, make("legend", { text: () => tr("It shows") }),
      parts.map((part) => make("label", {}, make("input",
        { type: "checkbox", checked: chosen.has(part), onchange: (event) => {
        if (event.target.checked) chosen.add(part);
        else chosen.delete(part);
        showFrame();
      } }), make("span", { text: partLabels[part] })))),
    make("div", { class: "copy-row" }, frame, make("button", { type: "button", class: "quiet", text: () => tr("Copy"),
      onclick: () => copy(frame, result) })), result);
  link.select();
}

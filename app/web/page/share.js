// A scene for others: a link that holds all that makes it, and the frame for a page of one's own.
import { make } from "./dom.js";
import { openDialog } from "./dialogs.js";
import { address, packScene, parts } from "./link.js";
import { qrView } from "./qr_view.js";
import { call, run, showRefusal } from "./run.js";
import { say, tell } from "./say.js";

async function copy(field, told) {
  try {
    await navigator.clipboard.writeText(field.value);
    tell(told, () => say("Copied."));
  } catch {
    field.select(); // a page that may not write to the clipboard
    const copied = document.execCommand?.("copy");
    tell(told, () => (copied ? say("Copied.") : say("Press Ctrl+C to copy what is marked.")));
  }
}

const partWords = { play: () => say("Time and files"), tools: () => say("Tools"), scene: () =>
  say("Scene and equation"),
  parameters: () => say("Parameters"), view: () => say("View"), plots: () => say("Curves"), bar: () =>
    say("Colour bar"),
  hint: () => say("Hint") };

export async function openShare() {
  let hash;
  try {
    hash = await packScene(await call("scene", {}));
  } catch (error) {
    return showRefusal(error);
  }
  const link = make("input", { type: "text", readonly: true, id: "share-link", value: address(hash) });
  const frame = make("textarea", { readonly: true, rows: 3, id: "share-frame" });
  const told = make("p", { role: "status", class: "small" });
  const chosen = new Set(["play", "tools", "bar", "hint"]);
  const showFrame = () => {
    const query = `?controls=${parts.filter((part) => chosen.has(part)).join(",")}`;
    frame.value = `<iframe src="${address(hash, query)}" width="800" height="600" style="border:0" ` +
      `allow="fullscreen; cross-origin-isolated" title="Perturb"></iframe>`;
  };
  showFrame();
  openDialog(() => say("Share this scene"),
    run.fromFile ? make("p", { class: "warning", role: "note", text: () =>
      say("This run goes on from a file: the link holds its scene, parameters and view, and what was built since the " +
      "file was opened, but nothing that was built before. To hand on all of it, save the state and give that file.") })
    : make("p", { class: "dim", text: () =>
      say("The link holds the scene with its parameters, what was built in it and the view. " +
      "It begins anew for whoever opens it: what was stirred is not in it, nor is anything about you.") }),
    make("label", { for: "share-link", text: () => say("Link") }),
    make("div", { class: "copy-row" }, link, make("button", { type: "button", class: "accent", text: () => say("Copy"),
      onclick: () => copy(link, told) })),
    qrView(link.value, () => say("QR code of the link")) ?? make("p", { class: "small dim", text: () =>
      say("This link is too long for a QR code.") }),
    make("label", { for: "share-frame", text: () => say("In a page of your own") }),
    make("fieldset", { class: "parts" }, make("legend", { text: () => say("It shows") }),
      parts.map((part) => make("label", {}, make("input",
        { type: "checkbox", checked: chosen.has(part), onchange: (event) => {
        if (event.target.checked) chosen.add(part);
        else chosen.delete(part);
        showFrame();
      } }), make("span", { text: partWords[part] })))),
    make("div", { class: "copy-row" }, frame, make("button", { type: "button", class: "quiet", text: () => say("Copy"),
      onclick: () => copy(frame, told) })), told);
  link.select();
}

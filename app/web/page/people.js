// The people of a served run, for the teacher: link and code to join, who is there, and what pupils may use.
import { copy, openDialog, qrView } from "./dialogs.js";
import { iconButton, make, replaceKeepingFocus } from "./dom.js";
import { tr } from "./i18n.js";
import { call, emit, leadsClass, off, on, run, runAction, showRefusal, usualParameters } from "./run.js";
import { withAllowed } from "./served.js";

const roleText = (role) => ({ teacher: tr("Teacher"), pupil: tr("Pupil"), spectator: tr("Watches") })[role] ?? role;

const ask = (name, request) => (run.classLink?.call ?? call)(name, request);
const remove = (person) => ask("remove", { person }).catch(showRefusal);

// Sets what all pupils may use; null: the usual.
/** @param {{ tools?: string[] | null, parameters?: string[] | null }} change */
async function allow(change) {
  const { tools = run.remote.tools, parameters = run.remote.parameters } = change;
  if (!(await runAction("allow", { tools, parameters }))) return;
  Object.assign(run.remote, { tools, parameters });
  emit("remote");
}

// {id, label} of everything that can be locked, the scene's main controls first.
function lockable() {
  const { tools, parameters } = run.simulation, controls = run.status.controls ?? [];
  const isMain = ({ id }) => controls.includes(id);
  return { tools: [...tools.map(({ id, label }) => ({ id, label })), { id: "objects", label: "Objects" }],
    parameters: [...parameters.filter(isMain), ...parameters.filter((one) => !isMain(one))] };
}

// Boxes for tools or parameters. `key`: "tools" or "parameters".
function locks(key, title) {
  const holder = make("fieldset", { class: "parts" });
  let shown = "";
  const show = () => {
    const infos = lockable()[key], all = infos.map((one) => one.id), list = run.remote[key];
    const usual = key === "parameters" ? usualParameters() : all, now = JSON.stringify([all, list]);
    if (now === shown) return;
    shown = now;
    const every = (allowed, text) => make("button", { type: "button", class: "quiet", text, onclick: () =>
      allow({ [key]: allowed }) });
    replaceKeepingFocus(holder, [make("legend", { text: title }),
      ...infos.map(({ id, label }) => make("label", {}, make("input", { type: "checkbox", name: id, checked:
        (list ?? usual).includes(id), onchange: (event) =>
        allow({ [key]: withAllowed(run.remote[key], id, event.target.checked, all, usual) }) }),
      make("span", { text: () => tr(label) }))),
      every(null, () => tr("Allow the usual")), every([], () => tr("Lock all"))]);
  };
  show();
  return { node: holder, show };
}

function personRow(person) {
  const { id, name, role, connected, locked, lesson } = person;
  const title = () => name || tr("Without a name");
  return make("li", { class: connected ? "" : "dim" },
    make("span", { class: "person-name", text: title }),
    make("span", { class: "small dim", text: () => (connected ? roleText(role) : tr("{}, not connected", roleText(role))) }),
    lesson ? make("span", { class: "small", text: () => tr("{}: step {} of {}, {} of {} points", lesson.path,
      lesson.step + 1, lesson.steps, lesson.points, lesson.all_points) }) : "",
    role === "pupil" && !leadsClass() ? make("label", { class: "names small" }, make("input", { type: "checkbox", role: "switch",
      checked: !locked, "aria-label": () => tr("{} may change the run", title()),
      onchange: (event) => runAction("allow", { person: id, changes: event.target.checked }) }),
    make("span", { text: () => tr("May change the run") })) : "",
    role === "teacher" ? "" : iconButton("close", () => tr("Remove: {}", title()), () => remove(id)));
}

// `link`: with the code, as it is printed by the server; otherwise that of this page, which may be known to this machine
// alone.
function invitation({ link = new URL("/join", location.href).href, code = "" }) {
  const field = make("input", { type: "text", readonly: true, value: link, "aria-label": () => tr("Link") });
  const result = make("p", { role: "status", class: "small" });
  return [make("div", { class: "copy-row" }, field, make("button", { type: "button", class: "accent", text: () => tr("Copy"),
    onclick: () => copy(field, result) })),
  code ? make("p", { class: "join-code", text: () => tr("Code: {}", code) }) : "",
  qrView(link, () => tr("QR code of the link")) ?? "", result];
}

export async function openPeople() {
  let known;
  try {
    known = await ask("people", {});
  } catch (error) {
    return showRefusal(error);
  }
  const list = make("ul", { class: "people" }), count = make("p", { class: "small dim", role: "status" });
  const names = make("input", { type: "checkbox", role: "switch", checked: known.names === true, onchange: () =>
    runAction("names", { shown: names.checked }) });
  // Pupils with runs of their own may do everything there.
  const allLocks = leadsClass() ? [] : [locks("tools", () => tr("Tools that pupils may use")),
    locks("parameters", () => tr("Parameters that pupils may change"))];
  const dialog = openDialog(() => tr("People"), ...invitation(known), count, list,
    ...(leadsClass() ? [] : [make("label", { class: "names" }, names, make("span", { text: () =>
      tr("Show names at pokes") }))]), ...allLocks.map((one) => one.node));
  const show = (now) => {
    if (!dialog.isConnected) return;
    const { people = [], names: shown } = now;
    if (typeof shown === "boolean") names.checked = shown;
    const there = people.filter((one) => one.connected).length;
    count.textContent = there === 1 ? tr("1 person is connected.") : tr("{} people are connected.", there);
    replaceKeepingFocus(list, people.map(personRow));
  };
  show(known);
  /** @type {[string, (detail?: any) => void][]} */
  const listeners = [["people", show], ...["remote", "scene"].flatMap((event) =>
    allLocks.map((one) => /** @type {[string, () => void]} */ ([event, one.show])))];
  for (const [event, listener] of listeners) on(event, listener);
  dialog.addEventListener("close", () => listeners.forEach(([event, listener]) => off(event, listener)));
}

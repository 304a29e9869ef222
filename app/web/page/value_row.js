// A row for a number, a choice or a switch, made from its record in the tables: label, unit, help, range and scale.
import { make, icon } from "./dom.js";
import { decimals, numberText, sliderFraction, sliderValue, typedNumber } from "./numbers.js";
import { tr } from "./i18n.js";
import { showMessage } from "./run.js";
import { inShownUnit, toShown } from "./units.js";

let counter = 0;
const sliderSteps = 1000; // positions of a slider
const dragThreshold = 10; // pixels after which a finger moves a slider

// A value with its unit, as displayed.
export function valueText(info, value) {
  if (info.kind === "boolean") return value ? tr("on") : tr("off");
  if (info.kind === "formula") return value;
  if (info.kind === "choice") return tr(info.choices.find((one) => one.id === value)?.label ?? String(value));
  if (value === 0 && info.zero) return tr(info.zero);
  const { unit } = inShownUnit(info);
  return numberText(toShown(info, value)) + (unit ? `\u00a0${tr(unit)}` : "");
}

// The simulation's value of a displayed one. Division does not give the same number back, so the initial value and the
// ends of the range are compared, and the last digits are rounded.
function fromShown(info, value, initial) {
  const factor = toShown(info, 1), { minimum, maximum } = inShownUnit(info);
  if (factor === 1) return value;
  if (value === toShown(info, initial)) return initial;
  if (value === minimum) return info.minimum;
  return value === maximum ? info.maximum : Number((value / factor).toPrecision(12));
}

// `set(value, mergeWithLast)`: mergeWithLast during a slider drag; with `onRelease` it is called when the drag ends.
// Values are the simulation's; the row shows them in the displayed unit. Returns {node, show(value, initial, open, why)}.
// `why`: why it is not open, where that is to be said.
export function valueRow(info, { set, restarts = false, onRelease = false, initial = info.default }) {
  const id = `value-${++counter}`;
  let now = initial, first = initial;
  const row = make("div", { class: `row ${info.kind}` });
  const help = () => tr(info.help) + (restarts ? ` ${tr("Changing it restarts the scene.")}` : "");
  const label = make("label", { class: "row-label", for: id, title: help, text: () => tr(info.label) });
  const reset = make("button", { type: "button", class: "reset", "aria-label": () =>
    tr("{}: reset to {}", tr(info.label), valueText(info, first)), title: () =>
    tr("Back to {}", valueText(info, first)), onclick: () => set(first, false) }, icon("restart"));
  const about = make("span", { class: "visually-hidden", id: `${id}-help`, text: help });
  const head = make("div", { class: "row-head" }, label,
    restarts && make("span", { class: "badge", text: () => tr("restart"), title: () =>
      tr("Changing it restarts the scene.") }), reset);
  let show, control, field;

  if (info.kind === "boolean") {
    control = make("input", { type: "checkbox", role: "switch", id, "aria-describedby": about.id,
      onchange: () => set(control.checked, false) });
    head.prepend(control);
    show = () => (control.checked = Boolean(now));
  } else if (info.kind === "choice") {
    control = make("select", { id, "aria-describedby": about.id, onchange: () => set(control.value, false) },
      info.choices.map((choice) => make("option", { value: choice.id, text: () => tr(choice.label) })));
    show = () => (control.value = now);
  } else if (info.kind === "formula") {
    control = make("input", { type: "text", id, class: "formula", "aria-describedby": about.id, autocomplete: "off",
      spellcheck: "false", onchange: () => control.value.trim() !== now && set(control.value.trim(), false) });
    show = () => document.activeElement !== control && (control.value = now);
  } else {
    field = make("input", { class: "number", type: "text", inputmode: "decimal", autocomplete: "off",
      spellcheck: "false",
      "aria-label": () => tr("{}, as a number", tr(info.label)), onchange: typed, onfocus: () => field.select(), onblur: () => show(),
      onkeydown: (event) => {
        if (event.key === "Enter") typed();
        if (event.key === "Escape") cancel();
      } });
    const unit = info.unit ? make("span", { class: "unit", text: () => tr(inShownUnit(info).unit) }) : null;
    head.append(make("span", { class: "amount" }, field, unit));
    let sliding = false;
    // A finger on the slider may start to scroll the page: the value changes only after it has moved sideways or
    // lifted.
    let finger = null; // {x, id} while undecided
    const slide = () => {
      const value = valueAt(control.value / sliderSteps), mergeWithLast = sliding;
      sliding = true;
      if (!onRelease) return change(value, mergeWithLast);
      released = value;
      show();
    };
    const release = () => {
      sliding = false;
      if (released !== null) change(released, false);
      released = null;
    };
    const decide = (event, acts) => {
      if (!finger || event.pointerId !== finger.id) return;
      finger = null;
      if (acts && control.value !== before) slide();
      else if (!acts) show();
    };
    let before = "", released = null;
    control = make("input", { type: "range", id, min: 0, max: sliderSteps, step: info.kind === "integer" ? "any" : 1,
      "aria-describedby": about.id, "aria-valuetext": () => valueText(info, now),
      oninput: () => finger || slide(),
      onpointerdown: (event) => {
        finger = event.pointerType === "touch" && event.isPrimary ? { x: event.clientX, id: event.pointerId } : null;
        before = control.value;
      },
      onpointermove: (event) => finger && Math.abs(event.clientX - finger.x) > dragThreshold && decide(event, true),
      onchange: release,
      // (Also without a change: a slider that was moved back to its value reports none.)
      onpointerup: (event) => {
        decide(event, true);
        release();
      },
      onpointercancel: (event) => {
        decide(event, false);
        released = null;
        sliding = false;
      },
      onblur: release,
      onkeydown: stepByKey });
    show = () => {
      // (Not by the focus: Safari does not focus a slider that is dragged.)
      const value = released ?? now, fraction = sliderFraction(inShownUnit(info), toShown(info, value));
      if (!sliding && !finger) control.value = sliderSteps * fraction;
      control.style.setProperty("--share", fraction);
      control.setAttribute("aria-valuetext", valueText(info, value));
      const isNamed = value === 0 && Boolean(info.zero);
      if (unit) {
        unit.textContent = tr(inShownUnit(info).unit);
        unit.hidden = isNamed;
      }
      if (document.activeElement !== field) field.value = isNamed ? tr(info.zero) : fieldText(value);
      field.style.width = `${Math.max(3, field.value.length + 1)}ch`;
    };
  }

  // The value at a position of the slider; the text of a value for the field.
  function valueAt(fraction) {
    return fromShown(info, sliderValue(inShownUnit(info), fraction), first);
  }
  function fieldText(value) {
    const shown = toShown(info, value), text = numberText(shown, 6);
    return text.includes("×") ? decimals(String(shown)) : text;
  }

  // A key press makes a visible step: a hundredth of the range, or one for a whole number.
  function stepByKey(event) {
    const direction = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
    if (!direction) return;
    event.preventDefault();
    const fraction = sliderFraction(inShownUnit(info), toShown(info, now));
    const span = info.maximum - info.minimum;
    const value = info.kind === "integer" && span <= 200
      ? Math.min(info.maximum, Math.max(info.minimum, now + direction))
      : valueAt(Math.min(1, Math.max(0, fraction + direction / 100)));
    change(value, event.repeat);
  }
  // Sends the value once, although several events report it. Until the run has answered, the row shows the new value.
  function change(value, mergeWithLast) {
    if (value === now) return;
    now = value;
    set(value, mergeWithLast);
  }
  function typed() {
    const text = field.value;
    if (text === shownText()) return;
    const value = typedNumber(text);
    if (!Number.isNaN(value)) return change(fromShown(info, value, first), false);
    cancel();
    if (text.trim() !== "") showMessage(() => tr("Cannot read \"{}\": type a number such as {}.", text, decimals("0.25")),
      "error");
  }
  const shownText = () => (now === 0 && info.zero ? tr(info.zero) : fieldText(now));
  // (Not by show(), which leaves alone what is being typed.)
  function cancel() {
    field.value = shownText();
    field.select();
  }

  row.append(head, about);
  if (info.kind !== "boolean") row.append(control);
  return {
    node: row,
    info,
    show(value, initialNow = first, open = true, why = "") {
      now = value;
      first = initialNow;
      const changed = now !== first;
      reset.hidden = !changed || !open;
      row.classList.toggle("changed", changed);
      if (why) row.title = why;
      else row.removeAttribute("title");
      control.disabled = !open;
      if (field) field.disabled = !open;
      show();
    },
  };
}

// The answers of a class to the open question, for the teacher's page: how many have answered, and what. Without names,
// because it may be on a projector.
import { icon, make } from "./dom.js";
import { download } from "./exports.js";
import { tr } from "./i18n.js";
import { makeAxis, numberText } from "./numbers.js";
import { plot } from "./plots.js";
import { call, leadsClass, on, run, runAction, showRefusal, takeLesson } from "./run.js";

const letters = "ABCDEFGH"; // of choices
const columns = 40; // of dots along the axis
const levels = { 2: "good", 1: "near", 0: "bad" }; // by points

let answers = null; // as the server has sent them last
on("answers", (now) => {
  answers = now;
  // A second page of the teacher may have shown them.
  if (isOfStep() && run.lesson.class && now.shown !== run.lesson.class.shown) lookAgain();
});
const isOfStep = () => Boolean(run.lesson?.class || (run.lesson && leadsClass() &&
  answers?.lesson === run.lesson.lesson.path)) && answers?.step === run.lesson.index;

async function lookAgain() {
  try {
    takeLesson(await call("lesson_look", {}));
  } catch {
    // the lesson was closed, or the connection lost; the page is told of both
  }
}

async function showToAll() {
  if (leadsClass()) return run.classLink.call("show_results", {}).catch(showRefusal);
  if (!(await runAction("show_results", {}))) return;
  if (run.lesson?.class?.shown === false) await lookAgain();
}

async function saveResults() {
  try {
    const { file, text } = await (run.classLink?.call ?? call)("class_results", {});
    download(new Blob([text], { type: "text/csv" }), file);
  } catch (error) {
    showRefusal(error);
  }
}
export const saveButton = () => make("button", { type: "button", class: "quiet save-class", text: () =>
  tr("Save the results of the class"), onclick: saveResults });

// `paragraphs`: makes nodes of a lesson's text. Returns {node, show()}; a lesson that is drawn again keeps the node.
export function classAnswers(paragraphs) {
  const count = make("p", { class: "class-count", text: () => countText() }), body = make("div", {});
  const button = make("button", { type: "button", class: "accent show-results", text: () =>
    tr("Show the results to all"), onclick: showToAll });
  const wait = make("p", { class: "small dim", text: () => waitText() });
  const words = make("div", {}); // what the lesson says of the right answer; with an own answer it is there already
  const steps = make("p", { class: "small class-steps" }); // of pupils with runs of their own
  const node = make("section", { class: "class-answers", hidden: true },
    make("h3", { text: () => tr("Answers of the class") }), steps, count, body, wait, words, button);
  const bundle = plot();
  const show = () => {
    node.hidden = !isOfStep() || !(answers.kind || answers.at);
    if (node.hidden) return;
    steps.textContent = stepsText(answers.at ?? []);
    count.textContent = answers.kind ? countText() : "";
    button.hidden = answers.shown;
    wait.hidden = !answers.kind || !answers.shown || isMeasured(answers) || Boolean(answers.at && !answers.given);
    wait.textContent = waitText();
    words.replaceChildren(...(answers.words && !run.lesson.answer ? paragraphs(answers.words) : []));
    if (answers.kind === "sketch") {
      if (body.firstChild !== bundle.node) body.replaceChildren(bundle.node);
      requestAnimationFrame(() => isOfStep() && answers.kind === "sketch" && bundle.show(bundleOf(answers)));
    } else {
      body.replaceChildren(...(answers.kind === "choice" ? bars(answers) : answers.kind ? numbers(answers) : []));
    }
  };
  on("answers", show);
  return { node, show };
}

const isMeasured = ({ kind, right, found, curve }) =>
  ({ choice: right, number: found, sketch: curve })[kind] !== undefined;

const waitText = () => (answers?.reason ? tr(answers.reason) : tr("Not measured yet. Let the run continue."));
const countText = () => (!answers ? "" : answers.given === 1 ? tr("1 of {} has answered", answers.people)
  : tr("{} of {} have answered", answers.given, answers.people));

// How many pupils are at each step.
const stepsText = (at) => at.map((number, i) => number && tr("Step {}: {}", i + 1, number)).filter(Boolean).join(", ");

// A bar for each choice; the question above has their texts.
function bars({ counts, right = -1, shown }) {
  const most = Math.max(1, ...counts);
  return [make("ol", { class: "class-bars" }, counts.map((number, i) => {
    const isRight = shown && i === right;
    return make("li", { class: isRight ? "right" : "" }, make("b", { text: letters[i] }),
      make("span", { class: "class-bar" }, make("span", { style: `width:${100 * number / most}%` })),
      make("span", { class: "class-number", text: String(number) }),
      make("span", { class: "class-right" }, isRight && [icon("check"), make("span", { text: () => tr("right") })]));
  }))];
}

// The part of the axis that has most of the numbers: a single one far away would squeeze all others.
// `values`: sorted, at least one.
export function axisOf(values) {
  const at = (share) => values[Math.round(share * (values.length - 1))], low = at(0.25), high = at(0.75);
  const reach = 3 * Math.max(high - low, 0.1 * Math.abs(at(0.5)));
  const near = values.filter((value) => value >= low - reach && value <= high + reach);
  const from = near[0], to = near.at(-1), margin = to > from ? 0.05 * (to - from) : 0.5 * Math.abs(from) || 1;
  return { from: from - margin, to: to + margin };
}

const withUnit = (text, unit) => (unit ? `${text} ${tr(unit)}` : text);

// `found`: what is measured, or what theory gives, once the results are shown.
function numbers({ numbers: all, unit, found, theory }) {
  const known = all.filter((one) => Number.isFinite(one.value)), values = known.map((one) => one.value);
  const facts = Number.isFinite(found) ? [make("dl", { class: "pairs" },
    [[run.lesson.step.question.is_measured ? "Measured" : "Theory", found], ["Theory", theory]].filter(([, value]) =>
      Number.isFinite(value)).flatMap(([name, value]) => [make("dt", { text: () => tr(name) }),
      make("dd", { text: () => withUnit(numberText(value), unit) })]))] : [];
  if (!known.length) return facts;
  const { from, to } = axisOf(Number.isFinite(found) ? [...values, found].sort((a, b) => a - b) : values);
  const share = (value) => (value - from) / (to - from);
  const heights = new Array(columns).fill(0), far = [], dots = [];
  for (const { text, value, points } of known) {
    const across = share(value);
    if (across < 0 || across > 1) {
      far.push(text);
      continue;
    }
    const column = Math.min(columns - 1, Math.floor(across * columns));
    dots.push(make("span", { class: `class-dot ${levels[points] ?? ""}`, title: withUnit(text, unit),
      style: `left:${100 * (column + 0.5) / columns}%;--level:${heights[column]++}` }));
  }
  const axis = makeAxis(from, to, false, 5);
  const judged = known.filter((one) => one.points !== null && one.points !== undefined);
  const judgedAs = (points) => judged.filter((one) => one.points === points).length;
  const list = known.map((one) => withUnit(one.text, unit)).join("; ");
  return [make("div", { class: "class-axis", role: "img", "aria-label": list,
    style: `--highest:${Math.max(3, ...heights)}` },
  Number.isFinite(found) && make("span", { class: "class-found", style: `left:${100 * share(found)}%` }), dots,
  axis.ticks.map((tick, i) => make("span", { class: "class-tick", style: `left:${100 * share(tick)}%`,
    text: axis.texts[i] }))),
  unit || axis.common ? make("p", { class: "small dim class-unit", text: () => [axis.common, unit && tr(unit)].filter(
    Boolean).join(" ") }) : "",
  far.length ? make("p", { class: "small", text: () => tr("Beyond the axis: {}", far.map((text) =>
    withUnit(text, unit)).join("; ")) }) : "",
  judged.length ? make("p", { class: "class-judged" }, [[2, () => tr("right: {}", judgedAs(2))],
    [1, () => tr("nearly right: {}", judgedAs(1))], [0, () => tr("far off: {}", judgedAs(0))]].map(([points, text]) =>
    make("span", { class: `class-key ${levels[/** @type {0} */ (points)]}`, text }))) : "", ...facts];
}

// All sketches, and the measured curve once it is shown.
function bundleOf({ sketches, curve, shown }) {
  const { x, y, x_label: across, y_label: up, free_height: free } = run.lesson.step.question.sketch;
  return { label: "Sketches of the class", x_label: across, y_label: up, points: (shown && curve) || [],
    bundle: sketches, range: free && shown ? null : [...x, ...y] };
}

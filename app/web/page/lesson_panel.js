// Panel of a lesson: its text, its question, the answer, also as a sketch, and the reply of the run. In a shared run
// it is a lesson for the class: the teacher's page leads it and has the answers of all, pupils' pages follow.
import { classAnswers, saveButton } from "./class_answers.js";
import { make, replaceKeepingFocus } from "./dom.js";
import { decimalMark, errorText, hasFingersOnly, retranslate, textForDevice, tr } from "./i18n.js";
import { keptLesson } from "./keep.js";
import { numberText } from "./numbers.js";
import { stepControls } from "./physics_panel.js";
import { plot } from "./plots.js";
import { resultSheet } from "./result_sheet.js";
import { call, cancelLongStep, controlsRun, emit, endLesson, inClass, leadsClass, on, onlyWatches, resultsAreHidden, run, runAction,
  setPlaying, setReopen, setTool, showMessage, takePlaying, takeRun, toolIsOpen, whyWatching } from "./run.js";
import { settings } from "./settings.js";

// Paragraphs of a lesson's text: a list, or a text with empty lines between them.
const paragraphs = (text) => (Array.isArray(text) ? text : (text ?? "").trim().split(/\n\s*\n/))
  .filter((paragraph) => textForDevice(paragraph))
  .map((paragraph) => make("p", { text: () => tr(paragraph.replace(/\s*\n\s*/g, " ")) }));
const fact = (name, value) => [make("dt", { text: name }), make("dd", { text: value })];
const mostPoints = 2; // of a question
const ofPoints = (points, of) => (of === 1 ? tr("{} of 1 point", points) : tr("{} of {} points", points, of));

// The open question has no answer yet: the run is paused until there is one, or until the user continues it. In a class
// it is paused until the teacher continues it.
const awaitsPrediction = () => Boolean(run.lesson?.step.question) &&
  (inClass() ? resultsAreHidden() : !run.lesson.answer && !run.lesson.first_try);
const isPupil = () => inClass() && !controlsRun();
const nameOfStep = () => `${run.lesson.lesson.path} ${run.lesson.index}`;

// Throws RequestError. The caller starts the run.
export async function openLesson(path) {
  await load(path);
  if (run.remote) resume();
  else isOpening = true;
}
async function load(path) {
  await cancelLongStep();
  const { index, answers, student } = keptLesson(path);
  const opened = await call("lesson_open", { path, ...(answers && { index, answers }) });
  if (typeof student === "string") run.student = student;
  take(opened, true);
  setReopen(() => reopenLesson(path));
}
async function reopenLesson(path) {
  await load(path);
  if (awaitsPrediction()) setPlaying(false);
}

// Undoes the caller's start if the step asks a question.
let isOpening = false;
on("playing", () => {
  const starts = isOpening && run.playing;
  isOpening = false;
  if (starts && awaitsPrediction()) setPlaying(false);
});

// Restarts the lesson at its first step and deletes the answers.
async function beginAgain() {
  const { path } = run.lesson.lesson;
  sketch.step = "";
  run.student = "";
  await callLesson("lesson_open", { path }, true);
}

function take(answer, restarts) {
  run.lesson = answer;
  if (answer.status && restarts) takeRun(answer.status);
  enterStep(answer.step);
  emit("lesson");
}

// The server's lesson may come before the scene of its step, and again within the step.
let entered = "";
function enterServedStep() {
  if (!run.remote || !run.lesson || !run.simulation) return;
  const now = `${nameOfStep()} ${run.generation}`;
  if (now !== entered) enterStep(run.lesson.step);
  entered = now;
}
on("lesson", enterServedStep);
on("scene", enterServedStep);

// As in the window: selects the step's tool, or one of those that the step allows, and continues the run, unless the
// step asks a question. If the user prefers reduced motion, a scene starts paused, and a scene that was started keeps
// running.
function enterStep(step) {
  if (step.tool) setTool(step.tool);
  if (!toolIsOpen(run.tool)) {
    const open = run.simulation.tools.find((one) => toolIsOpen(one.id));
    if (open) setTool(open.id);
  }
}
const resume = () =>
  start(!awaitsPrediction() && !run.lesson.step.about_start && (settings.calm ? run.playing && run.status.steps > 0 : true));
// A server starts the run with its scene, which this page may not know yet.
function start(playing) {
  if (!run.remote) return setPlaying(playing);
  takePlaying(playing);
  runAction("playback", { playing });
}

async function callLesson(name, request, restarts = false) {
  try {
    take(await call(name, request), restarts);
    if (restarts) resume();
  } catch (error) {
    if (error.kind === "input" || error.kind === "error") showMessage(() => errorText(error), "error");
  }
}

async function closeLesson() {
  if (await runAction("lesson_close", {})) endLesson();
}

async function giveAnswer(request) {
  const waited = awaitsPrediction();
  await callLesson("lesson_answer", { ...request, index: run.lesson.index });
  if (waited && run.lesson && !awaitsPrediction() && !run.lesson.step.about_start && !settings.calm) setPlaying(true);
}

// Answers arrive when the run has computed the step's number of steps; in a class not before the teacher shows them.
let updating = false;
on("diagnostics", async () => {
  if (!run.lesson?.answer?.waits || resultsAreHidden() || updating) return;
  updating = true;
  try {
    const now = await call("lesson_look", {});
    if (run.lesson) {
      run.lesson = now;
      emit(now.answer?.waits ? "lesson progress" : "lesson");
    }
  } catch {
    // the action that caused it shows the message
  }
  updating = false;
});

export function lessonPanel() {
  const node = make("div", { class: "lesson" }), controls = stepControls(), answers = classAnswers(paragraphs);
  let drawnStep = "", drawnResult = "";
  const draw = () => {
    if (!run.lesson) {
      drawnStep = "";
      return node.replaceChildren();
    }
    const { lesson, index, step, answer, first_try: first, points, all_points: allPoints, done } = run.lesson;
    const count = lesson.steps.length, last = index + 1 >= count;
    const another = drawnStep !== nameOfStep(), typed = another || !inClass() ? "" : typedText(node);
    drawnStep = nameOfStep();
    const title = make("h2", { class: "lesson-title", tabindex: -1, text: () => tr(step.title) });
    // Moves the focus to the title of another step, or on the same step to the result of an answer.
    replaceKeepingFocus(node, [
      title, ...paragraphs(step.paragraphs),
      ...(step.question ? question(step.question, answer, first) : []),
      ...((inClass() && !isPupil()) || leadsClass() ? [answers.node] : []),
      ...(step.kernels && (!step.question || isFound(answer)) ? kernelBars(step.kernels) : []),
      ...(last && isDone(step, answer, done) ? ending() : []),
      ...(last && ((inClass() && !isPupil()) || leadsClass()) ? [saveButton()] : []),
      ...(isPupil() ? [] : [stepButtons(index, last)]),
      stepDots(index),
      make("p", { class: "small dim", text: () => (allPoints && !onlyWatches()
        ? tr("{} – step {} of {}, {}", tr(lesson.title), index + 1, count, ofPoints(points, allPoints))
        : tr("{} – step {} of {}", tr(lesson.title), index + 1, count)) }),
      !isPupil() && (index > 0 || answer || first) ? make("button", { type: "button", class: "quiet lesson-again",
        text: () => tr("Restart this lesson"), onclick: beginAgain }) : "",
      inClass() && !isPupil() ? make("button", { type: "button", class: "quiet lesson-close", text: () =>
        tr("Close the lesson for all"), onclick: closeLesson }) : ""],
    () => node.querySelector(".verdict, .first-try") ?? title);
    if (typed) typeAgain(node, typed);
    answers.show();
    if (another && node.contains(document.activeElement)) title.focus({ preventScroll: true });
    retranslate(node);
    // Where the page scrolls, the previous step or the answer may have left them behind the view.
    const result = node.querySelector(".verdict, .first-try, .answer-sent"), shown = result?.className ?? "";
    if (another) bringIntoSight(controls.first.hidden ? title : controls.first);
    else if (result && shown !== drawnResult)
      bringIntoSight(node.querySelector(isFound(answer) ? ".lesson-buttons" : ".answer, .answers, .pad"), result);
    drawnResult = shown;
  };
  // A pupil's lesson is drawn before its tab is shown, and a sketch before it has its height.
  const bringIntoSight = (...parts) => {
    const scroll = () => parts.forEach((part) => part?.scrollIntoView({ block: "nearest" }));
    if (isPupil()) requestAnimationFrame(scroll);
    else scroll();
  };
  on("lesson", draw);
  const showProgress = () => {
    const bar = node.querySelector("progress"), progress = node.querySelector(".progress-text");
    if (bar) bar.value = run.lesson.progress ?? 0;
    if (progress) retranslate(progress.parentElement);
    progress?.classList.toggle("warning", isPaused());
    const waits = node.querySelector(".awaits-prediction");
    if (waits) waits.hidden = run.playing || settings.calm;
  };
  on("lesson progress", showProgress);
  on("playing", showProgress);
  return make("div", {}, controls.first, node, controls.others);
}

// The text in the field of an answer that was not sent: the server may have the panel drawn again meanwhile.
const typedText = (node) => node.querySelector("#lesson-answer")?.value ?? "";
function typeAgain(node, text) {
  const input = node.querySelector("#lesson-answer");
  if (input) input.value = text;
}

const isDone = (step, answer, done) => (inClass() ? !resultsAreHidden() || !step.question
  : done && (!step.question || isFound(answer)));

const stepButtons = (index, last) => make("div", { class: "lesson-buttons" },
  make("button", { type: "button", class: "quiet", disabled: index === 0, text: () => tr("Back"),
    onclick: () => callLesson("lesson_step", { index: index - 1 }, true) }),
  last ? make("a", { class: "button quiet", href: "#scenes", text: () => tr("All scenes and lessons") })
    : make("button", { type: "button", class: "accent", text: () => tr("Next"),
      onclick: () => callLesson("lesson_step", { index: index + 1 }, true) }));

// A dot for each step in the colour of its result, with a ring around the open one. The line below says it in words.
const stepDots = (index) => make("ol", { class: "lesson-dots", "aria-hidden": "true" },
  run.lesson.results.map((points, i) => make("li", { class: [
    points === null ? "" : points === mostPoints ? "good" : points > 0 ? "near" : "bad", i === index ? "here" : ""]
    .filter(Boolean).join(" ") })));

// True if the run has stopped before the measured number is available.
const isStuck = () => Boolean(run.lesson.stop_reason) && run.lesson.progress >= 1;
const isPaused = () => isStuck() || !run.playing;
const progressText = () => (isStuck() ? tr(run.lesson.stop_reason)
  : run.playing ? tr("Answer saved. The run is measuring the number:")
  : isPupil() ? tr("The run is paused. Your teacher continues it.")
  : tr("The run is paused. Continue it ({}) to see the result.", hasFingersOnly() ? tr("Play") : tr("Space")));

const isFound = (answer) => Boolean(answer) && !answer.waits && !resultsAreHidden();

function question(asked, answer, first) {
  const found = isFound(answer), hidden = resultsAreHidden(), isLate = isPupil() && !hidden && !answer && !onlyWatches();
  const fields = () => (inClass() && !isPupil() && asked.kind !== "choice"
    ? [make("details", { class: "own-answer" }, make("summary", { text: () => tr("Your own answer") }),
      field(asked, answer, first))] : field(asked, answer, first));
  return [make("h3", { text: () => tr("Question") }), ...paragraphs(asked.text),
    ...(first && !found ? firstTry(asked, first) : []),
    ...(found ? score(asked, answer, first) : isLate ? []
      : onlyWatches() ? [make("p", { class: "small dim", text: whyWatching })] : fields()),
    ...(isLate ? [make("p", { class: "small dim", role: "status", text: () =>
      tr("The results have been shown. You gave no answer.") })] : []),
    ...(answer && hidden ? [make("p", { class: "answer-sent", role: "status", text: () => (isPupil()
      ? tr("Answer sent. Your teacher shows the results.") : tr("Answer saved. Show the results to see it judged.")) })]
      : []),
    ...(awaitsPrediction() && !isPupil() ? [make("p", { class: "small dim awaits-prediction", hidden: run.playing ||
      settings.calm, text: () => (inClass() ? tr("The run is paused until you press Play.")
      : tr("The run is paused until you answer, or until you press Play.")) })] : []),
    ...(answer && !found && !hidden ? [make("p", { class: `small progress-text ${isPaused() ? "warning" : ""}`,
      role: "status", text: progressText }),
      make("progress", { max: 1, value: run.lesson.progress ?? 0, "aria-label": () =>
        tr("Progress of the measurement") })] : [])];
}

// The wrong first try, what is wrong with it, the hint, and what a second try is worth.
function firstTry(asked, { given, explanation, hint }) {
  const left = run.lesson.points_to_gain;
  const shown = () => (asked.kind === "sketch" ? tr("your sketch") : asked.kind === "choice" ? tr(given) : given);
  return [make("p", { class: "first-try", role: "status", tabindex: -1, text: () => tr("Not quite: {}", shown()) }),
    ...paragraphs(explanation), ...paragraphs(hint),
    make("p", { class: "small dim", text: () => tr("A right answer is now worth {}.", ofPoints(left, mostPoints)) })];
}

// At the end of the last step: the points, what the student now knows, and the next lesson.
function ending() {
  const { lesson, points, all_points: allPoints, next, done } = run.lesson;
  const hasResult = !inClass() || (isPupil() && !onlyWatches());
  return [make("h3", { class: "ending", text: () => tr("You have finished this lesson") }),
    allPoints && hasResult ? make("p", { text: () => tr("Your result: {}.", ofPoints(points, allPoints)) }) : "",
    ...paragraphs(lesson.learned),
    ...(allPoints && done && hasResult ? resultSheet() : []),
    ...(next && !isPupil() ? [make("p", { class: "small dim", text: () => tr("Next: {}", tr(next.title)) }),
      make("a", { class: "button accent next-lesson", href: `#l=${next.path}`, text: () => tr("Next lesson") })] : [])];
}

// The times of the kernels on this machine, the longest with the longest bar. Those that it does not have are grey.
function kernelBars(kernels) {
  const longest = Math.max(...kernels.map(({ seconds }) => seconds ?? 0));
  return [make("h3", { text: () => tr("Times of the kernels on this machine") }),
    make("dl", { class: "pairs" }, kernels.flatMap(({ title, seconds, missing }) => [
      make("dt", { class: missing ? "dim" : "", text: () => tr(title) }),
      make("dd", { class: missing ? "dim" : "" },
        seconds ? make("meter", { max: longest, value: seconds, "aria-label": () => tr(title) }) : "",
        make("span", { text: () => (seconds ? ` ${numberText(1000 * seconds, 3)} ms`
          : missing ? tr(missing) : tr("not measured")) }))]))];
}

function field(asked, answer, first) {
  if (asked.kind === "choice")
    return [make("div", { class: "answers", role: "group" }, asked.choices.map((choice, i) => make("button", {
      type: "button", class: "answer-choice", "aria-pressed": String(answer?.choice === i),
      disabled: first?.choice === i || Boolean(asked.missing[i]), onclick: () => giveAnswer({ choice: i }) },
    make("b", { text: "ABCDEFGH"[i] }), make("span", { text: () => (asked.missing[i]
      ? tr("{} ({})", tr(choice), tr(asked.missing[i])) : tr(choice)) }))))];
  if (asked.kind === "sketch") {
    const pad = sketchPad(asked.sketch, "Your sketch");
    return [pad.node, make("button", { type: "button", class: "accent", text: () =>
      (answer ? tr("Change") : tr("Answer")), onclick: () => giveAnswer({ sketch: pad.points() }) })];
  }
  // No keyboard of digits: an answer may be a formula.
  const input = make("input", { type: "text", id: "lesson-answer", autocomplete: "off", autocapitalize: "off",
    value: withMarks(answer?.given ?? ""), placeholder: () => tr("a number or a formula"),
    "aria-label": () => (asked.unit ? tr("Your answer, in {}", tr(asked.unit)) : tr("Your answer")) });
  // (Next to the field: a narrow one would cut it off.)
  const unit = asked.unit && make("span", { class: "unit", "aria-hidden": "true", text: () => tr(asked.unit) });
  return [make("form", { class: "answer", onsubmit: (event) => {
    event.preventDefault();
    if (input.value.trim()) giveAnswer({ number: withPoints(input.value) });
  } }, input, unit, make("button", { type: "submit", class: "accent", text: () =>
    (answer ? tr("Change") : tr("Answer")) }))];
}

// A formula as it is typed where the comma is the decimal mark ("1,158"), and as the engine reads and stores it.
const hasComma = () => decimalMark() === ",";
const withPoints = (formula) => (hasComma() ? formula.replace(/(?<=\d),(?=\d)/g, ".") : formula);
const withMarks = (formula) => (hasComma() ? formula.replace(/(?<=\d)\.(?=\d)/g, ",") : formula);

const withUnit = (value, unit) =>
  `${typeof value === "number" ? numberText(value) : value}${unit ? ` ${tr(unit)}` : ""}`;

function score(asked, answer, first) {
  const right = answer.points === run.lesson.points_to_gain, verdict = () => {
    const pointsText = ofPoints(answer.points, mostPoints);
    if (right) return first ? tr("Right in the second try: {}", pointsText) : tr("Right: {}", pointsText);
    if (answer.points > 0) return tr("Nearly right: {}", pointsText);
    return asked.kind === "choice" ? tr("Wrong: {}", pointsText) : tr("Far off: {}", pointsText);
  };
  const parts = [make("p", { class: `verdict ${right ? "good" : answer.points > 0 ? "near" : "bad"}`,
    role: "status", tabindex: -1, text: verdict })];
  const results = [];
  if (asked.kind === "sketch") {
    if (answer.curve) {
      const one = plot();
      parts.push(one.node);
      const { x, y, x_label: across, y_label: up, free_height: free } = asked.sketch;
      requestAnimationFrame(() => one.show({ label: asked.text, x_label: across, y_label: up, points: answer.curve,
        sketch: answer.sketch, range: free ? null : [...x, ...y] }));
    }
    results.push(...fact(() => tr("Off by"), () => tr("{} % of its height, in the mean",
      numberText(100 * answer.found, 2))));
  } else {
    if (answer.given !== undefined && asked.kind === "number")
      results.push(...fact(() => tr("Your answer"), () => withUnit(answer.given, asked.unit)));
    if (asked.kind === "choice" && answer.right_choice >= 0 && answer.right_choice !== answer.choice)
      results.push(...fact(() => tr("Right is"), () => tr(asked.choices[answer.right_choice])));
    results.push(...fact(() => tr(asked.is_measured ? "Measured" : "Theory"), () =>
      withUnit(answer.found, asked.unit)));
    if (typeof answer.theory === "number") {
      results.push(...fact(() => tr("Theory"), () => withUnit(answer.theory, asked.unit)));
      if (answer.theory !== 0) {
        const difference = 100 * (answer.found / answer.theory - 1), off = Math.abs(difference) < 1e-6 ? 0 : difference;
        results.push(...fact(() => tr("Measured against theory"), () =>
          `${off > 0 ? "+" : ""}${numberText(off, 2)} %`));
      }
    }
  }
  parts.push(make("dl", { class: "pairs" }, results));
  parts.push(...paragraphs(answer.explanation), ...paragraphs(answer.words));
  return parts;
}

// ---- sketch: a prediction drawn before it is measured, by pointer, finger or keys

const sketchPoints = 128; // along x

// The drawing of the open step: it stays for a second try.
const sketch = { step: "", heights: [] };
function sketchOfStep() {
  const step = nameOfStep();
  if (step !== sketch.step) Object.assign(sketch, { step, heights: heightsOf(run.lesson.first_try?.sketch ?? []) });
  return sketch.heights;
}
// A first try of before a reload, at its nearest points, to be corrected.
function heightsOf(points) {
  const { x: [from, to], y: [low, high] } = run.lesson.step.question.sketch;
  const heights = new Array(sketchPoints).fill(null);
  for (const [x, y] of points)
    heights[Math.min(sketchPoints - 1, Math.max(0, Math.floor((x - from) / (to - from) * sketchPoints)))] =
      Math.min(1, Math.max(0, (y - low) / (high - low)));
  return heights;
}

// `asked`: {x: [low, high], y: [low, high], x_label, y_label}. Returns {node, points()}.
function sketchPad(asked, label) {
  const heights = sketchOfStep();
  const one = plot();
  const pad = make("div", { class: "pad", tabindex: 0, role: "application", "aria-label": () =>
    tr("Draw the curve here. With the keyboard, the left and right arrow keys move the pen and draw; up and down " +
      "change its height.") },
  one.node);
  one.canvas.style.touchAction = "none";
  let pen = { at: 0, height: 0.5 }, last = null;

  const points = () => heights.flatMap((height, i) => (height === null ? [] :
    [[asked.x[0] + (i + 0.5) / sketchPoints * (asked.x[1] - asked.x[0]),
      asked.y[0] + height * (asked.y[1] - asked.y[0])]]));
  const show = () => one.show({ label, x_label: asked.x_label, y_label: asked.y_label, x_unit: "", y_unit: "",
    points: [], sketch: points(), range: [...asked.x, ...asked.y] });

  function placeOf(event) {
    const box = one.canvas.getBoundingClientRect(), { left, right, top, bottom } = one.area;
    const x = (event.clientX - box.left - left) / (right - left),
      y = 1 - (event.clientY - box.top - top) / (bottom - top);
    return { at: Math.floor(Math.min(0.9999, Math.max(0, x)) * sketchPoints), height: Math.min(1, Math.max(0, y)) };
  }
  function drawTo(next) {
    const from = last ?? next, steps = Math.max(1, Math.abs(next.at - from.at));
    for (let i = 0; i <= steps; ++i)
      heights[Math.round(from.at + (next.at - from.at) * i / steps)] = from.height +
        (next.height - from.height) * i / steps;
    last = pen = next;
    show();
  }
  one.canvas.addEventListener("pointerdown", (event) => {
    one.canvas.setPointerCapture(event.pointerId);
    last = null;
    drawTo(placeOf(event));
  });
  one.canvas.addEventListener("pointermove", (event) => event.buttons && last && drawTo(placeOf(event)));
  one.canvas.addEventListener("pointerup", () => (last = null));
  pad.addEventListener("keydown", (event) => {
    const direction = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 0.02], ArrowDown: [0, -0.02] }[event.key];
    if (!direction) return;
    event.preventDefault();
    event.stopPropagation();
    const steps = event.shiftKey ? 4 : 1;
    last = pen;
    drawTo({ at: Math.min(sketchPoints - 1, Math.max(0, pen.at + direction[0] * steps)),
      height: Math.min(1, Math.max(0, pen.height + direction[1] * steps)) });
  });
  requestAnimationFrame(show);
  return { node: make("div", {}, pad, make("button", { type: "button", class: "link", text: () => tr("Draw again"),
    onclick: () => {
      heights.fill(null);
      show();
    } })), points };
}

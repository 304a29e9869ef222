// Panel of a lesson: its text, its question, the answer and the reply of the run.
import { make } from "./dom.js";
import { replaceKeepingFocus } from "./focus.js";
import { forgetLesson, keptLesson } from "./keep.js";
import { numberText } from "./numbers.js";
import { plot } from "./plot.js";
import { call, emit, cancelLongStep, withLabels, on, run, setPlaying, setReopen, setTool, takeRun, showMessage,
  toolIsOpen } from "./run.js";
import { retranslate, tr } from "./i18n.js";
import { settings } from "./settings.js";
import { sketchPad } from "./sketch.js";
import { buttonsForFingers, namesButtons } from "./touch.js";

// Paragraphs of a lesson's text: a list, or a text with empty lines between them.
const paragraphs = (text) => (Array.isArray(text) ? text : (text ?? "").trim().split(/\n\s*\n/)).filter(Boolean)
  .map((words) => make("p", { text: () => tr(words.replace(/\s*\n\s*/g, " ")) }));
const fact = (name, value) => [make("dt", { text: name }), make("dd", { text: value })];
const ofPoints = (points, of) => (of === 1 ? tr("{} of 1 point", points) : tr("{} of {} points", points, of));

// Throws RequestError.
export async function openLesson(path) {
  await cancelLongStep();
  take(await call("lesson_open", { path, ...keptLesson(path) }), true);
  setReopen(() => openLesson(path));
}

// Restarts the lesson at its first step and deletes the answers.
async function beginAgain() {
  const { path } = run.lesson.lesson;
  await callLesson("lesson_open", { path }, true);
  forgetLesson(path); // (after pending writes)
}

function take(answer, restarts) {
  run.lesson = answer;
  if (answer.status && restarts) takeRun(answer.status);
  enterStep(answer.step);
  emit("lesson");
}

// As in the window: selects the step's tool, or one of those that the step allows, and continues the run. If the user
// prefers reduced motion, a scene starts paused, and a scene that was started keeps running.
function enterStep(step) {
  if (step.tool) setTool(step.tool);
  if (!toolIsOpen(run.tool)) {
    const open = run.simulation.tools.find((one) => toolIsOpen(one.id));
    if (open) setTool(open.id);
  }
}
const resume = () => setPlaying(settings.calm ? run.playing && run.status.steps > 0 : true);

async function callLesson(name, request, restarts = false) {
  try {
    take(await call(name, request), restarts);
    if (restarts) resume();
  } catch (error) {
    if (error.kind === "input" || error.kind === "error") showMessage(() => withLabels(error.message), "error");
  }
}

// Answers arrive when the run has computed the step's number of steps.
let updating = false;
on("diagnostics", async () => {
  if (!run.lesson?.answer?.waits || updating) return;
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
  const node = make("div", { class: "lesson" });
  let drawnStep = "";
  const draw = () => {
    if (!run.lesson) return node.replaceChildren();
    const { lesson, index, step, answer, points, all_points: allPoints } = run.lesson;
    const count = lesson.steps.length, last = index + 1 >= count;
    const another = drawnStep !== `${lesson.path} ${index}`;
    drawnStep = `${lesson.path} ${index}`;
    const title = make("h2", { class: "lesson-title", tabindex: -1, text: () => tr(step.title) });
    // Moves the focus to the title of another step, or on the same step to the result of an answer.
    replaceKeepingFocus(node, [
      make("p", { class: "small dim", text: () => (allPoints
        ? tr("{} – step {} of {}, {}", tr(lesson.title), index + 1, count, ofPoints(points, allPoints))
        : tr("{} – step {} of {}", tr(lesson.title), index + 1, count)) }),
      index > 0 || answer ? make("button", { type: "button", class: "quiet lesson-again", text: () =>
        tr("Begin this lesson again"), onclick: beginAgain }) : "",
      title, ...paragraphs(step.paragraphs),
      namesButtons(step.paragraphs, step.question?.text ?? "") ? make("p", { class: "small dim", text: buttonsForFingers }) : "",
      ...(step.question ? question(step.question, answer) : []),
      make("div", { class: "lesson-buttons" },
        make("button", { type: "button", class: "quiet", disabled: index === 0, text: () => tr("Back"),
          onclick: () => callLesson("lesson_step", { index: index - 1 }, true) }),
        last ? make("a", { class: "button quiet", href: "#scenes", text: () => tr("All scenes and lessons") })
          : make("button", { type: "button", class: "accent", text: () => tr("Next"),
            onclick: () => callLesson("lesson_step", { index: index + 1 }, true) }))],
    () => node.querySelector(".verdict") ?? title);
    if (another && node.contains(document.activeElement)) title.focus();
    retranslate(node);
  };
  on("lesson", draw);
  const showProgress = () => {
    const bar = node.querySelector("progress"), words = node.querySelector(".progress-text");
    if (bar) bar.value = run.lesson.progress ?? 0;
    if (words) retranslate(words.parentElement);
    words?.classList.toggle("warning", isPaused());
  };
  on("lesson progress", showProgress);
  on("playing", showProgress);
  return node;
}

// True if the run has stopped before the measured number is available.
const isStuck = () => Boolean(run.lesson.stop_reason) && run.lesson.progress >= 1;
const isPaused = () => isStuck() || !run.playing;
const progressText = () => (isStuck() ? withLabels(run.lesson.stop_reason)
  : run.playing ? tr("Answered. The run is on its way to the number:")
  : tr("The run is paused: play on ({}) to see what comes of it.", tr("Space")));

const isFound = (answer) => Boolean(answer) && !answer.waits;

function question(asked, answer) {
  const found = isFound(answer);
  return [make("h3", { text: () => tr("Question") }), ...paragraphs(asked.text),
    ...(found ? score(asked, answer) : field(asked, answer)),
    ...(answer && !found ? [make("p", { class: `small progress-text ${isPaused() ? "warning" : ""}`, role: "status",
      text: progressText }),
      make("progress", { max: 1, value: run.lesson.progress ?? 0, "aria-label": () =>
        tr("The run's way to the number") })] : [])];
}

function field(asked, answer) {
  if (asked.kind === "choice")
    return [make("div", { class: "answers", role: "group" }, asked.choices.map((choice, i) => make("button", {
      type: "button", class: "answer-choice", "aria-pressed": String(answer?.choice === i), onclick: () =>
        callLesson("lesson_answer", { choice: i }) },
    make("b", { text: "ABCDEFGH"[i] }), make("span", { text: () => tr(choice) }))))];
  if (asked.kind === "sketch") {
    const pad = sketchPad(asked.sketch, "Your sketch");
    return [pad.node, make("button", { type: "button", class: "accent", text: () => tr("Answer"),
      onclick: () => {
      callLesson("lesson_answer", { sketch: pad.points() });
    } })];
  }
  const input = make("input", { type: "text", inputmode: "decimal", id: "lesson-answer", autocomplete: "off",
    value: answer?.given ?? "", "aria-label": () => tr("Your answer"),
    placeholder: () => (asked.unit ? tr("a number, in {}", tr(asked.unit)) : tr("a number")) });
  return [make("form", { class: "answer", onsubmit: (event) => {
    event.preventDefault();
    if (input.value.trim()) callLesson("lesson_answer", { number: input.value.trim().replace(",", ".") });
  } }, input, make("button", { type: "submit", class: "accent", text: () =>
    (answer ? tr("Change") : tr("Answer")) }))];
}

const withUnit = (value, unit) =>
  `${typeof value === "number" ? numberText(value) : value}${unit ? ` ${tr(unit)}` : ""}`;

function score(asked, answer) {
  const most = answer.most_points ?? 2, verdict = () => {
    const pointsText = ofPoints(answer.points, most);
    if (answer.points === most) return tr("Right: {}", pointsText);
    if (answer.points > 0) return tr("Close: {}", pointsText);
    return asked.kind === "choice" ? tr("Not this one: {}", pointsText) : tr("Not near: {}", pointsText);
  };
  const parts = [make("p", { class: `verdict ${answer.points === most ? "good" : answer.points > 0 ? "near" : "bad"}`,
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
    results.push(...fact(() => tr("Measured"), () => withUnit(answer.found, asked.unit)));
    if (typeof answer.theory === "number") {
      results.push(...fact(() => tr("Theory"), () => withUnit(answer.theory, asked.unit)));
      if (answer.theory !== 0) {
        const off = 100 * (answer.found / answer.theory - 1);
        results.push(...fact(() => tr("Difference"), () => `${off < 0 ? "" : "+"}${numberText(off, 2)} %`));
      }
    }
  }
  parts.push(make("dl", { class: "pairs" }, results), ...paragraphs(answer.words));
  return parts;
}

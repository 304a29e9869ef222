// A lesson that somebody takes: its words, its question, the answer and what the run says to it.
import { make } from "./dom.js";
import { numberText } from "./numbers.js";
import { plot } from "./plot.js";
import { call, emit, inLabels, on, run, setPlaying, setTool, takeRun, tellNote } from "./run.js";
import { retell, say } from "./say.js";
import { sketchPad } from "./sketch.js";

const paragraphs = (text) => (text ?? "").trim().split(/\n\s*\n/).filter(Boolean)
  .map((words) => make("p", { text: () => say(words.replace(/\s*\n\s*/g, " ")) }));
const fact = (name, value) => [make("dt", { text: name }), make("dd", { text: value })];
const ofPoints = (points, of) => (of === 1 ? say("{0} of {1} point", points, of) : say("{0} of {1} points", points, of));

// Throws Refusal.
export async function openLesson(path) {
  take(await call("lesson_open", { path }), true);
  setPlaying(true);
}

export function closeLesson() {
  if (!run.lesson) return;
  run.lesson = null;
  emit("lesson");
}

function take(answer, anew) {
  run.lesson = answer;
  if (answer.facts && anew) takeRun(answer.facts);
  if (answer.step.tool) setTool(answer.step.tool);
  emit("lesson");
}

async function doIt(name, request, anew = false) {
  try {
    take(await call(name, request), anew);
  } catch (error) {
    if (error.kind === "input" || error.kind === "error") tellNote(inLabels(error.message), "error");
  }
}

// Answers come when the run has done the step's steps.
let looking = false;
on("look", async () => {
  if (!run.lesson?.answer || run.lesson.answer.found !== null || looking) return;
  looking = true;
  try {
    const now = await call("lesson_look", {});
    if (run.lesson) {
      const found = now.answer && now.answer.found !== null && now.answer.found !== undefined;
      run.lesson = now;
      emit(found ? "lesson" : "lesson progress");
    }
  } catch {
    // told by the deed that it belongs to
  }
  looking = false;
});

export function lessonPanel() {
  const node = make("div", { class: "lesson" });
  const draw = () => {
    if (!run.lesson) return node.replaceChildren();
    const { lesson, step, answer, points, all_points: allPoints } = run.lesson;
    const last = step.index + 1 >= lesson.steps;
    node.replaceChildren(
      make("p", { class: "small dim", text: () => `${say(lesson.title)} – ${say("step {0} of {1}", step.index + 1, lesson.steps)
        }${allPoints ? `, ${ofPoints(points, allPoints)}` : ""}` }),
      make("h2", { class: "lesson-title", text: () => say(step.title) }), ...paragraphs(step.words),
      ...(step.question ? question(step.question, answer) : []),
      make("div", { class: "lesson-way" },
        make("button", { type: "button", class: "quiet", disabled: step.index === 0, text: () => say("Back"),
          onclick: () => doIt("lesson_step", { index: step.index - 1 }, true) }),
        last ? make("a", { class: "button quiet", href: "#scenes", text: () => say("All scenes and lessons") })
          : make("button", { type: "button", class: "accent", text: () => say("Next"),
            onclick: () => doIt("lesson_step", { index: step.index + 1 }, true) })));
    retell(node);
  };
  on("lesson", draw);
  on("lesson progress", () => {
    const bar = node.querySelector("progress");
    if (bar) bar.value = run.lesson.progress ?? 0;
  });
  return node;
}

const isFound = (answer) => Boolean(answer) && answer.found !== null && answer.found !== undefined;

function question(asked, answer) {
  const found = isFound(answer);
  return [make("h3", { text: () => say("Question") }), ...paragraphs(asked.text),
    ...(found ? score(asked, answer) : field(asked, answer)),
    ...(answer && !found ? [make("p", { class: "small dim", text: () => say("Answered. The run is on its way to the number:") }),
      make("progress", { max: 1, value: run.lesson.progress ?? 0, "aria-label": () => say("The run's way to the number") })] : [])];
}

function field(asked, answer) {
  if (asked.kind === "choice")
    return [make("div", { class: "choices", role: "group" }, asked.choices.map((choice, i) => make("button", {
      type: "button", class: "choice", "aria-pressed": String(answer?.choice === i), onclick: () => doIt("lesson_answer", { choice: i }) },
    make("b", { text: "ABCDEFGH"[i] }), make("span", { text: () => say(choice.text ?? choice) }))))];
  if (asked.kind === "sketch") {
    const pad = sketchPad(asked.sketch ?? asked, say("Your sketch"));
    return [pad.node, make("button", { type: "button", class: "accent", text: () => say("Answer"),
      onclick: () => doIt("lesson_answer", { sketch: pad.points() }) })];
  }
  const input = make("input", { type: "text", inputmode: "decimal", id: "lesson-answer", autocomplete: "off",
    value: answer?.given ?? "", "aria-label": () => say("Your answer"),
    placeholder: () => (asked.unit ? say("a number, in {}", say(asked.unit)) : say("a number")) });
  return [make("form", { class: "answer", onsubmit: (event) => {
    event.preventDefault();
    if (input.value.trim()) doIt("lesson_answer", { number: input.value.trim().replace(",", ".") });
  } }, input, make("button", { type: "submit", class: "accent", text: () => (answer ? say("Change") : say("Answer")) }))];
}

const withUnit = (value, unit) => `${typeof value === "number" ? numberText(value) : value}${unit ? ` ${say(unit)}` : ""}`;

function score(asked, answer) {
  const most = 2, verdict = () => (answer.points === most ? say("Right") : answer.points > 0 ? say("Close")
    : asked.kind === "choice" ? say("Not this one") : say("Not near"));
  const parts = [make("p", { class: `verdict ${answer.points === most ? "good" : answer.points > 0 ? "near" : "bad"}`,
    role: "status", text: () => `${verdict()}: ${ofPoints(answer.points, most)}` })];
  const facts = [];
  if (asked.kind === "sketch") {
    const curve = answer.curve && { ...answer.curve, theory: [], sketch: answer.sketch };
    if (curve) {
      const one = plot();
      parts.push(one.node);
      requestAnimationFrame(() => one.show(curve));
    }
    facts.push(...fact(() => say("Off by"), () => say("{} % of its height, in the mean", numberText(100 * answer.found, 2))));
  } else {
    if (answer.given !== undefined && asked.kind === "number")
      facts.push(...fact(() => say("Your answer"), () => withUnit(answer.given, asked.unit)));
    if (asked.kind === "choice" && answer.right !== undefined && answer.right >= 0)
      facts.push(...fact(() => say("Right is"), () => say(asked.choices[answer.right].text ?? asked.choices[answer.right])));
    facts.push(...fact(() => say("Measured"), () => withUnit(answer.found, asked.unit)));
    if (typeof answer.expected === "number") {
      facts.push(...fact(() => say("Theory"), () => withUnit(answer.expected, asked.unit)));
      if (answer.expected !== 0) {
        const off = 100 * (answer.found / answer.expected - 1);
        facts.push(...fact(() => say("Difference"), () => `${off < 0 ? "" : "+"}${numberText(off, 2)} %`));
      }
    }
  }
  parts.push(make("dl", { class: "pairs" }, facts), ...paragraphs(answer.words));
  return parts;
}

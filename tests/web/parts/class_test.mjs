import assert from "node:assert/strict";
import { test } from "node:test";
import "./dom.mjs";
import { page } from "./page.mjs";

// A server that answers what the test says: {call: request => result}.
const asked = [], answers = {};
class FakeSocket {
  constructor() {
    FakeSocket.last = this;
    queueMicrotask(() => this.onopen());
  }
  send(text) {
    const { id, call, with: request } = JSON.parse(text);
    asked.push([call, request]);
    queueMicrotask(() => this.say({ id, ...(answers[call] ? { result: answers[call](request) } : { error: `No ${call}.`,
      kind: "input" }) }));
  }
  say(message) {
    this.onmessage({ data: JSON.stringify(message) });
  }
  close() {}
}
const stored = new Map();
Object.assign(globalThis, { WebSocket: FakeSocket, location: { origin: "http://class.example", hash: "#served", href: "" },
  window: { addEventListener() {}, localStorage: { getItem: (key) => stored.get(key) ?? null,
    setItem: (key, value) => stored.set(key, value) } } });
// (Timers of the page would keep the test's process.)
for (const name of ["setInterval", "setTimeout"]) {
  const setTimer = globalThis[name];
  globalThis[name] = (...given) => setTimer(...given).unref();
}

const limits = { max_steps: 1000, min_rate: 1, max_rate: 1e6, max_due_seconds: 1 };
const simulation = { id: "wave", title: "Waves", tools: [{ id: "droplet", brush: [] }, { id: "wall", brush: [] }],
  parameters: [], quantities: [] };
const catalog = { version: "1", pace: limits, compute: { threads: 2 }, simulations: [simulation] };
const status = { simulation: "wave", scene: "wave/rain", steps: 0, view: { camera: {} }, parameters: {}, gauges: [] };

const { keepLesson, keptLesson, startKeeping } = await page("keep");
const { axisOf } = await page("class_answers");
const { lessonPanel, openLesson } = await page("lesson_panel");
const { emit, run, startEngine } = await page("run");
const { startServed } = await page("served");

const question = (kind, more = {}) => ({ kind, text: "How far?", unit: "cm", is_measured: false, choices: [], missing: [], ...more });
const choice = question("choice", { choices: ["Near", "Far", "There"], missing: ["", "", ""] });
const number = question("number");
const sketch = question("sketch", { sketch: { x: [0, 1], y: [0, 1], x_label: "x", y_label: "y", free_height: false } });
// As lesson_look answers.
function lessonAt(index, asked_, { answer = null, shown = false, more = {} } = {}) {
  return { lesson: { path: "wave/two-slits", title: "Two slits", learned: "Waves add up.", steps: ["a", "b", "c"] }, index,
    step: { title: `Step ${index}`, paragraphs: ["Text."], unlocked: [], tools: ["wall"], tool: "wall", question: asked_ },
    answer, first_try: null, points_to_gain: 2, points: 0, all_points: 6, results: [null, null, null], progress: 0, done: false,
    next: { path: "wave/doppler", title: "Doppler" }, code: "", stop_reason: "", class: { shown },
    kept: { path: "wave/two-slits", index, answers: [] }, ...more };
}
const waiting = (more) => ({ given: "2", choice: -1, waits: true, ...more });
const judged = (more) => ({ given: "2", choice: -1, waits: false, found: 2, theory: null, points: 2, explanation: "",
  words: "Two.", right_choice: -1, ...more });
const push = (message) => FakeSocket.last.say(message);
const pushLesson = (...given) => push({ push: "lesson", lesson: lessonAt(...given) });
const settle = async () => {
  for (let k = 0; k < 30; ++k) await Promise.resolve();
};

startServed();
startKeeping(() => false);
const panel = lessonPanel();
const texts = (selector) => panel.querySelectorAll(selector).map((one) => one.textContent);
const text = () => panel.textContent;
const find = (selector) => panel.querySelector(selector) ?? assert.fail(`no ${selector} in: ${text()}`);
async function connect(role, lesson = null) {
  answers.hello = () => ({ catalog, role, name: "Ada", playing: false, status, lesson });
  await startEngine(() => {});
}

test("a pupil's page follows: no buttons that lead, and null closes", async () => {
  await connect("pupil");
  pushLesson(0, choice);
  assert.match(text(), /Step 0.*How far\?/);
  assert.deepEqual(texts("button.answer-choice").length, 3);
  for (const selector of [".lesson-buttons", ".lesson-again", ".lesson-close", ".class-answers", ".awaits-prediction"])
    assert.equal(panel.querySelector(selector), null, selector);
  assert.equal(run.tool, "wall", "the step's tool");
  pushLesson(1, null);
  assert.match(text(), /Step 1/);
  push({ push: "lesson", lesson: null });
  assert.equal(run.lesson, null);
  assert.equal(find(".lesson").textContent, "");
});

test("a late pupil has lesson and answer with the hello", async () => {
  await connect("pupil", lessonAt(1, number, { answer: waiting() }));
  assert.match(text(), /Answer sent\. Your teacher shows the results\./);
  assert.equal(find("#lesson-answer").value, "2");
  await connect("pupil");
  assert.equal(run.lesson, null, "the lesson was closed meanwhile");
});

test("an answer can be changed until the results are shown, and is not judged before", async () => {
  answers.lesson_answer = (request) => lessonAt(0, choice, { answer: waiting({ choice: request.choice }) });
  pushLesson(0, choice);
  for (const at of [0, 2]) {
    panel.querySelectorAll(".answer-choice")[at].click();
    await settle();
    assert.deepEqual(asked.at(-1), ["lesson_answer", { choice: at, index: 0 }]);
    assert.match(text(), /Answer sent/);
    assert.deepEqual(panel.querySelectorAll(".answer-choice").map((one) => one.getAttribute("aria-pressed") === "true"),
      [0, 1, 2].map((one) => one === at));
  }
  assert.equal(panel.querySelector(".verdict") ?? panel.querySelector("progress"), null);
  emit("diagnostics");
  await settle();
  assert.ok(!asked.some(([call]) => call === "lesson_look"), "the server says when there is something");
  // Not even if a server says more than it should.
  pushLesson(0, choice, { answer: judged({ choice: 1, found: "Far", right_choice: 2, points: 0 }) });
  assert.equal(panel.querySelector(".verdict"), null);
  assert.doesNotMatch(text(), /Right is|Two\./);
  pushLesson(0, choice, { answer: judged({ choice: 1, found: "Far", right_choice: 2, points: 0 }), shown: true });
  assert.match(find(".verdict").textContent, /Wrong: 0 of 2 points/);
  assert.match(text(), /Right is.*There/);
  assert.equal(panel.querySelector(".answer-choice"), null);
});

test("results that are shown before they are measured come with the run", async () => {
  answers.lesson_look = () => lessonAt(0, number, { answer: judged(), shown: true });
  pushLesson(0, number, { answer: waiting(), shown: true });
  assert.match(find(".progress-text").textContent, /paused\. Your teacher continues it/);
  emit("diagnostics");
  await settle();
  assert.match(find(".verdict").textContent, /Right: 2 of 2 points/);
});

test("a pupil without an answer cannot give one after the results", () => {
  pushLesson(0, number, { shown: true });
  assert.match(text(), /You gave no answer/);
  assert.equal(panel.querySelector("#lesson-answer"), null);
});

test("typed text stays with its step", () => {
  pushLesson(0, number);
  find("#lesson-answer").value = "25 / 12";
  pushLesson(0, number);
  assert.equal(find("#lesson-answer").value, "25 / 12", "the same step was drawn again");
  pushLesson(1, number);
  assert.equal(find("#lesson-answer").value, "");
  find("#lesson-answer").value = "3";
  pushLesson(0, number);
  assert.equal(find("#lesson-answer").value, "");
});

test("the server keeps the answers, the browser stores nothing", () => {
  pushLesson(1, number, { answer: waiting(), more: { kept: { path: "wave/two-slits", index: 1, answers: [{ step: 0 }] } } });
  keepLesson();
  assert.deepEqual([...stored.keys()].filter((key) => key.includes("lessons")), []);
  stored.set("perturb lessons", JSON.stringify({ "wave/two-slits": { index: 2, answers: [{ step: 0 }] } }));
  assert.deepEqual(keptLesson("wave/two-slits"), {}, "nor gives a class what this browser stores of the teacher's own lesson");
  stored.clear();
});

test("the teacher leads, and the run pauses at a question", async () => {
  await connect("teacher");
  answers.playback = () => ({});
  answers.lesson_open = ({ path }) => ({ ...lessonAt(0, choice), status: { ...status, scene: `${path} scene` } });
  await openLesson("wave/two-slits");
  await settle();
  // The server starts the run with the scene: it is asked although this page believes it to be paused.
  assert.deepEqual(asked.slice(-2), [["lesson_open", { path: "wave/two-slits" }], ["playback", { playing: false }]]);
  assert.match(find(".awaits-prediction").textContent, /until you press Play/);
  answers.lesson_step = ({ index }) => lessonAt(index, index === 1 ? null : choice);
  find(".lesson-buttons").querySelectorAll("button")[1].click();
  await settle();
  assert.deepEqual(asked.slice(-2), [["lesson_step", { index: 1 }], ["playback", { playing: true }]]);
  answers.lesson_close = () => ({});
  find(".lesson-close").click();
  await settle();
  assert.equal(run.lesson, null);
});

const block = () => find(".class-answers");
test("the teacher sees how many chose what, without names, and what is right once it is shown", async () => {
  await connect("teacher", lessonAt(2, choice));
  assert.ok(block().hidden, "no answers of this step have come yet");
  const counted = { push: "answers", step: 2, people: 14, given: 9, shown: false, kind: "choice", counts: [3, 5, 1] };
  push({ ...counted, step: 1 });
  assert.ok(block().hidden, "those of another step");
  push({ ...counted, right: 1 });
  assert.match(block().textContent, /9 of 14 have answered/);
  assert.deepEqual(texts(".class-number"), ["3", "5", "1"]);
  assert.deepEqual(block().querySelectorAll(".class-bar").map((one) => parseFloat(one.children[0].getAttribute("style").slice(6))),
    [60, 100, 20]);
  assert.equal(panel.querySelector(".right"), null);
  assert.doesNotMatch(text(), /Not measured/);
  answers.show_results = () => ({});
  answers.lesson_look = () => lessonAt(2, choice, { shown: true });
  assert.ok(!find(".show-results").hidden);
  find(".show-results").click();
  await settle();
  assert.deepEqual(asked.slice(-2).map(([call]) => call), ["show_results", "lesson_look"]);
  assert.ok(run.lesson.class.shown);
  push({ ...counted, shown: true });
  assert.ok(find(".show-results").hidden);
  assert.match(text(), /Not measured yet/);
  push({ ...counted, shown: true, right: 1 });
  assert.deepEqual(panel.querySelectorAll("li").filter((one) => one.className === "right").map((one) => one.textContent),
    [block().querySelectorAll("li")[1].textContent]);
  assert.doesNotMatch(text(), /Not measured/);
});

test("answers move nothing but their block", async () => {
  await connect("teacher", lessonAt(0, number));
  const field = find("#lesson-answer");
  push({ push: "answers", step: 0, people: 1, given: 1, shown: false, kind: "number", unit: "cm",
    numbers: [{ text: "2", value: 2, points: null }] });
  assert.equal(find("#lesson-answer"), field, "what the teacher types stays");
  assert.match(block().textContent, /1 of 1 has answered/);
});

test("numbers are dots on an axis, those far away are named, and none has a colour before it is judged", async () => {
  const numbers = [["-900", -900], ["1.9", 1.9], ["2", 2], ["2.0", 2], ["25/12.5", 2], ["2.1", 2.1], ["1e9", 1e9]];
  const all = (points) => ({ push: "answers", step: 0, people: 9, given: 7, shown: false, kind: "number", unit: "cm",
    numbers: numbers.map(([typed, value], i) => ({ text: typed, value, points: points?.[i] ?? null })) });
  await connect("teacher", lessonAt(0, number));
  push(all());
  assert.equal(texts(".class-dot").length, 5);
  assert.deepEqual(panel.querySelectorAll(".class-dot").map((one) => one.className.trim()), new Array(5).fill("class-dot"));
  assert.match(block().textContent, /Beyond the axis: -900 cm; 1e9 cm/);
  assert.equal(panel.querySelector(".class-judged"), null);
  // The three equal ones are on top of each other.
  const levels = panel.querySelectorAll(".class-dot").map((one) => Number(/--level:(\d+)/.exec(one.getAttribute("style"))[1]));
  assert.deepEqual(levels, [0, 0, 1, 2, 0]);
  push({ ...all([0, 1, 2, 2, 2, 1, 0]), shown: true, found: 2, theory: 2 });
  assert.match(find(".class-judged").textContent, /right: 3.*nearly right: 2.*far off: 2/);
  assert.match(find(".pairs").textContent, /Theory 2 cm/);
  assert.ok(find(".class-found"));
});

test("the axis has most of the numbers in it", () => {
  for (const values of [[2], [0], [1, 1], [-3, -1, 0, 2], [1e-9, 2e-9], [1, 2, 3, 1e12]]) {
    const { from, to } = axisOf(values), inside = values.filter((value) => value >= from && value <= to);
    assert.ok(to > from && inside.length >= Math.min(values.length, 3), `${values}: ${from} to ${to}`);
  }
});

test("sketches are in one plot, with the curve once it is shown", async () => {
  await connect("teacher", lessonAt(0, sketch));
  const sketches = [[[0, 0], [1, 1]], [[0, 1], [1, 0]]];
  const label = () => block().querySelector("canvas").getAttribute("aria-label");
  push({ push: "answers", step: 0, people: 2, given: 2, shown: false, kind: "sketch", sketches, curve: [[0, 0.5], [1, 0.5]] });
  assert.match(label(), /Sketches of the class: 2/);
  assert.doesNotMatch(block().textContent, /measured/);
  push({ push: "answers", step: 0, people: 2, given: 2, shown: true, kind: "sketch", sketches, curve: [[0, 0.5], [1, 0.5]] });
  assert.match(block().textContent, /measured/);
});

test("on the last step the results of the class can be saved", async () => {
  await connect("teacher", lessonAt(1, choice));
  assert.equal(panel.querySelector(".save-class"), null);
  await connect("teacher", lessonAt(2, null));
  assert.match(text(), /You have finished this lesson.*Waves add up\./);
  const files = [];
  globalThis.URL.createObjectURL = (blob) => files.push(blob) && "blob:x";
  answers.class_results = () => ({ file: "results-wave-two-slits.csv", text: "student\nAda\n" });
  find(".save-class").click();
  await settle();
  assert.equal(await files[0].text(), "student\nAda\n");
  await connect("pupil", lessonAt(2, null));
  assert.equal(panel.querySelector(".save-class"), null);
  assert.match(text(), /Your result: 0 of 6 points/);
  assert.equal(panel.querySelector(".next-lesson"), null, "the teacher opens the next one");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "./page.mjs";

const { delayOf, RemoteEngine } = await page("remote_engine");

// Time passes when the test says so.
let now = 0, lastTimer = 0;
const timers = new Map(); // {run, at, every}
const setTimer = (run, delay, every) => {
  timers.set(++lastTimer, { run, at: now + delay, every });
  return lastTimer;
};
performance.now = () => now;
globalThis.setTimeout = (run, delay) => setTimer(run, delay, 0);
globalThis.setInterval = (run, delay) => setTimer(run, delay, delay);
globalThis.clearTimeout = globalThis.clearInterval = (id) => timers.delete(id);
function pass(milliseconds) {
  const end = now + milliseconds;
  for (;;) {
    const [id, next] = [...timers].sort(([, a], [, b]) => a.at - b.at)[0] ?? [];
    if (!next || next.at > end) break;
    now = next.at;
    if (next.every) next.at += next.every;
    else timers.delete(id);
    next.run();
  }
  now = end;
}
const settle = async () => {
  for (let k = 0; k < 20; ++k) await Promise.resolve();
};

// The sockets that the engine has opened, and what it has sent.
class FakeSocket {
  static all = [];
  sent = [];
  isClosed = false;
  constructor(address) {
    this.address = address;
    FakeSocket.all.push(this);
  }
  static get last() {
    return FakeSocket.all.at(-1);
  }
  send(text) {
    this.sent.push(JSON.parse(text));
  }
  close() {
    this.isClosed = true;
  }
  say(message) {
    this.onmessage({ data: typeof message === "object" && !(message instanceof ArrayBuffer) ? JSON.stringify(message)
      : message });
  }
  asked(call) {
    return this.sent.filter((one) => one.call === call);
  }
  // Answers the oldest call of this name that has no answer yet.
  answer(call, result) {
    const one = this.sent.find((other) => other.call === call && !other.isAnswered);
    assert.ok(one, `${call} was not sent`);
    one.isAnswered = true;
    this.say({ id: one.id, result });
  }
}
globalThis.WebSocket = FakeSocket;
globalThis.location = { origin: "https://class.example:8080" };

const video = () => ({ way: "webcodecs", step: 0, picture: null, restarts: 0, taken: [], choose: async () => {}, stop() {}, hide() {},
  newest() {
    const { picture } = this;
    this.picture = null;
    return picture;
  },
  take(data) {
    this.taken.push(data.byteLength);
  },
  restart() {
    this.restarts += 1;
  } });
const status = (more = {}) => ({ parameters: {}, gauges: [], ...more });
const hello = { role: "pupil", name: "Ada", playing: true, catalog: { version: "1", compute: { threads: 8 } }, status: status() };

async function started(role = "pupil") {
  const pictures = video(), engine = new RemoteEngine(undefined, pictures), events = [];
  engine.onPush = (push) => events.push(push.push);
  engine.onConnection = ({ isLost, attempts, hello: again }) => events.push(isLost ? `lost ${attempts}` : `back ${again.name}`);
  const start = engine.start();
  await settle();
  FakeSocket.last.onopen();
  FakeSocket.last.answer("hello", { ...hello, role });
  return { engine, pictures, events, loaded: await start };
}
const failure = async (promise) => promise.then(() => assert.fail("answered"), (error) => error);

test("the start says hello and gives what the page's own engine gives", async () => {
  const { engine, loaded } = await started(), socket = FakeSocket.last;
  assert.equal(socket.address, "wss://class.example:8080/run");
  assert.deepEqual(socket.sent[0].with, { video: "webcodecs", curves: false, scene_units: true });
  assert.deepEqual([loaded.version, loaded.threads, loaded.role, engine.isRunning], ["1", 8, "pupil", true]);
  assert.deepEqual([engine.busyFor, engine.silent, engine.threadsFailed], [0, false, false]);
  engine.stop();
  assert.deepEqual([engine.isRunning, socket.isClosed], [false, true]);
});

test("answers find their calls in any order", async () => {
  const { engine } = await started(), socket = FakeSocket.last;
  const calls = ["status", "look", "overlay"].map((name) => engine.call(name, { of: name }));
  const [first, second, third] = socket.sent.slice(1);
  assert.deepEqual([first.call, first.with], ["status", { of: "status" }]);
  socket.say({ id: third.id, result: { is: "third" } });
  socket.say({ id: first.id, result: { is: "first" } });
  socket.say({ id: 12345, result: {} });
  socket.say({ id: second.id, error: "No.", message: { text: "No {}.", arguments: ["x"] }, kind: "input" });
  assert.equal((await calls[2]).is, "third");
  assert.equal((await calls[0]).is, "first");
  const error = await failure(calls[1]);
  assert.deepEqual([error.kind, error.message, error.said.text], ["input", "No.", "No {}."]);
  engine.stop();
});

test("a server that cannot be reached is reported once", async () => {
  const engine = new RemoteEngine(undefined, video()), count = FakeSocket.all.length;
  const start = failure(engine.start());
  await settle();
  FakeSocket.last.onclose({});
  assert.match((await start).message, /does not answer/);
  pass(60000);
  assert.equal(FakeSocket.all.length, count + 1, "the page says so, and does not try for ever");
  // One that takes the connection and says nothing, and one that refuses.
  const silent = failure(engine.start());
  await settle();
  FakeSocket.last.onopen();
  pass(20000);
  assert.match((await silent).message, /does not answer/);
  const refused = failure(engine.start());
  await settle();
  FakeSocket.last.onopen();
  FakeSocket.last.say({ id: FakeSocket.last.sent[0].id, error: "The class is full.", kind: "input" });
  assert.equal((await refused).message, "The class is full.");
  assert.ok(FakeSocket.last.isClosed);
  engine.stop();
});

test("a lost connection rejects what waits, comes back, and says hello again", async () => {
  const { engine, events, pictures } = await started(), count = FakeSocket.all.length;
  const waiting = failure(engine.call("gesture", {})), before = pictures.restarts;
  FakeSocket.last.onclose({});
  assert.equal((await waiting).kind, "stopped", "no message of its own: the page has a line for it");
  assert.equal((await failure(engine.call("status"))).kind, "stopped");
  assert.ok(engine.isRunning);
  for (let attempt = 0; attempt < 3; ++attempt) {
    pass(2 * delayOf(attempt, 1));
    assert.equal(FakeSocket.all.length, count + attempt + 1);
    if (attempt < 2) FakeSocket.last.onclose({});
  }
  FakeSocket.last.onopen();
  FakeSocket.last.answer("hello", { ...hello, name: "Ada again" });
  await settle();
  assert.deepEqual(events, ["lost 0", "lost 1", "lost 2", "back Ada again"]);
  assert.equal(pictures.restarts, before + 3, "another stream");
  const call = engine.call("status");
  FakeSocket.last.answer("status", { fine: true });
  assert.ok((await call).fine);
  FakeSocket.last.onclose({});
  assert.equal(events.at(-1), "lost 0", "the next loss begins with short waits again");
  const tries = FakeSocket.all.length;
  engine.connectNow(); // the network is back
  assert.equal(FakeSocket.all.length, tries + 1);
  engine.stop();
});

test("a socket that was replaced says nothing any more", async () => {
  const { engine, events, pictures } = await started(), old = FakeSocket.last;
  old.onclose({});
  pass(1000);
  assert.notEqual(FakeSocket.last, old);
  old.say(new ArrayBuffer(16));
  old.say({ push: "mark" });
  old.onclose({});
  assert.deepEqual([pictures.taken, events], [[], ["lost 0"]]);
  engine.stop();
});

test("a page that is left has no connection, and connects again when the user comes back", async () => {
  const { engine, events } = await started(), socket = FakeSocket.last;
  engine.leave();
  engine.leave();
  assert.ok(socket.isClosed);
  assert.deepEqual(events, ["lost 0"]);
  pass(2000);
  FakeSocket.last.onopen();
  FakeSocket.last.answer("hello", hello);
  await settle();
  assert.deepEqual(events, ["lost 0", "back Ada"]);
  engine.stop();
});

test("waits grow to a limit and differ between browsers", () => {
  for (const random of [0, 0.5, 1])
    for (let k = 0; k < 20; ++k) {
      assert.ok(delayOf(k + 1, random) >= delayOf(k, random));
      assert.ok(delayOf(k, random) >= 375 && delayOf(k, random) <= 18750);
    }
  assert.ok(delayOf(3, 0) < delayOf(3, 1));
});

test("a network that goes away without a word is noticed", async () => {
  const { engine, events } = await started(), socket = FakeSocket.last;
  const isAsked = () => socket.asked("locate").length;
  pass(5000);
  assert.equal(isAsked(), 0);
  pass(5000);
  assert.equal(isAsked(), 1);
  socket.say({ push: "numbers" });
  pass(5000);
  assert.deepEqual(events, [], "any message is a sign");
  pass(5000);
  assert.equal(isAsked(), 2);
  pass(15000);
  assert.deepEqual([events, socket.isClosed], [["lost 0"], true]);
  engine.stop();
});

test("the server's reason for an end of the connection is passed on", async () => {
  const { engine } = await started(), reasons = [];
  engine.onConnection = ({ reason }) => reasons.push(reason);
  FakeSocket.last.onclose({ code: 1008, reason: "Too many messages." });
  pass(1000);
  FakeSocket.last.onclose({ code: 1006, reason: "" });
  assert.deepEqual(reasons, ["Too many messages.", ""]);
  engine.stop();
});

test("a request that would end the connection is not sent", async () => {
  const { engine } = await started(), count = FakeSocket.last.sent.length;
  assert.match((await failure(engine.call("open", { scene: "x".repeat(70000) }))).said(), /too long/);
  assert.equal(FakeSocket.last.sent.length, count);
  engine.stop();
});

test("the end is not followed by attempts to come back", async () => {
  const { engine, events } = await started(), socket = FakeSocket.last, count = FakeSocket.all.length;
  socket.say({ push: "end", message: "The teacher has ended the run." });
  socket.onclose({});
  pass(60000);
  assert.deepEqual([events, FakeSocket.all.length, engine.isRunning], [["end"], count, false]);
});

// ---- frames

test("a frame takes what has arrived, once", async () => {
  const { engine, pictures } = await started(), socket = FakeSocket.last;
  const frame = () => engine.call("frame", { overlay: { width: 10, height: 10 } });
  assert.deepEqual((await frame()).status, status(), "the status of the hello");
  socket.say({ push: "numbers", diagnostics: { step: 5 }, status: status({ steps: 5 }) });
  socket.say({ push: "numbers", diagnostics: { step: 6 } });
  Object.assign(pictures, { step: 100, picture: { frame: 1 } });
  const first = await frame();
  assert.deepEqual([first.diagnostics.step, first.status.steps, first.picture.frame, first.steps], [6, 5, 1, 0]);
  const next = await frame();
  assert.deepEqual([next.diagnostics, next.status, next.picture], [undefined, undefined, null]);
  Object.assign(pictures, { step: 130, picture: { frame: 2 } });
  assert.equal((await frame()).steps, 30);
  Object.assign(pictures, { step: 0, picture: { frame: 3 } });
  assert.equal((await frame()).steps, 0, "a restart takes no steps back");
  const binary = new ArrayBuffer(40);
  socket.say(binary);
  assert.deepEqual(pictures.taken, [40]);
  engine.stop();
});

test("an older status that was pushed does not follow the answer of an action", async () => {
  const { engine } = await started(), socket = FakeSocket.last;
  socket.say({ push: "numbers", diagnostics: { step: 5 }, status: status({ scene: "old" }) });
  const opened = engine.call("open", { scene: "new" });
  socket.answer("open", status({ scene: "new" }));
  assert.equal((await opened).scene, "new");
  assert.equal((await engine.call("frame", {})).status, undefined);
  engine.stop();
});

test("marks are asked for five times a second, and at once after a change", async () => {
  const { engine } = await started(), socket = FakeSocket.last;
  const frame = async (size = { width: 10, height: 10 }) => {
    const answer = await engine.call("frame", { overlay: size });
    await settle();
    return answer;
  };
  const count = () => socket.asked("overlay").length;
  pass(1000);
  await frame();
  assert.equal(count(), 1);
  await frame();
  assert.equal(count(), 1, "one at a time");
  socket.answer("overlay", { objects: [1] });
  await settle();
  assert.deepEqual((await frame()).overlay, { objects: [1], width: 10, height: 10 });
  for (let k = 0; k < 100; ++k) {
    pass(10);
    socket.say({ push: "numbers", diagnostics: {} });
    await frame();
    if (socket.sent.at(-1).call === "overlay" && !socket.sent.at(-1).isAnswered) socket.answer("overlay", {});
    await settle();
  }
  assert.ok(count() >= 5 && count() <= 7, `${count()} in a second`);
  pass(300);
  const before = count();
  await frame();
  await frame();
  assert.ok(count() <= before + 1, "nothing has changed");
  await frame({ width: 20, height: 10 });
  if (count() > before) socket.answer("overlay", {});
  await settle();
  pass(40);
  const action = engine.call("act", {}), asked = count();
  socket.answer("act", status());
  await action;
  await frame({ width: 20, height: 10 });
  assert.equal(count(), asked + 1, "an action moves objects");
  engine.stop();
});

test("the server is told once what the page shows", async () => {
  const { engine } = await started(), socket = FakeSocket.last;
  const frame = (curves) => engine.call("frame", { diagnostics: { curves, scene_units: true } });
  await frame(false);
  assert.equal(socket.asked("watch").length, 0, "as in the hello");
  await frame(true);
  await frame(true);
  assert.deepEqual(socket.asked("watch").map((one) => one.with), [{ curves: true, scene_units: true }]);
  socket.answer("look", { curves: [1] });
  await settle();
  assert.deepEqual((await engine.call("frame", {})).diagnostics, { curves: [1] });
  socket.onclose({});
  pass(1000);
  FakeSocket.last.onopen();
  assert.equal(FakeSocket.last.sent[0].with.curves, true, "and again after a return");
  engine.stop();
});

test("a call that waits long is reported, and its answer ends that", async () => {
  const { engine } = await started(), socket = FakeSocket.last, reports = [];
  engine.onBusy = (isBusy) => reports.push(isBusy);
  const frame = () => engine.call("frame", {});
  engine.call("status");
  pass(1500);
  await frame();
  assert.deepEqual(reports, []);
  pass(1);
  await frame();
  await frame();
  assert.deepEqual(reports, [true]);
  socket.answer("status", status());
  await frame();
  assert.deepEqual(reports, [true, false]);
  engine.stop();
});

test("the camera is moved by calls of the server", async () => {
  const { engine } = await started(), socket = FakeSocket.last;
  const view = { camera: { center: [0.5, 0.5], zoom: 1, yaw: 0, pitch: 0 } };
  const moved = engine.call("camera", { from: [10, 10], to: [20, 10], width: 100, height: 100, factor: 2 });
  const answers = [["view", status({ view })], ["locate", { x: 0.1, y: 0.9 }], ["view", status()],
    ["locate", { x: 0.3, y: 0.8 }], ["view", status({ steps: 7 })]];
  for (const [call, answer] of answers) {
    socket.answer(call, answer);
    await settle();
  }
  assert.equal((await moved).steps, 7);
  assert.deepEqual(socket.asked("locate").map((one) => one.with.x), [10, 20]);
  const { center, zoom } = socket.asked("view").at(-1).with.camera;
  assert.equal(zoom, 2);
  assert.ok(Math.abs(center[0] - 0.3) < 1e-12 && Math.abs(center[1] - 0.6) < 1e-12);
  engine.stop();
});

test("what cannot work in a shared run is refused here, with a reason", async () => {
  const { engine } = await started(), socket = FakeSocket.last, count = socket.sent.length;
  for (const name of ["save", "load_state", "use_image", "add_colors", "verify", "lesson_open", "sing"]) {
    const error = await failure(engine.call(name, {}));
    assert.equal(error.kind, "input");
    assert.match(error.said(), /^Cannot .*\.$/);
  }
  assert.equal(socket.sent.length, count);
  engine.stop();
});

test("only a teacher opens lessons, for all", async () => {
  const pupil = await started(), count = FakeSocket.last.sent.length;
  assert.match((await failure(pupil.engine.call("lesson_open", { path: "a" }))).said(), /the teacher opens lessons/);
  assert.equal(FakeSocket.last.sent.length, count);
  pupil.engine.stop();
  const teacher = await started("teacher"), opened = teacher.engine.call("lesson_open", { path: "a" });
  FakeSocket.last.answer("lesson_open", { index: 0 });
  assert.equal((await opened).index, 0);
  teacher.engine.stop();
});

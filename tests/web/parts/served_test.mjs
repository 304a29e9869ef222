import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "./page.mjs";

const { pixelOf } = await page("poke_marks");
const { controlsRun, emit, objectsAreOpen, on, parameterIsOpen, run, setPlaying, takeStatus, toolIsOpen, whyParameterIsClosed,
  whyTeacherOnly, whyToolIsClosed } = await page("run");
const { isServed, startServed, withAllowed } = await page("served");
const { pace } = await page("pace");
const { readHash } = await page("link");

Object.assign(globalThis.document.documentElement, { classList: { add() {} } });
const scene = (id, more = {}) => ({ simulation: "wave", scene: id, steps: 0, view: { camera: {} }, parameters: {}, gauges: [],
  ...more });
const parameters = ["damping", "speed"].map((id) => ({ id, apply: "now" }));
const limits = { max_steps: 1000, min_rate: 1, max_rate: 1e6, max_due_seconds: 1 };
run.catalog = { version: "1", pace: limits, simulations: [{ id: "wave", tools: [{ id: "droplet" }, { id: "wall" }],
  parameters: [...parameters, { id: "cells", apply: "restart" }] }] };

test("a run of the page itself has no roles", () => {
  assert.ok(controlsRun() && toolIsOpen("wall") && objectsAreOpen() && parameterIsOpen("damping"));
  assert.equal(whyTeacherOnly() + whyToolIsClosed("wall") + whyParameterIsClosed("damping"), "");
});

const events = [];
for (const event of ["scene", "playing", "remote", "tool"]) on(event, () => events.push(event));

test("the server's hello and pushes set role, locks, pace and time", () => {
  startServed();
  assert.ok(!controlsRun() && !toolIsOpen("wall"), "nothing until the server has said who this is");
  emit("hello", { role: "pupil", name: "Ada", status: scene("wave/rain"), playing: false, speed: { steps_per_frame: 4 } });
  assert.deepEqual([run.remote.role, run.status.scene, run.playing, pace.rate], ["pupil", "wave/rain", false, 240]);
  assert.ok(toolIsOpen("wall") && parameterIsOpen("damping") && !controlsRun());
  assert.ok(!parameterIsOpen("cells"), "it would restart the run of all");
  emit("push", { push: "playing", playing: true, steps_per_frame: 8 });
  assert.deepEqual([run.playing, pace.rate], [true, 480]);
});

test("what the teacher has locked is off, with the reason", () => {
  run.tool = "droplet";
  emit("push", { push: "allowed", tools: ["wall"], parameters: [] });
  assert.deepEqual([toolIsOpen("droplet"), toolIsOpen("wall"), objectsAreOpen(), parameterIsOpen("damping")],
    [false, true, false, false]);
  assert.equal(run.tool, "wall", "a tool that is allowed takes its place");
  for (const why of [whyToolIsClosed("droplet"), whyParameterIsClosed("damping")]) assert.match(why, /locked/);
  assert.equal(whyToolIsClosed("wall"), "");
  emit("push", { push: "allowed", tools: null, parameters: ["damping"] });
  assert.deepEqual([toolIsOpen("droplet"), parameterIsOpen("damping"), parameterIsOpen("speed")], [true, true, false]);
  emit("push", { push: "allowed", tools: null, parameters: null, locked: true });
  assert.deepEqual([toolIsOpen("wall"), objectsAreOpen(), parameterIsOpen("damping")], [false, false, false]);
  for (const why of [whyToolIsClosed("wall"), whyParameterIsClosed("damping")]) assert.match(why, /locked the run for you/);
  emit("push", { push: "allowed", tools: null, parameters: ["damping"], locked: false });
  assert.deepEqual([toolIsOpen("wall"), parameterIsOpen("damping")], [true, true]);
  run.lesson = { step: { tools: ["wall"], unlocked: [] } };
  assert.deepEqual([toolIsOpen("droplet"), toolIsOpen("wall"), parameterIsOpen("damping")], [false, true, false],
    "a lesson limits as well");
  run.lesson = null;
});

test("only the teacher decides about time", () => {
  run.playing = true;
  setPlaying(false);
  assert.equal(run.playing, true, "a pupil's page does not pause the run");
  run.remote.role = "spectator";
  assert.deepEqual([toolIsOpen("wall"), parameterIsOpen("damping")], [false, false]);
  assert.match(whyToolIsClosed("wall"), /only watch/);
  run.remote.role = "teacher";
  assert.ok(toolIsOpen("droplet") && parameterIsOpen("speed"), "the locks are for pupils");
  assert.equal(whyTeacherOnly() + whyParameterIsClosed("speed"), "");
});

test("another scene of the server is another run", () => {
  const { generation } = run;
  events.length = 0;
  takeStatus(scene("wave/rain", { steps: 9 }));
  assert.deepEqual([run.generation, run.status.steps, events], [generation, 9, []]);
  takeStatus(scene("wave/ripples"));
  assert.deepEqual([run.generation, events], [generation + 1, ["scene"]]);
});

test("after a return the same run goes on", () => {
  const { generation } = run;
  emit("connection", { isLost: true, attempts: 0 });
  emit("connection", { isLost: false, hello: { role: "pupil", name: "Ada", catalog: { version: "1", pace: limits }, playing: true,
    status: scene("wave/ripples", { steps: 50 }) } });
  assert.deepEqual([run.generation, run.status.steps, run.remote.role], [generation, 50, "pupil"]);
});

test("the address of a served run", async () => {
  assert.deepEqual(await readHash("#served"), { page: "served" });
  assert.deepEqual(await readHash("#served=scenes"), { page: "gallery" });
  assert.ok(isServed("#served") && isServed("#served=scenes") && !isServed("#scenes") && !isServed(""));
  await assert.rejects(readHash("#served=x"), /names no scene/);
});

test("a mark of a poke is where the camera shows it", () => {
  const size = { width: 200, height: 100 }, status = { domain: [2, 1], view: { camera: { center: [0.5, 0.5], zoom: 1 } } };
  assert.deepEqual(pixelOf({ x: 0.5, y: 0.5 }, size, status), [100, 50]);
  assert.deepEqual(pixelOf({ x: 0, y: 0 }, size, status), [0, 100], "y upwards");
  assert.deepEqual(pixelOf({ x: 1, y: 1 }, { width: 400, height: 100 }, status), [300, 0], "the whole domain is shown");
  const zoomed = { domain: [2, 1], view: { camera: { center: [0.25, 0.5], zoom: 4 } } };
  assert.deepEqual(pixelOf({ x: 0.25, y: 0.5 }, size, zoomed), [100, 50]);
  assert.deepEqual(pixelOf({ x: 0.5, y: 0.75 }, size, zoomed), [300, -50]);
  assert.equal(pixelOf({ x: 0, y: 0 }, size, { ...status, can_be_turned: true }), null);
  assert.deepEqual(pixelOf({ at: [0.1, 0.2] }, size, { ...status, can_be_turned: true }), [20, 20]);
});

test("locks are lists of what is allowed, and none if that is all", () => {
  const all = ["a", "b", "c"];
  assert.deepEqual(withAllowed(null, "b", false, all), ["a", "c"]);
  assert.deepEqual(withAllowed(["a"], "c", true, all), ["a", "c"]);
  assert.equal(withAllowed(["a", "c"], "b", true, all), null);
  assert.deepEqual(withAllowed(["a", "gone"], "a", false, all), []);
  // "c" is locked as long as there is no list.
  assert.deepEqual(withAllowed(null, "c", true, all, ["a", "b"]), all);
  assert.equal(withAllowed(all, "c", false, all, ["a", "b"]), null);
});

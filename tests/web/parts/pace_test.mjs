import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "./page.mjs";

const { Pace } = await page("pace");
const limits = { max_steps: 1 << 20, min_rate: 1 / 64, max_rate: 1e8, max_due_seconds: 0.25 };

let now = 0;
performance.now = () => now;
function paceOf(stepsPerFrame) {
  const own = new Pace();
  own.limits = limits;
  own.setStepsPerFrame(stepsPerFrame);
  return own;
}
// Frames at `rate` per second, of whose steps a share is taken.
function runs(own, frames, share, rate = 60) {
  for (let k = 0; k < frames; ++k) {
    now += 1000 / rate;
    own.elapse(1 / rate);
    own.took(Math.round(share * own.take()));
    own.count();
  }
  return [own.isThrottled, Math.round(own.reached), own.stutters];
}

test("dropped steps and frames are counted", () => {
  const own = paceOf(16);
  assert.deepEqual(runs(own, 120, 1), [false, 960, false]);
  assert.deepEqual(runs(own, 120, 0.5), [true, 480, false]);
  let [isThrottled, , stutters] = runs(own, 120, 0.95);
  assert.deepEqual([isThrottled, stutters], [true, false], "a twentieth is missing without a word");
  [isThrottled, , stutters] = runs(own, 120, 1, 50);
  assert.deepEqual([isThrottled, stutters], [false, true], "50 frames per second");
  now += 10000; // at rest
  own.begin();
  assert.deepEqual(runs(own, 40, 1), [false, 960, false]);
});

test("a step that is not due yet is not missed", () => {
  assert.equal(runs(paceOf(1 / 64), 600, 1)[0], false);
});

test("steps that make up for a pause cause no warning", () => {
  const own = paceOf(6);
  runs(own, 90, 1);
  for (let pause = 0; pause < 4; ++pause) {
    runs(own, 1, 1, 1 / 0.4);
    for (let k = 0; k < 40; ++k) {
      const [isThrottled, reached] = runs(own, 1, 1);
      assert.ok(!isThrottled || reached <= 360, `${reached} steps per second are more than were asked for`);
    }
  }
});

test("a sleeping machine makes up for a quarter of a second at most", () => {
  const own = paceOf(16);
  own.elapse(3600);
  assert.equal(own.take(), 240);
  assert.equal(own.take(), 0);
});

test("a slow run takes one step when it is due", () => {
  const own = paceOf(1 / 60);
  own.elapse(0.9);
  assert.equal(own.take(), 0);
  own.elapse(0.1);
  assert.equal(own.take(), 1);
});

test("speeds keep within the engine's limits", () => {
  const own = paceOf(1);
  for (let k = 0; k < 100; ++k) own.faster();
  assert.equal(own.rate, limits.max_rate);
  own.elapse(1);
  assert.equal(own.take(), limits.max_steps);
  for (let k = 0; k < 100; ++k) own.slower();
  assert.equal(own.rate, limits.min_rate);
});

test("each unit shows the same speed in its own way", () => {
  const own = paceOf(16);
  own.timePerStep = 0.5;
  const speeds = {};
  for (let k = 0; k < 3; ++k) {
    speeds[own.unit] = own.speed;
    own.nextUnit();
  }
  assert.deepEqual(speeds, { per_second: 960, real_time: 480, per_frame: 16 });
  assert.equal(own.unit, "per_second");
});

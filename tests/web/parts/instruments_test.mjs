import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "./page.mjs";

const { instrumentAt, watchBoxes } = await page("instruments");
const { glyphsAreShown } = await page("instrument_marks");
const { run } = await page("run");

run.overlay = { instruments: [
  { id: 1, kind: "ruler", at: [[100, 100], [200, 100]] },
  { id: 2, kind: "probe", at: [[200, 104]] },
  { id: 3, kind: "stopwatch", at: [] },
  { id: 4, kind: "probe", at: [[null, null]] },
] };

test("a press grabs the nearest handle of an instrument within reach", () => {
  assert.deepEqual(instrumentAt({ x: 101, y: 96 }, "mouse"), { id: 1, point: 0 });
  assert.deepEqual(instrumentAt({ x: 200, y: 98 }, "mouse"), { id: 1, point: 1 });
  assert.deepEqual(instrumentAt({ x: 200, y: 102 }, "mouse"), { id: 2, point: 0 }, "of two, the one added last");
  assert.equal(instrumentAt({ x: 100, y: 85 }, "mouse"), null);
  assert.deepEqual(instrumentAt({ x: 100, y: 85 }, "touch"), { id: 1, point: 0 }, "a finger reaches farther");
});

test("a stopwatch is pressed at its label", () => {
  watchBoxes.set(3, { x: 10, y: 300, width: 80, height: 24 });
  assert.deepEqual(instrumentAt({ x: 50, y: 310 }, "mouse"), { id: 3, point: -1 });
  assert.equal(instrumentAt({ x: 95, y: 310 }, "mouse"), null);
});

test("the microscope draws what is large enough", () => {
  const seen = (across, along) => glyphsAreShown({ extent: [[10, 10], [10 + across, 10], [10, 10 - along]] });
  assert.ok(seen(48, 50));
  assert.ok(!seen(47, 50));
  assert.ok(!glyphsAreShown({ extent: [[null, null], [60, 0], [0, 60]] }));
});

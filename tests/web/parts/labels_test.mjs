import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "./page.mjs";

const { labelPlace } = await page("view_marks");
const positions = [];
for (const step of [0, 1, 2])
  for (const right of [true, false]) for (const below of [true, false]) positions.push({ step, right, below });
const style = { label_gap: 5, label_positions: positions };
const view = { width: 400, height: 200 };

test("labels stay within the view and apart", () => {
  const taken = [];
  for (let k = 0; k < 40; ++k) {
    const box = labelPlace([5 + 10 * k, 10 + 5 * k], { width: 60, height: 16 }, view, taken, style);
    if (!box) continue;
    assert.ok(box.x >= 0 && box.x + 60 <= 400 && box.y >= 0 && box.y + 16 <= 200);
    for (const one of taken)
      assert.ok(box.x + 60 <= one.x || one.x + 60 <= box.x || box.y + 16 <= one.y || one.y + 16 <= box.y);
    taken.push(box);
  }
  assert.ok(taken.length > 20, `${taken.length} of 40 labels`);
});

test("the first free position in the engine's order is taken", () => {
  const size = { width: 60, height: 16 };
  assert.deepEqual(labelPlace([100, 100], size, view, [], style), { x: 105, y: 105, ...size });
  assert.deepEqual(labelPlace([380, 195], size, view, [], style), { x: 315, y: 174, ...size }, "in the corner");
  const below = { x: 100, y: 101, width: 200, height: 50 };
  assert.deepEqual(labelPlace([100, 100], size, view, [below], style), { x: 105, y: 79, ...size });
});

test("a label that fits nowhere is left out", () => {
  assert.equal(labelPlace([200, 100], { width: 500, height: 16 }, view, [], style), null);
});

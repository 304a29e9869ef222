import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "./page.mjs";

const { handleAt } = await page("objects");
const { rangeOf } = await page("plots");
const { run } = await page("run");

const handles = (...places) => places.map((at) => ({ at }));
run.overlay = { objects: [{ id: 1, handles: handles([100, 100], [140, 100]) }, { id: 2, handles: handles([100, 104]) }] };
const selecting = (object, body) => {
  run.selection = { object, handle: 0 };
  body();
};

test("a press grabs the nearest handle within reach", () => {
  selecting(0, () => {
    assert.deepEqual(handleAt({ x: 100, y: 98 }, "mouse"), { object: 1, handle: 0 });
    assert.deepEqual(handleAt({ x: 100, y: 106 }, "mouse"), { object: 2, handle: 0 });
    assert.equal(handleAt({ x: 100, y: 85 }, "mouse"), null);
    assert.deepEqual(handleAt({ x: 100, y: 85 }, "touch"), { object: 1, handle: 0 }, "a finger reaches farther");
  });
});

test("only the selected object has more handles than its first", () => {
  selecting(2, () => assert.equal(handleAt({ x: 140, y: 100 }, "mouse"), null));
  selecting(1, () => assert.deepEqual(handleAt({ x: 140, y: 100 }, "mouse"), { object: 1, handle: 1 }));
});

test("of handles at one position the selected object's is grabbed, else the last one's", () => {
  const { overlay } = run;
  run.overlay = { objects: [1, 2, 3].map((id) => ({ id, handles: handles([50, 50]) })) };
  for (const [selected, grabbed] of [[0, 3], [1, 1], [2, 2]])
    selecting(selected, () => assert.equal(handleAt({ x: 50, y: 50 }, "mouse").object, grabbed));
  run.overlay = overlay;
});

test("without an image there is no handle", () => {
  const { overlay } = run;
  run.overlay = null;
  assert.equal(handleAt({ x: 100, y: 100 }, "mouse"), null);
  run.overlay = overlay;
});

test("a plot shows all its points, with a margin", () => {
  const { x0, x1, y0, y1 } = rangeOf({ points: [[0, -1], [10, 3]], theory: [[12, 2]] });
  assert.deepEqual([x0, x1], [0, 12]);
  assert.ok(y0 < -1 && y1 > 3);
});

test("a plot of numbers above zero that begins near it begins at zero", () => {
  assert.equal(rangeOf({ points: [[0, 1], [1, 10]] }).y0, 0);
  assert.ok(rangeOf({ points: [[0, 8], [1, 10]] }).y0 > 7);
});

test("a plot has an extent whatever its points are", () => {
  for (const points of [[[1, 5]], [[1, 0], [1, 0]], [[0, NaN], [1, NaN]], [[0, -7], [1, -7]]]) {
    const { y0, y1 } = rangeOf({ points });
    assert.ok(y1 > y0, `${points}: ${y0} to ${y1}`);
  }
  const { x0, x1 } = rangeOf({ points: [[1, 5]] });
  assert.deepEqual([x0, x1], [0.5, 1.5]);
  const logarithmic = rangeOf({ points: [[0, 0], [1, 1e-3], [2, 1e3]], logarithmic_y: true });
  assert.ok(logarithmic.y0 < -3 && logarithmic.y0 > -4, "zero has no place on a logarithmic axis");
});

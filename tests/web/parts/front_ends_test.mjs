import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "./page.mjs";

const { textForDevice, tr } = await page("i18n");

// The same cases as TextForFrontEnd in tests/lessons.
test("a text is its variant for the page, with a mouse or with fingers", () => {
  const two = "[[Click||Tap]] the water, [[left||=]].", three = "A[[ window|| page||=]] [[only||||=]]";
  assert.equal(textForDevice(two, false), "Click the water, left.");
  assert.equal(textForDevice(two, true), "Tap the water, left.");
  assert.equal(textForDevice(three, false), "A page ");
  assert.equal(textForDevice(three, true), "A page ");
  for (const plain of ["", "x[1] = [2, 3]", "[[open", "highest |u|"]) assert.equal(textForDevice(plain, true), plain);
  assert.equal(tr(two), "Click the water, left.", "texts are shown so");
});

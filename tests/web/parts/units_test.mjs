import assert from "node:assert/strict";
import { test } from "node:test";
import { inLanguage, page } from "./page.mjs";

const { inShownUnit, shownUnit, timeText, titleWithUnit, toShown } = await page("units");
const { valueText } = await page("value_row");
const { run } = await page("run");
const { settings } = await page("settings");

const speed = { id: "speed", kind: "real", unit: "cells/step", minimum: 0, maximum: 1 };
run.status = { time_text: "time 4", units: { time_text: "t = 0.5 s",
  values: [{ id: "speed", unit: "cells/step", shown: "cm/s", factor: 20 }] } };

test("a value is shown in the scene's unit, or in the simulation's", () => {
  settings.sceneUnits = true;
  assert.deepEqual(shownUnit(speed), { unit: "cm/s", factor: 20 });
  assert.equal(toShown(speed, 0.25), 5);
  assert.deepEqual(inShownUnit(speed), { ...speed, unit: "cm/s", maximum: 20 });
  assert.equal(valueText(speed, 0.25), "5\u00a0cm/s");
  assert.equal(timeText(run.status), "t = 0.5 s");
  settings.sceneUnits = false;
  assert.deepEqual(inShownUnit(speed), speed);
  assert.equal(valueText(speed, 0.25), "0.25\u00a0cells/step");
  inLanguage("de", () => assert.equal(valueText(speed, 0.25), "0,25\u00a0cells/step"));
  assert.equal(timeText(run.status), "time 4");
});

test("a lesson shows the scene's units whatever was chosen", () => {
  settings.sceneUnits = false;
  run.lesson = {};
  assert.equal(shownUnit(speed).unit, "cm/s");
  run.lesson = null;
});

test("a count and a value of another quantity with the same name keep their numbers", () => {
  settings.sceneUnits = true;
  assert.equal(toShown({ ...speed, kind: "integer" }, 3), 3);
  assert.deepEqual(shownUnit({ id: "speed", unit: "Hz" }), { unit: "Hz", factor: 1 });
});

test("a unit is named once", () => {
  assert.equal(titleWithUnit("Wave speed", "cm/s"), "Wave speed, cm/s");
  assert.equal(titleWithUnit("Fringe spacing, theory", "cm"), "Fringe spacing, theory (cm)");
  assert.equal(titleWithUnit("Height", "height"), "Height");
  assert.equal(titleWithUnit("Shape", ""), "Shape");
});

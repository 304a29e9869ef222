import assert from "node:assert/strict";
import { test } from "node:test";
import { inLanguage, page } from "./page.mjs";

const { grouped, makeAxis, numberText, rateText, sliderFraction, sliderValue, typedNumber } = await page("numbers");

test("numbers read as in the window", () => {
  assert.equal(numberText(0.07), "0.07");
  assert.equal(numberText(512), "512");
  assert.equal(numberText(-0), "0");
  assert.equal(numberText(0.1 + 0.2), "0.3");
  assert.equal(numberText(1e-7), "1×10⁻⁷");
  assert.equal(numberText(1234567.8), "1.235×10⁶");
  // Below a million all digits before the point are shown.
  assert.equal(numberText(1695.4, 3), "1695");
  assert.equal(numberText(-123456.7), "-123457");
  assert.equal(numberText(999999.6, 3), "1000000");
});

test("a missing number is a dash, an infinite one a sign", () => {
  for (const missing of [NaN, null, undefined]) assert.equal(numberText(missing), "–");
  assert.equal(numberText(Infinity), "∞");
  assert.equal(numberText(-Infinity), "-∞");
});

test("German has a decimal comma, also in powers and on axes", () => {
  inLanguage("de", () => {
    assert.equal(numberText(0.25), "0,25");
    assert.equal(numberText(1.5e-9), "1,5×10⁻⁹");
    assert.equal(rateText(0.5), "0,5");
    assert.deepEqual(makeAxis(0, 1, false, 4).texts, ["0", "0,5", "1,0"]);
  });
});

test("thousands are separated, and rates are whole from ten on", () => {
  assert.equal(grouped(7), "7");
  assert.equal(grouped(1234567), "1\u00a0234\u00a0567");
  assert.equal(grouped(-123456), "-123\u00a0456");
  assert.equal(rateText(960.4), "960");
  assert.equal(rateText(0), "0");
  assert.equal(rateText(9.87), "9.9");
});

test("a typed number takes a comma for a point, except for thousands in English", () => {
  assert.equal(typedNumber(" 0,25 "), 0.25);
  assert.equal(typedNumber("−3.5"), -3.5);
  assert.equal(typedNumber("1e-3"), 0.001);
  assert.ok(Number.isNaN(typedNumber("1,000")));
  inLanguage("de", () => assert.equal(typedNumber("1,000"), 1));
  for (const text of ["", "fast", "1,2,3", "0x10", "Infinity", "1 2", "."]) assert.ok(Number.isNaN(typedNumber(text)), text);
});

test("a number that is shown can be typed again", () => {
  for (const id of ["en", "de"])
    inLanguage(id, () => {
      for (const value of [0.07, -12.5, 0.25, 1695, 99999, 3.25e-5]) assert.equal(typedNumber(numberText(value, 6)), value);
    });
});

const linear = { kind: "real", scale: "linear", minimum: -2, maximum: 6 };
const logarithmic = { kind: "real", scale: "logarithmic", minimum: 1e-4, maximum: 10 };
const fromZero = { ...logarithmic, minimum: 0 };
const count = { kind: "integer", scale: "linear", minimum: 1, maximum: 9 };

test("a slider keeps within its range and reaches both ends", () => {
  for (const info of [linear, logarithmic, fromZero, count]) {
    assert.equal(sliderValue(info, 0), info.minimum);
    assert.equal(sliderValue(info, 1), info.maximum);
    assert.equal(sliderFraction(info, info.minimum), 0);
    assert.equal(sliderFraction(info, info.maximum), 1);
    for (const beyond of [-1e9, 1e9]) {
      const fraction = sliderFraction(info, beyond);
      assert.ok(fraction === 0 || fraction === 1);
    }
  }
});

test("the value of a slider's position leads back to the position", () => {
  for (const info of [linear, logarithmic, fromZero])
    for (let fraction = 0.01; fraction < 1; fraction += 0.07)
      assert.ok(Math.abs(sliderFraction(info, sliderValue(info, fraction)) - fraction) < 0.004, `${info.scale} ${fraction}`);
  assert.equal(sliderValue(count, 0.5), 5);
  assert.equal(sliderValue({ ...count, maximum: 1e6, scale: "logarithmic" }, 0.5), 1000);
});

test("a logarithmic scale from zero begins where its record says", () => {
  const info = { kind: "real", scale: "logarithmic", minimum: 0, maximum: 10000, scale_start: 1 };
  assert.equal(sliderValue(info, 0.5), 100);
  assert.equal(sliderFraction(info, 10), 0.25);
  assert.equal(sliderValue(info, 0), 0);
});

test("a range of one value has a slider at its start", () => {
  assert.equal(sliderFraction({ ...linear, minimum: 3, maximum: 3 }, 3), 0);
});

test("ticks are round, within the axis and labelled apart", () => {
  for (const [low, high] of [[0, 1], [-3, 17], [0.2, 0.23], [1e-9, 4e-9], [1000, 1001], [123456, 123456.5]])
    for (const most of [3, 5, 9]) {
      const { ticks, texts } = makeAxis(low, high, false, most);
      assert.ok(ticks.length >= 2 && ticks.length <= 4 * most + 2, `${low} to ${high}: ${ticks}`);
      const margin = 1e-6 * (high - low);
      assert.ok(ticks.every((tick) => tick >= low - margin && tick <= high + margin));
      assert.equal(new Set(texts).size, texts.length, `${texts}`);
    }
});

test("what all labels have in common is shown once", () => {
  assert.equal(makeAxis(1e-9, 4e-9, false, 4).common, "×10⁻⁹");
  assert.match(makeAxis(1234567, 1234568, false, 4).common, /^\+ 1\.?\d*/);
  assert.equal(makeAxis(0, 10, false, 4).common, "");
});

test("a logarithmic axis is labelled by powers of ten", () => {
  const { ticks, texts } = makeAxis(-6, 0, true, 8);
  assert.deepEqual(ticks, [-6, -5, -4, -3, -2, -1, 0]);
  assert.deepEqual(texts, ["10⁻⁶", "10⁻⁵", "10⁻⁴", "10⁻³", "0.01", "0.1", "1"]);
});

test("an axis without an extent has no ticks", () => {
  for (const [low, high] of [[1, 1], [NaN, 1], [0, Infinity]]) assert.deepEqual(makeAxis(low, high, false, 5).ticks, []);
});

// Formats numbers as the desktop program does, converts values to slider positions and back, and computes the ticks of
// an axis.
import { decimalMark } from "./i18n.js";

export const decimals = (text) => text.replace(".", decimalMark());

export function numberText(value, digits = 4) {
  if (Number.isNaN(value) || value === null || value === undefined) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "-∞";
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return String(value === 0 ? 0 : value);
  const power = Math.floor(Math.log10(Math.abs(value)));
  // Below a million all digits before the point are shown.
  if (power >= -5 && power < Math.max(digits, 6))
    return decimals(String(Number(value.toPrecision(Math.max(digits, power + 1)))));
  const [figures, exponent] = value.toExponential(digits - 1).split("e");
  return `${decimals(String(Number(figures)))}×10${superscript(Number(exponent))}`;
}

function superscript(number) {
  return String(number).replace(/./g, (sign) => (sign === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(sign)]));
}

// Separates thousands.
export function grouped(value) {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, "\u00a0");
}

// A rate per second: a whole number from 10 on.
export const rateText = (rate) => (rate >= 10 || rate === 0 ? grouped(rate) : numberText(rate, 2));

// ---- sliders: a position from 0 to 1, linear or logarithmic as in the record

const isLogarithmic = (info) => info.scale === "logarithmic" && info.minimum >= 0 && info.maximum > info.minimum;
// A logarithmic scale whose minimum is zero begins above it: by default six decades below its maximum.
const start = (info) => (info.minimum > 0 ? info.minimum : info.scale_start ?? info.maximum * 1e-6);
const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

export function sliderFraction(info, value) {
  if (!(info.maximum > info.minimum)) return 0;
  if (isLogarithmic(info))
    return value <= start(info) ? 0 : Math.min(1, Math.log(value / start(info)) / Math.log(info.maximum / start(info)));
  return clamp((value - info.minimum) / (info.maximum - info.minimum), 0, 1);
}

// Rounded to the resolution of a slider.
export function sliderValue(info, fraction) {
  if (fraction <= 0) return info.minimum;
  if (fraction >= 1) return info.maximum;
  const range = info.maximum - info.minimum;
  if (info.kind !== "real") {
    const value = isLogarithmic(info) ? start(info) * (info.maximum / start(info)) ** fraction
                                      : info.minimum + fraction * range;
    return clamp(Math.round(value), info.minimum, info.maximum);
  }
  if (isLogarithmic(info))
    return clamp(Number((start(info) * (info.maximum / start(info)) ** fraction).toPrecision(3)), info.minimum,
      info.maximum);
  const step = 10 ** Math.floor(Math.log10(range / 200));
  return clamp(Number((Math.round((info.minimum + fraction * range) / step) * step).toPrecision(12)), info.minimum,
    info.maximum);
}

// Parses a number that the user typed; NaN if it is none. A comma counts as a decimal point, except where the language
// has another mark and the comma may separate thousands: "1,000".
export function typedNumber(text) {
  const tidy = text.trim().replace("−", "-");
  if (decimalMark() !== "," && /^-?[1-9]\d{0,2},\d{3}$/.test(tidy)) return NaN;
  return /^[-+]?[\d.,]/.test(tidy) && !/x/i.test(tidy) ? Number(tidy.replace(",", ".")) : NaN;
}

// ---- axes

function niceTicks(low, high, most) {
  const raw = (high - low) / most;
  if (!(raw > 0) || !Number.isFinite(raw)) return [];
  const decade = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 5].find((factor) => factor * decade >= raw * (1 - 1e-9)) ?? 10) * decade;
  const first = Math.ceil(low / step - 1e-6), ticks = [];
  for (let n = 0; n <= most + 1 && (first + n) * step <= high + 1e-6 * step; ++n) ticks.push((first + n) * step);
  return ticks;
}

// The part common to all labels is shown separately: a power of ten, and an offset if neighbours differ only in late
// digits.
function tickTexts(ticks) {
  if (ticks.length < 2) return { texts: ticks.map((tick) => numberText(tick)), common: "" };
  const step = ticks[1] - ticks[0];
  let rest = ticks, offset = 0;
  const largestOf = (values) => Math.max(step, ...values.map(Math.abs));
  if (Math.log10(largestOf(ticks) / step) >= 5) {
    offset = ticks[0];
    rest = ticks.map((tick) => tick - offset);
  }
  const decade = Math.floor(Math.log10(largestOf(rest)) + 1e-9);
  const exponent = decade < -3 || decade > 4 ? decade : 0;
  const places = clamp(Math.ceil(-Math.log10(step / 10 ** exponent) - 1e-6), 0, 17);
  const texts = rest.map((tick) =>
    (Math.abs(tick) < 1e-9 * step ? "0" : decimals((tick / 10 ** exponent).toFixed(places))));
  const common = (exponent ? `×10${superscript(exponent)}` : "") +
    (offset ? ` ${offset < 0 ? "−" : "+"} ${numberText(Math.abs(offset), 8)}` : "");
  return { texts, common: common.trim() };
}

function powerText(logarithm) {
  const power = Math.floor(logarithm + 1e-9), digit = Math.round(10 ** (logarithm - power));
  if (power >= -2 && power <= 3) return numberText(digit * 10 ** power, 3);
  return (digit === 1 ? "" : `${digit}×`) + `10${superscript(power)}`;
}

// Logarithmic: `low` and `high` are base-10 logarithms. Returns {ticks, texts, common}.
export function makeAxis(low, high, logarithmic, most) {
  if (!logarithmic) {
    let ticks = niceTicks(low, high, most);
    for (let more = most + 1; ticks.length < 2 && more <= 4 * most; ++more) ticks = niceTicks(low, high, more);
    return { ticks, ...tickTexts(ticks) };
  }
  const ticks = [], fine = high - low < 1.7;
  const first = Math.floor(low + 1e-9), last = Math.ceil(high - 1e-9);
  const stride = fine ? 1 : Math.max(1, Math.ceil((last - first) / most));
  for (let power = first; power <= last; power += stride)
    for (const digit of fine ? [1, 2, 5] : [1]) {
      const tick = power + Math.log10(digit);
      if (tick > low - 1e-9 && tick < high + 1e-9) ticks.push(tick);
    }
  return { ticks, texts: ticks.map(powerText), common: "" };
}

// QR codes (ISO/IEC 18004): bytes in UTF-8, versions 1 to 40, error correction M if it needs no larger code, otherwise
// L. No imports: node runs it too, for the address in a terminal (app/web/qr_terminal.mjs).

// By version: error-correction codewords per block, and number of blocks.
const levels = [
  { bits: 0, correction: [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26, 28, 28, 28, 28,
    28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28],
  blocks: [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16, 17, 17, 18, 20, 21, 23, 25, 26, 28, 29, 31, 33,
    35, 37, 38, 40, 43, 45, 47, 49] }, // M
  { bits: 1, correction: [7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28, 28, 28, 30, 30, 26,
    28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30],
  blocks: [1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8, 8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16, 17, 18, 19,
    19, 20, 21, 22, 24, 25] }, // L
];
const versions = 40;

// Centers of the alignment patterns, along both axes.
function alignment(version) {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2, size = 17 + 4 * version;
  const step = version === 32 ? 26 : 2 * Math.ceil((4 * version + 4) / (2 * count - 2));
  return Array.from({ length: count }, (_, i) => (i === 0 ? 6 : size - 7 - (count - 1 - i) * step));
}

// Number of codewords of a version: the modules that finders, timing, alignment, format and version leave free.
function codewords(version) {
  const count = alignment(version).length;
  let modules = (16 * version + 128) * version + 64;
  if (count) modules -= (25 * count - 10) * count - 55;
  if (version >= 7) modules -= 36;
  return Math.floor(modules / 8);
}

const lengthBits = (version) => (version < 10 ? 8 : 16);
function dataCodewords(version, level) {
  return codewords(version) - level.correction[version - 1] * level.blocks[version - 1];
}

// The smallest version that holds `length` bytes, with M if it fits there as well. Null: none.
function chooseVersion(length) {
  for (let version = 1; version <= versions; ++version)
    for (const level of levels)
      if (4 + lengthBits(version) + 8 * length <= 8 * dataCodewords(version, level)) return { version, level };
  return null;
}

// ---- codewords

// Tables of the field with 256 elements, modulo x^8 + x^4 + x^3 + x^2 + 1.
const powers = new Uint8Array(510), logarithms = new Uint8Array(256);
for (let i = 0, value = 1; i < 255; ++i) {
  powers[i] = powers[i + 255] = value;
  logarithms[value] = i;
  value = value << 1 ^ (value & 128 ? 0x11d : 0);
}
const product = (a, b) => (a && b ? powers[logarithms[a] + logarithms[b]] : 0);

// The polynomial with the roots 2^0 to 2^(degree - 1), without its leading 1.
function generator(degree) {
  let polynomial = [1];
  for (let i = 0; i < degree; ++i) {
    const next = [...polynomial, 0];
    polynomial.forEach((value, k) => (next[k + 1] ^= product(value, powers[i])));
    polynomial = next;
  }
  return polynomial.slice(1);
}

function remainder(data, divisor) {
  const rest = new Array(divisor.length).fill(0);
  for (const byte of data) {
    const factor = byte ^ rest.shift();
    rest.push(0);
    divisor.forEach((value, i) => (rest[i] ^= product(value, factor)));
  }
  return rest;
}

// All codewords in the order of the symbol: blocks interleaved, the shorter ones first.
function encode(bytes, version, level) {
  const capacity = dataCodewords(version, level), bits = [];
  const push = (value, count) => {
    for (let i = count - 1; i >= 0; --i) bits.push(value >> i & 1);
  };
  push(4, 4); // bytes
  push(bytes.length, lengthBits(version));
  for (const byte of bytes) push(byte, 8);
  push(0, Math.min(4, 8 * capacity - bits.length));
  while (bits.length % 8) bits.push(0);
  for (let pad = 0xec; bits.length < 8 * capacity; pad ^= 0xec ^ 0x11) push(pad, 8);
  const data = Array.from({ length: capacity }, (_, i) => parseInt(bits.slice(8 * i, 8 * i + 8).join(""), 2));
  const blocks = level.blocks[version - 1], divisor = generator(level.correction[version - 1]);
  const shorter = blocks - capacity % blocks, length = Math.floor(capacity / blocks);
  let at = 0;
  const parts = Array.from({ length: blocks }, (_, i) => data.slice(at, at += length + (i < shorter ? 0 : 1)));
  const checks = parts.map((part) => remainder(part, divisor));
  const all = [];
  for (const columns of [parts, checks])
    for (let i = 0; columns.some((column) => i < column.length); ++i)
      for (const column of columns) if (i < column.length) all.push(column[i]);
  return all;
}

// ---- the symbol

const masks = [(x, y) => (x + y) % 2 === 0, (x, y) => y % 2 === 0, (x) => x % 3 === 0, (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0, (x, y) => x * y % 2 + x * y % 3 === 0,
  (x, y) => (x * y % 2 + x * y % 3) % 2 === 0, (x, y) => ((x + y) % 2 + x * y % 3) % 2 === 0];

// `value` followed by its check bits.
function checked(value, divisor, count) {
  let rest = value << count;
  for (let bit = Math.floor(Math.log2(rest || 1)); bit >= count; --bit) if (rest >> bit & 1) rest ^= divisor << bit - count;
  return value << count | rest;
}

class Symbol {
  constructor(version) {
    this.version = version;
    this.size = 17 + 4 * version;
    this.dark = Array.from({ length: this.size }, () => new Uint8Array(this.size));
    this.fixed = Array.from({ length: this.size }, () => new Uint8Array(this.size));
  }
  set(x, y, dark) {
    this.dark[y][x] = dark ? 1 : 0;
    this.fixed[y][x] = 1;
  }

  drawPatterns() {
    const { size, version } = this;
    for (let i = 0; i < size; ++i) {
      this.set(6, i, i % 2 === 0);
      this.set(i, 6, i % 2 === 0);
    }
    for (const [x0, y0] of [[3, 3], [size - 4, 3], [3, size - 4]])
      for (let dy = -4; dy <= 4; ++dy)
        for (let dx = -4; dx <= 4; ++dx) {
          const x = x0 + dx, y = y0 + dy, ring = Math.max(Math.abs(dx), Math.abs(dy));
          if (x >= 0 && x < size && y >= 0 && y < size) this.set(x, y, ring !== 2 && ring !== 4);
        }
    const centers = alignment(version), last = centers.length - 1;
    centers.forEach((x0, i) => centers.forEach((y0, k) => {
      if (i === 0 && k === 0 || i === 0 && k === last || i === last && k === 0) return; // occupied by a finder
      for (let dy = -2; dy <= 2; ++dy)
        for (let dx = -2; dx <= 2; ++dx) this.set(x0 + dx, y0 + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1);
    }));
    this.drawFormat(0, 0);
    if (version < 7) return;
    const bits = checked(version, 0x1f25, 12);
    for (let i = 0; i < 18; ++i) {
      const a = size - 11 + i % 3, b = Math.floor(i / 3);
      this.set(a, b, bits >> i & 1);
      this.set(b, a, bits >> i & 1);
    }
  }

  drawFormat(level, mask) {
    const bits = checked(level << 3 | mask, 0x537, 10) ^ 0x5412, { size } = this, bit = (i) => bits >> i & 1;
    for (let i = 0; i < 15; ++i) {
      // Around the finder at the top left, skipping the timing patterns.
      if (i < 8) this.set(8, i < 6 ? i : i + 1, bit(i));
      else this.set(i === 8 ? 7 : 14 - i, 8, bit(i));
      if (i < 8) this.set(size - 1 - i, 8, bit(i));
      else this.set(8, size - 15 + i, bit(i));
    }
    this.set(8, size - 8, 1);
  }

  // Two columns at a time from the right, alternately up and down.
  drawData(data) {
    const { size } = this;
    let i = 0;
    for (let right = size - 1; right >= 1; right -= 2) {
      if (right === 6) right = 5;
      const up = (right + 1 & 2) === 0;
      for (let k = 0; k < size; ++k)
        for (const x of [right, right - 1]) {
          const y = up ? size - 1 - k : k;
          if (this.fixed[y][x]) continue;
          this.dark[y][x] = i < 8 * data.length ? data[i >> 3] >> 7 - (i & 7) & 1 : 0;
          i += 1;
        }
    }
  }

  flip(mask) {
    for (let y = 0; y < this.size; ++y)
      for (let x = 0; x < this.size; ++x) if (!this.fixed[y][x] && masks[mask](x, y)) this.dark[y][x] ^= 1;
  }

  // Penalty score: long runs, squares of one colour, patterns that look like a finder, and an unequal share of dark
  // modules.
  penalty() {
    const { size, dark } = this;
    let points = 0, count = 0;
    for (const at of [(i, k) => dark[i][k], (i, k) => dark[k][i]])
      for (let i = 0; i < size; ++i) {
        let run = 0, line = "";
        for (let k = 0; k < size; ++k) {
          run = k > 0 && at(i, k) === at(i, k - 1) ? run + 1 : 1;
          points += run === 5 ? 3 : run > 5 ? 1 : 0;
          line += at(i, k);
        }
        for (const finder of ["10111010000", "00001011101"])
          for (let k = line.indexOf(finder); k >= 0; k = line.indexOf(finder, k + 1)) points += 40;
      }
    for (let y = 0; y < size; ++y)
      for (let x = 0; x < size; ++x) {
        count += dark[y][x];
        if (x + 1 < size && y + 1 < size && dark[y][x] === dark[y][x + 1] && dark[y][x] === dark[y + 1][x] &&
          dark[y][x] === dark[y + 1][x + 1]) points += 3;
      }
    return points + 10 * Math.floor(Math.abs(20 * count / size / size - 10));
  }
}

// Returns {size, isDark(x, y)} without the quiet zone of four modules around it; null if the text is too long for any
// version.
export function qrCode(text) {
  const bytes = new TextEncoder().encode(text), chosen = chooseVersion(bytes.length);
  if (!chosen) return null;
  const { version, level } = chosen, symbol = new Symbol(version);
  symbol.drawPatterns();
  symbol.drawData(encode(bytes, version, level));
  let best = 0, least = Infinity;
  masks.forEach((_, mask) => {
    symbol.flip(mask);
    symbol.drawFormat(level.bits, mask);
    const points = symbol.penalty();
    if (points < least) [best, least] = [mask, points];
    symbol.flip(mask);
  });
  symbol.flip(best);
  symbol.drawFormat(level.bits, best);
  return { size: symbol.size, isDark: (x, y) => symbol.dark[y]?.[x] === 1 };
}

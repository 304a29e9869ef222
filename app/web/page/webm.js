// The duration of a WebM file: a recorder writes its header before the end is known, so players can neither show the
// duration nor seek. Format: EBML (RFC 8794) and Matroska (RFC 9559).

const segmentId = 0x18538067, infoId = 0x1549a966, scaleId = 0x2ad7b1, durationId = 0x4489;
const usualScale = 1e6; // nanoseconds in a unit of the file's times

// The number at `at`, whose first bit set says how many bytes it has. `isId`: it keeps that bit.
function numberAt(bytes, at, isId) {
  const length = Math.clz32(bytes[at]) - 23;
  if (!(length <= 8)) throw new RangeError("no EBML number");
  let value = isId ? bytes[at] : bytes[at] & (0xff >> length), isUnknown = !isId && value === 0xff >> length;
  for (let i = 1; i < length; ++i) {
    value = 256 * value + bytes[at + i];
    isUnknown &&= bytes[at + i] === 0xff;
  }
  return { value, length, isUnknown };
}

// An element: {id, at, sizeAt, from, to}, `from` and `to` of its content.
function elementAt(bytes, at) {
  const id = numberAt(bytes, at, true), sizeAt = at + id.length, size = numberAt(bytes, sizeAt, false);
  const from = sizeAt + size.length;
  return { id: id.value, at, sizeAt, from, to: size.isUnknown ? Infinity : from + size.value };
}

function find(bytes, id, from, to) {
  for (let at = from; at < Math.min(to, bytes.length);) {
    const element = elementAt(bytes, at);
    if (element.id === id) return element;
    at = element.to;
  }
  return null;
}

// A number of eight bytes with the length mark of EBML.
function sizeOf(value) {
  const bytes = new Uint8Array(8), view = new DataView(bytes.buffer);
  view.setUint32(0, 0x01000000 + Math.floor(value / 2 ** 32));
  view.setUint32(4, value % 2 ** 32);
  return bytes;
}

// `head`: the beginning of a WebM file, with its element Info. Returns the same with this duration; unchanged if it is
// no such beginning.
export function withDuration(head, milliseconds) {
  try {
    const segment = find(head, segmentId, 0, head.length), info = find(head, infoId, segment.from, segment.to);
    if (info.to > head.length) return head;
    const scale = find(head, scaleId, info.from, info.to);
    let unit = usualScale;
    if (scale) unit = head.subarray(scale.from, scale.to).reduce((value, byte) => 256 * value + byte, 0);
    const duration = new Uint8Array([durationId >> 8, durationId & 0xff, 0x88, 0, 0, 0, 0, 0, 0, 0, 0]);
    new DataView(duration.buffer).setFloat64(3, 1e6 * milliseconds / unit);
    const old = find(head, durationId, info.from, info.to);
    const content = [head.subarray(info.from, old ? old.at : info.to), duration,
      old ? head.subarray(old.to, info.to) : new Uint8Array()];
    const size = content.reduce((sum, part) => sum + part.length, 0);
    const parts = [head.subarray(0, segment.sizeAt), new Uint8Array([0x01, 255, 255, 255, 255, 255, 255, 255]), // unknown
      head.subarray(segment.from, info.sizeAt), sizeOf(size), ...content, head.subarray(info.to)];
    const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  } catch {
    return head;
  }
}

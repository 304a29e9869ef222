import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "./page.mjs";

const { chooseVideo, codecOf, keepUp, messageKind, readMessage, SourceVideo, Video } = await page("video");

const record = Uint8Array.from([1, 0x64, 0x00, 0x1f, 0xff, 0xe1]);
// A message as the server sends it: a start has its record at `from`, a fragment its sample.
function messageOf(kind, { isKey = false, from = 0, word = 0, step = 0, payload = [] } = {}) {
  const buffer = new ArrayBuffer(16 + payload.length), view = new DataView(buffer);
  view.setUint8(0, kind);
  view.setUint8(1, isKey ? 1 : 0);
  view.setUint16(2, from, true);
  view.setUint32(4, word, true);
  view.setFloat64(8, step, true);
  new Uint8Array(buffer, 16).set(payload);
  return buffer;
}
const startOf = () => messageOf(messageKind.start, { from: 18, word: record.length, payload: [7, 7, ...record, 9] });
const fragmentOf = (frame, isKey = false) => messageOf(messageKind.fragment, { isKey, from: 19, word: frame, step: 10 * frame,
  payload: [1, 2, 3, 4, 5] });
const pngOf = (frame) => messageOf(messageKind.png, { word: frame, step: 10 * frame, payload: [137] });
const jpegOf = (frame) => messageOf(messageKind.jpeg, { word: frame, step: 10 * frame, payload: [255] });

test("a message's header tells where its parts are", () => {
  const start = readMessage(startOf());
  assert.deepEqual([...start.record], [...record]);
  assert.deepEqual([...start.payload], [7, 7, ...record, 9]);
  assert.equal(codecOf(start.record), "avc1.64001f");
  const fragment = readMessage(fragmentOf(4e9, true));
  assert.deepEqual([fragment.kind, fragment.isKey, fragment.frame, fragment.step], [messageKind.fragment, true, 4e9, 4e10]);
  assert.deepEqual([[...fragment.sample], [...fragment.payload]], [[4, 5], [1, 2, 3, 4, 5]]);
  assert.equal(readMessage(fragmentOf(5)).isKey, false);
});

test("damaged messages are left out", () => {
  assert.equal(readMessage(new ArrayBuffer(0)), null);
  assert.equal(readMessage(new ArrayBuffer(15)), null);
  assert.equal(readMessage(messageOf(0)), null);
  assert.equal(readMessage(messageOf(9)), null);
  for (const from of [0, 15, 17, 65535])
    assert.equal(readMessage(messageOf(messageKind.fragment, { from, payload: [1] })), null, `sample at ${from}`);
  assert.equal(readMessage(messageOf(messageKind.start, { from: 16, word: 9, payload: [1, 2, 3, 4] })), null);
  assert.equal(readMessage(messageOf(messageKind.start, { from: 16, word: 3, payload: [1, 2, 3, 4] })), null);
});

// ---- choice

const decoder = (supported) => ({ isConfigSupported: async () => ({ supported }) });
const source = (supported) => ({ isTypeSupported: () => supported });

test("the best way that the browser has is chosen", async () => {
  const all = { isSecureContext: true, VideoDecoder: decoder(true), MediaSource: source(true) };
  assert.equal(await chooseVideo(all), "webcodecs");
  assert.equal(await chooseVideo({ ...all, isSecureContext: false }), "mse", "plain http");
  assert.equal(await chooseVideo({ ...all, VideoDecoder: undefined }), "mse");
  assert.equal(await chooseVideo({ ...all, VideoDecoder: decoder(false) }), "mse", "no H.264");
  assert.equal(await chooseVideo({ ...all, VideoDecoder: { isConfigSupported: async () => assert.fail() } }), "mse");
  assert.equal(await chooseVideo({ MediaSource: source(false) }), "jpeg");
  assert.equal(await chooseVideo({ ManagedMediaSource: source(true) }), "mse", "an iPhone");
  assert.equal(await chooseVideo({}), "jpeg");
  assert.equal(await chooseVideo(all, new Set(["webcodecs"])), "mse");
  assert.equal(await chooseVideo(all, new Set(["webcodecs", "mse", "jpeg"])), "jpeg");
});

// ---- the rate of Media Source Extensions

test("a video that lags runs faster, one at the end slower", () => {
  const rate = (lag) => keepUp([[0, 10]], 10 - lag, false).rate;
  assert.ok(Math.abs(rate(0.05) - 1) < 1e-9);
  assert.ok(rate(0.1) > 1 && rate(0.3) > rate(0.1) && rate(0.01) < 1);
  for (let lag = 0; lag <= 0.5; lag += 0.01) assert.ok(rate(lag) >= 0.9 && rate(lag) <= 1.5, `lag ${lag}`);
  for (const lag of [0.01, 0.1, 0.3]) assert.equal(keepUp([[0, 10]], 10 - lag, false).seek, null);
});

test("Firefox runs a little faster all the time", () => {
  for (const lag of [0, 0.05, 0.14]) assert.equal(keepUp([[0, 10]], 10 - lag, true).rate, 1.06);
  assert.equal(keepUp([[0, 10]], 9.7, true).rate, 1.5);
});

test("more than half a second is skipped, and so is a gap", () => {
  for (const isFirefox of [false, true]) {
    assert.deepEqual(keepUp([[0, 10]], 9.4, isFirefox), { seek: 9.95, rate: 1 });
    assert.deepEqual(keepUp([[0, 3], [3.2, 3.3]], 3, isFirefox).seek, 3.25, "a gap shorter than that");
    assert.equal(keepUp([[100, 100.01]], 0, isFirefox).seek, 100, "not before what is there");
    assert.deepEqual(keepUp([], 0, isFirefox), { seek: null, rate: 1 });
  }
});

// A source that opens when `open` is called.
function fakeSource() {
  const appended = [];
  const bufferOf = () => ({ updating: false, buffered: { length: 0 }, listeners: {},
    addEventListener(event, run) {
      this.listeners[event] = run;
    },
    appendBuffer(data) {
      assert.ok(!this.updating, "appended while updating");
      this.updating = true;
      appended.push(...data);
    } });
  let made = null;
  globalThis.MediaSource = class {
    static isTypeSupported = () => true;
    readyState = "closed";
    types = [];
    constructor() {
      made = this;
    }
    addEventListener(_, run) {
      this.open = () => {
        this.readyState = "open";
        run();
      };
    }
    addSourceBuffer(type) {
      this.types.push(type);
      return (this.buffer = bufferOf());
    }
  };
  globalThis.URL.createObjectURL = () => "blob:1";
  globalThis.document.createElement = () => ({ setAttribute() {}, addEventListener() {}, style: {}, play: async () => {} });
  globalThis.document.body = { append() {} };
  const finish = () => {
    made.buffer.updating = false;
    made.buffer.listeners.updateend();
  };
  return { appended, finish, source: () => made };
}

test("nothing before the source opens is lost, and the stream begins with a key frame", () => {
  const { appended, finish, source: made } = fakeSource();
  const video = new SourceVideo(assert.fail);
  const take = (message) => video.take(readMessage(message));
  take(fragmentOf(1, true)); // (of a stream whose start was missed)
  take(startOf());
  take(fragmentOf(2));
  take(fragmentOf(3, true));
  assert.deepEqual(appended, []);
  made().open();
  assert.deepEqual(made().types, ['video/mp4; codecs="avc1.64001f"']);
  const begun = [7, 7, ...record, 9, 1, 2, 3, 4, 5];
  assert.deepEqual(appended, begun);
  take(fragmentOf(4));
  take(fragmentOf(5));
  assert.deepEqual(appended, begun, "the buffer is busy");
  finish();
  assert.deepEqual(appended, [...begun, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5]);
});

test("after an error the start is given again, and a key frame is waited for", () => {
  const { appended, source: made } = fakeSource();
  const video = new SourceVideo(() => {});
  video.take(readMessage(startOf()));
  made().open();
  const first = made(), before = appended.length;
  video.restart();
  video.take(readMessage(fragmentOf(2)));
  assert.notEqual(made(), first);
  made().open();
  video.take(readMessage(fragmentOf(3, true)));
  assert.deepEqual(appended.slice(before, before + 9), [7, 7, ...record, 9]);
});

// ---- the newest picture

// Decoders that give what they took when they are asked.
function fakes() {
  const made = [];
  const make = (way) => (fail) => {
    const one = { way, fail, taken: [], picture: null, restarts: 0, isStopped: false,
      take(message) {
        this.taken.push(message.kind);
        if (message.kind !== messageKind.start) this.picture = message.frame;
      },
      newest() {
        const { picture: frame } = this;
        this.picture = null;
        return frame === null ? null : { frame, close: () => {} };
      },
      restart() {
        this.restarts += 1;
      },
      hide() {},
      stop() {
        this.isStopped = true;
      } };
    made.push(one);
    return one;
  };
  return { made, makers: { webcodecs: make("webcodecs"), mse: make("mse"), jpeg: make("jpeg") } };
}
const browser = { isSecureContext: true, VideoDecoder: decoder(true), MediaSource: source(true) };
const settle = () => new Promise((done) => setImmediate(done));
globalThis.createImageBitmap = async () => ({ width: 4, height: 3, close() {} });

test("an exact picture is replaced by newer ones only", async () => {
  const { makers } = fakes(), video = new Video(makers);
  await video.choose(browser);
  const frame = () => video.newest()?.frame ?? null;
  video.take(startOf());
  video.take(fragmentOf(7, true));
  assert.equal(frame(), 7);
  video.take(pngOf(8));
  await settle();
  assert.equal(frame(), 8);
  video.take(fragmentOf(8));
  assert.equal(frame(), null, "the same frame, less exact");
  video.take(fragmentOf(9));
  assert.equal(frame(), 9);
  video.take(pngOf(8));
  await settle();
  assert.equal(frame(), null, "decoded too late");
  assert.equal(video.step, 80);
  video.restart();
  video.take(fragmentOf(1, true));
  assert.equal(frame(), 1, "another stream counts from its beginning");
});

test("a failure waits for a key frame, a second one leads to the next way", async () => {
  const { made, makers } = fakes(), video = new Video(makers), asked = [];
  let now = 0;
  performance.now = () => now;
  Object.assign(globalThis, browser);
  video.onWay = (way) => asked.push(way);
  assert.equal(await video.choose(), "webcodecs");
  made[0].fail();
  assert.deepEqual([made[0].restarts, asked], [1, []]);
  now = 60000;
  made[0].fail();
  assert.deepEqual([made[0].restarts, asked], [2, []], "a minute later it is the first one again");
  now += 1000;
  made[0].fail();
  await settle();
  assert.deepEqual([asked, made[0].isStopped, video.way], [["mse"], true, "mse"]);
  made[0].fail();
  assert.equal(made.length, 2, "the one that was replaced is not heard");
  for (let k = 0; k < 2; ++k) made[1].fail();
  await settle();
  assert.deepEqual([asked, video.way], [["mse", "jpeg"], "jpeg"]);
  for (let k = 0; k < 5; ++k) made[2].fail();
  await settle();
  assert.equal(video.way, "jpeg", "there is no simpler one");
  for (const name of Object.keys(browser)) delete globalThis[name];
});

test("only messages of the chosen way are decoded, and none while the page is hidden", async () => {
  const { made, makers } = fakes(), video = new Video(makers);
  await video.choose({});
  video.take(startOf());
  video.take(fragmentOf(1, true));
  video.take(jpegOf(2));
  assert.deepEqual(made[0].taken, [messageKind.jpeg]);
  video.hide(true);
  video.take(jpegOf(3));
  assert.deepEqual(made[0].taken, [messageKind.jpeg]);
  video.hide(false);
  video.take(jpegOf(4));
  assert.equal(made[0].taken.length, 2);
});

test("WebCodecs waits for a key frame at the start, after hiding and when the device is too slow", async () => {
  const decoded = [];
  let queue = 0, configured = 0, last = null;
  const own = { isSecureContext: true, EncodedVideoChunk: class {
    constructor(given) {
      Object.assign(this, given);
    }
  }, VideoDecoder: class {
    static isConfigSupported = async () => ({ supported: true });
    state = "unconfigured";
    constructor({ output, error }) {
      Object.assign(this, { output, error });
      last = this;
    }
    get decodeQueueSize() {
      return queue;
    }
    configure({ codec, description }) {
      assert.deepEqual([codec, [...description]], ["avc1.64001f", [...record]]);
      configured += 1;
      queue = 0;
    }
    decode({ type, timestamp }) {
      decoded.push(`${type} ${Math.round(timestamp * 30 / 1e6)}`);
    }
    close() {
      this.state = "closed";
    }
  } };
  Object.assign(globalThis, own);
  const video = new Video();
  assert.equal(await video.choose(), "webcodecs");
  video.take(fragmentOf(1, true)); // before the start
  video.take(startOf());
  for (const frame of [2, 3]) video.take(fragmentOf(frame));
  for (const frame of [4, 5]) video.take(fragmentOf(frame, frame === 4));
  assert.deepEqual(decoded.splice(0), ["key 4", "delta 5"]);
  video.hide(true);
  video.take(fragmentOf(6, true));
  video.hide(false);
  for (const frame of [7, 8]) video.take(fragmentOf(frame, frame === 8));
  assert.deepEqual(decoded.splice(0), ["key 8"]);
  queue = 20;
  for (const frame of [9, 10, 11, 12]) video.take(fragmentOf(frame, frame === 11));
  assert.deepEqual(decoded.splice(0), ["key 11", "delta 12"]);
  assert.equal(configured, 2, "what waited is forgotten");
  const closed = [];
  for (const frame of [11, 12])
    last.output({ timestamp: frame * 1e6 / 30, displayWidth: 6, displayHeight: 4, close: () => closed.push(frame) });
  const picture = video.newest();
  assert.deepEqual([picture.frame, picture.width, picture.height, closed], [12, 6, 4, [11]], "only the newest is kept");
  picture.close();
  assert.equal(video.newest(), null);
  for (const name of Object.keys(own)) delete globalThis[name];
});

// The pictures of a served run: H.264 by WebCodecs where the page is secure (https, localhost), otherwise by Media Source
// Extensions, otherwise single JPEGs. A paused run is sent once more as a PNG, which is exact. Only the newest picture
// counts. A decoder that fails waits for the next key frame; one that fails again is replaced by the next simpler way.

// ---- messages: 16 bytes, then the payload

export const messageKind = { fragment: 1, start: 2, jpeg: 3, png: 4 };
const headerSize = 16;

// {kind, isKey, frame, step, payload, sample, record}. `payload`: an MP4 fragment, its start, or an image. `sample`: the
// H.264 sample of a fragment. `record`: the decoder's configuration (avcC) in a start. Null: the message is damaged.
export function readMessage(buffer) {
  if (buffer.byteLength < headerSize) return null;
  const view = new DataView(buffer), bytes = new Uint8Array(buffer);
  const kind = view.getUint8(0), from = view.getUint16(2, true), word = view.getUint32(4, true);
  const message = { kind, isKey: (view.getUint8(1) & 1) === 1, frame: word, step: view.getFloat64(8, true),
    payload: bytes.subarray(headerSize), sample: null, record: null };
  if (kind === messageKind.fragment) {
    if (from < headerSize || from >= bytes.length) return null;
    message.sample = bytes.subarray(from);
  } else if (kind === messageKind.start) {
    if (from < headerSize || word < 4 || from + word > bytes.length) return null;
    message.record = bytes.subarray(from, from + word);
    message.frame = 0;
  } else if (kind !== messageKind.jpeg && kind !== messageKind.png) {
    return null;
  }
  return message;
}

// The name of the stream's profile and level: "avc1.64001f".
export const codecOf = (record) =>
  `avc1.${[...record.subarray(1, 4)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;

// ---- choice

const usualCodec = "avc1.64001f"; // asked about before the stream has named its own
const ways = ["webcodecs", "mse", "jpeg"]; // the simplest one last
const sourceOf = (browser) => browser.MediaSource ?? browser.ManagedMediaSource; // (iPhones have only the latter)
const typeOf = (codec) => `video/mp4; codecs="${codec}"`;

const works = {
  async webcodecs(browser) {
    if (!browser.isSecureContext || !browser.VideoDecoder) return false;
    return (await browser.VideoDecoder.isConfigSupported({ codec: usualCodec })).supported === true;
  },
  mse: (browser) => sourceOf(browser)?.isTypeSupported(typeOf(usualCodec)) === true,
  jpeg: () => true,
};

// The best way of this browser that has not `failed`.
export async function chooseVideo(browser, failed = new Set()) {
  for (const way of ways) {
    if (failed.has(way) && way !== "jpeg") continue;
    try {
      if (await works[way](browser)) return way;
    } catch {
      // a browser that names the way and does not have it
    }
  }
  return "jpeg";
}

// ---- WebCodecs

const mostQueued = 6; // samples: a slower device goes on at a key frame
const microsecondsPerFrame = 1e6 / 30; // (The decoder only orders frames by it.)

class WebCodecsVideo {
  #decoder = null;
  #record = null;
  #waitsForKey = true;
  #shown = null;
  #fail;

  constructor(fail) {
    this.#fail = fail;
  }
  take({ kind, isKey, frame, sample, record }) {
    if (kind === messageKind.start) {
      this.#record = record.slice();
      this.#configure();
      return;
    }
    if (!this.#record || (this.#waitsForKey && !isKey)) return;
    if (this.#decoder?.decodeQueueSize > mostQueued) {
      this.#waitsForKey = true;
      if (!isKey) return;
      this.#configure(); // forgets what waits
    }
    this.#waitsForKey = false;
    try {
      this.#decoder.decode(new globalThis.EncodedVideoChunk({ type: isKey ? "key" : "delta", data: sample,
        timestamp: Math.round(frame * microsecondsPerFrame) }));
    } catch (error) {
      this.#failed(error);
    }
  }
  #configure() {
    this.#waitsForKey = true;
    try {
      this.#close();
      const own = new globalThis.VideoDecoder({ output: (picture) => this.#output(own, picture), error: (error) =>
        own === this.#decoder && this.#failed(error) });
      own.configure({ codec: codecOf(this.#record), description: this.#record, optimizeForLatency: true });
      this.#decoder = own;
    } catch (error) {
      this.#failed(error);
    }
  }
  #output(decoder, picture) {
    if (decoder !== this.#decoder) return picture.close();
    this.#shown?.close();
    this.#shown = picture;
  }
  #failed(error) {
    this.#close();
    this.#waitsForKey = true;
    this.#fail(error);
  }
  #close() {
    if (this.#decoder && this.#decoder.state !== "closed") this.#decoder.close();
    this.#decoder = null;
  }
  // Begins again with the next key frame.
  restart() {
    if (this.#record) this.#configure();
  }
  hide() {
    this.#waitsForKey = true;
  }
  newest() {
    const picture = this.#shown;
    this.#shown = null;
    return picture && { source: picture, width: picture.displayWidth, height: picture.displayHeight,
      frame: Math.round(picture.timestamp / microsecondsPerFrame), close: () => picture.close() };
  }
  stop() {
    this.#close();
    this.#shown?.close();
    this.#shown = null;
  }
}

// ---- Media Source Extensions

const wantedLag = 0.05, mostLag = 0.5, firefoxLag = 0.15; // seconds from the picture shown to the end of what is there
const keptSeconds = 5; // of the past

// How the video keeps up with the stream: {seek, rate}; `seek`: null, or the time to go to. `ranges`: [[start, end], ...]
// of what is there. A browser left to itself shows what is a tenth of a second old. Firefox does not follow small
// changes of the rate, so that it always runs a little faster and waits at the end (measured).
export function keepUp(ranges, now, isFirefox) {
  if (!ranges.length) return { seek: null, rate: 1 };
  const [start, end] = ranges.at(-1), lag = end - now;
  // Also over a gap, which pauses of the run leave.
  if (now < start || lag > mostLag) return { seek: Math.max(start, end - wantedLag), rate: 1 };
  if (isFirefox) return { seek: null, rate: lag > firefoxLag ? 1.5 : 1.06 };
  return { seek: null, rate: Math.min(1.5, Math.max(0.9, 1 + 2 * (lag - wantedLag))) };
}

const joined = (parts) => {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
};

export class SourceVideo {
  #video;
  #source;
  #buffer = null;
  #url;
  #start = null; // the payload of the start message
  #waiting = []; // what is not appended yet: from the start message on, nothing is lost
  #codec = "";
  #isComplete = false; // a key frame has come since the start
  #isFresh = false;
  #frame = 0; // the last one received
  #time = -1; // of the picture drawn last
  #fail;
  #isFirefox = /Firefox/.test(globalThis.navigator?.userAgent ?? "");

  constructor(fail) {
    this.#fail = fail;
    this.#video = document.createElement("video");
    Object.assign(this.#video, { muted: true, playsInline: true, disableRemotePlayback: true });
    this.#video.setAttribute("aria-hidden", "true");
    this.#video.className = "served-video"; // browsers do not play one that is not on the page
    document.body.append(this.#video);
    this.#open();
    this.#video.addEventListener("error", () => this.#video.error && this.#fail(this.#video.error));
    if (this.#video.requestVideoFrameCallback) {
      const next = () => {
        this.#isFresh = true;
        this.#video.requestVideoFrameCallback(next);
      };
      this.#video.requestVideoFrameCallback(next);
    }
  }
  #open() {
    const own = this.#source = new (sourceOf(globalThis))();
    own.addEventListener("sourceopen", () => own === this.#source && this.#begin());
    this.#url = URL.createObjectURL(own);
    this.#video.src = this.#url;
  }
  // When both the source is open and the stream has begun.
  #begin() {
    if (this.#buffer || !this.#codec || this.#source.readyState !== "open") return;
    try {
      const own = this.#buffer = this.#source.addSourceBuffer(typeOf(this.#codec));
      own.addEventListener("updateend", () => own === this.#buffer && this.#append());
      own.addEventListener("error", () => own === this.#buffer && this.#fail(new Error("append")));
    } catch (error) {
      return this.#fail(error);
    }
    this.#append();
  }
  take({ kind, isKey, frame, payload, record }) {
    if (kind === messageKind.start) {
      this.#isComplete = false;
      const codec = codecOf(record);
      // (A buffer takes another start of the same codec.)
      if (this.#codec && this.#codec !== codec) this.#reopen();
      this.#codec = codec;
      this.#start = payload;
    } else if (!this.#codec || (!this.#isComplete && !isKey)) {
      return;
    } else {
      this.#isComplete = true;
      this.#frame = frame;
    }
    this.#waiting.push(payload);
    if (this.#buffer) this.#append();
    else this.#begin();
  }
  #append() {
    const buffer = this.#buffer;
    if (!buffer || buffer.updating) return;
    try {
      if (this.#waiting.length) {
        const parts = this.#waiting;
        this.#waiting = [];
        buffer.appendBuffer(joined(parts));
      } else {
        this.#control();
        const { buffered } = buffer, { currentTime } = this.#video;
        if (buffered.length && buffered.start(0) < currentTime - 2 * keptSeconds)
          buffer.remove(buffered.start(0), currentTime - keptSeconds);
      }
    } catch (error) {
      this.#fail(error);
    }
  }
  #control() {
    const { buffered } = this.#buffer, video = this.#video;
    const ranges = Array.from({ length: buffered.length }, (_, k) => [buffered.start(k), buffered.end(k)]);
    const { seek, rate } = keepUp(ranges, video.currentTime, this.#isFirefox);
    if (seek !== null) video.currentTime = seek;
    if (Math.abs(video.playbackRate - rate) > 0.01) video.playbackRate = rate;
    if (video.paused && ranges.length && !document.hidden) video.play().catch(() => {}); // tried again with the next one
  }
  #reopen() {
    URL.revokeObjectURL(this.#url);
    this.#buffer = null;
    this.#waiting = [];
    this.#open();
  }
  restart() {
    this.#isComplete = false;
    this.#reopen();
    if (this.#start) this.#waiting.push(this.#start);
  }
  hide() {}
  newest() {
    const { videoWidth: width, videoHeight: height, currentTime } = this.#video;
    if (!this.#video.requestVideoFrameCallback) this.#isFresh = currentTime !== this.#time;
    if (!this.#isFresh || !width || !height) return null;
    this.#isFresh = false;
    this.#time = currentTime;
    return { source: this.#video, width, height, frame: this.#frame, close: () => {} };
  }
  stop() {
    this.#buffer = null;
    this.#video.removeAttribute("src");
    this.#video.load();
    this.#video.remove();
    URL.revokeObjectURL(this.#url);
  }
}

// ---- single images

// Decodes one image at a time; of those that wait only the newest.
class ImageVideo {
  #waiting = null;
  #isBusy = false;
  #shown = null;
  #fail;
  #type;

  constructor(fail, type) {
    this.#fail = fail;
    this.#type = type;
  }
  take(message) {
    this.#waiting = message;
    if (!this.#isBusy) this.#work();
  }
  async #work() {
    this.#isBusy = true;
    while (this.#waiting) {
      const { payload, frame } = this.#waiting;
      this.#waiting = null;
      try {
        const picture = await createImageBitmap(new Blob([payload], { type: this.#type }));
        this.#shown?.close();
        this.#shown = { source: picture, width: picture.width, height: picture.height, frame, close: () =>
          picture.close() };
      } catch (error) {
        this.#fail(error);
      }
    }
    this.#isBusy = false;
  }
  restart() {}
  hide() {
    this.#waiting = null;
  }
  newest() {
    const picture = this.#shown;
    this.#shown = null;
    return picture;
  }
  stop() {
    this.#waiting = null;
    this.#shown?.close();
    this.#shown = null;
  }
}

// ---- the pictures of a run

const failuresInARow = 2; // after which a simpler way is taken
const calmTime = 10; // seconds without a failure, after which it counts as the first one again

/** @type {Record<string, (fail: (error: any) => void) => any>} */
const makers = { webcodecs: (fail) => new WebCodecsVideo(fail), mse: (fail) => new SourceVideo(fail),
  jpeg: (fail) => new ImageVideo(fail, "image/jpeg") };

export class Video {
  way = ""; // "webcodecs", "mse" or "jpeg"
  step = 0; // of the run, in the newest message
  #decoder = null;
  #exact;
  #exactFrame = -1; // of the exact picture, if that is shown: the same frame of the video does not replace it
  #shownFrame = -1;
  #failed = new Set();
  #failures = 0;
  #lastFailure = -Infinity;
  #isHidden = false;
  #makers;
  /** @type {(way: string) => void} */
  onWay = () => {}; // called when another way was chosen after failures: the server must be asked for it

  constructor(own = makers) {
    this.#makers = own;
    this.#exact = new ImageVideo(() => {}, "image/png");
  }
  // Chooses the way. Messages before that are left out.
  async choose(browser = globalThis) {
    const way = await chooseVideo(browser, this.#failed);
    if (way === this.way) return way;
    this.#decoder?.stop();
    this.way = way;
    const own = this.#decoder = this.#makers[way](() => own === this.#decoder && this.#fail());
    return way;
  }
  // Another connection: another stream.
  restart() {
    this.#exactFrame = this.#shownFrame = -1;
    this.#decoder?.restart();
  }
  take(buffer) {
    const message = readMessage(buffer);
    if (!message) return;
    const { kind, step } = message;
    if (kind !== messageKind.start) this.step = step;
    if (kind === messageKind.png) return this.#exact.take(message);
    // (A server may not yet have read which way was chosen.)
    if ((kind === messageKind.jpeg) !== (this.way === "jpeg")) return;
    // A hidden video is paused by the browser and later continues at the end of its data; other decoders would work for
    // nothing.
    if (this.#isHidden && kind !== messageKind.start && this.way !== "mse") return;
    this.#decoder?.take(message);
  }
  hide(hidden) {
    this.#isHidden = hidden;
    if (hidden) this.#decoder?.hide();
  }
  // {source, width, height, close()} to draw, once; null: there is no newer one.
  newest() {
    const exact = this.#exact.newest(), picture = this.#decoder?.newest();
    const isExact = exact && exact.frame >= Math.max(this.#shownFrame, picture?.frame ?? -1);
    const shown = isExact ? exact : picture && picture.frame > this.#exactFrame ? picture : null;
    for (const one of [exact, picture]) if (one !== shown) one?.close();
    if (!shown) return null;
    this.#shownFrame = shown.frame;
    this.#exactFrame = isExact ? shown.frame : -1;
    return shown;
  }
  #fail() {
    const now = performance.now() / 1000;
    this.#failures = now - this.#lastFailure > calmTime ? 1 : this.#failures + 1;
    this.#lastFailure = now;
    if (this.#failures < failuresInARow || this.way === "jpeg") return this.#decoder.restart();
    this.#failures = 0;
    this.#failed.add(this.way);
    this.choose().then((way) => this.onWay(way));
  }
  stop() {
    this.#decoder?.stop();
    this.#exact.stop();
  }
}

// Connection to the engine's worker: it handles calls in order, each with one answer. A worker that dies is replaced,
// and the pending calls are rejected with a message.
import { tr } from "./i18n.js";

// `said`: a message of the engine, or a function that returns the text in the chosen language; errorText() shows it.
// `message`: a text for logs.
export class RequestError extends Error {
  constructor(said, kind, message = typeof said === "function" ? said() : said) {
    super(message);
    this.said = said;
    this.kind = kind;
  }
}

// A checksum of the page's files, filled in when its folder is made.
const version = "none";

const silentAfter = 8; // seconds without an answer until the page shows that a step takes long

export class EngineClient {
  #worker = null;
  #waiting = new Map();
  #next = 1;
  #base;
  #onDeath;
  #threads = true;
  /** @type {(share: number) => void} */
  onLoading = () => {}; // called with the fraction of the engine that has arrived
  /** @type {(share: number) => void} */
  onOpening = () => {}; // called with the fraction of a scene's strokes that are drawn
  threadsFailed = false; // threads were tried, and this device did not provide the memory

  constructor(base, onDeath) {
    this.#base = base;
    this.#onDeath = onDeath;
  }

  // Starts the engine. Throws RequestError if that fails.
  async start() {
    let takesModules = false; // a browser without module workers does not read the option `type`
    this.#worker = new Worker(new URL("worker.js", import.meta.url), { name: "engine", get type() {
      takesModules = true;
      return /** @type {const} */ ("module");
    } });
    if (!takesModules) {
      this.stop();
      throw new RequestError(() =>
        tr("This browser is too old. Use Chrome or Edge 103, Firefox 114, Safari 16.4 or later."), "error");
    }
    this.#worker.onmessage = ({ data }) => {
      if (data.loaded !== undefined) this.onLoading(data.loaded);
      else if (data.opening !== undefined) this.#showOpening(data.opening);
      else this.#answered(data);
    };
    this.#worker.onerror = (event) => {
      event.preventDefault?.();
      this.#died(event.message || "");
    };
    let loaded;
    try {
      loaded = await this.call("load", { base: this.#base, threads: this.#threads ? 0 : 1 });
    } catch (error) {
      // Threads need shared memory, which some devices do not provide: try again with one thread.
      if (!this.#threads || error.kind === "stopped") throw error;
      this.#threads = false;
      this.threadsFailed = globalThis.crossOriginIsolated === true;
      this.stop();
      return this.start();
    }
    // The host has replaced its files while this page was open: the worker would not understand the page's calls.
    if (loaded.version !== version) {
      this.stop();
      throw new RequestError(() => tr("The page on the host has changed since it was opened here. Reload it: the " +
        "address has your scene."), "error");
    }
    return loaded;
  }

  get isRunning() {
    return Boolean(this.#worker);
  }

  stop() {
    this.#worker?.terminate();
    this.#worker = null;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const one of waiting) one.reject(new RequestError(() => tr("The engine was restarted."), "stopped"));
  }

  call(name, request = {}, transfer = [], spent = undefined) {
    if (!this.#worker) return Promise.reject(new RequestError(() => tr("The engine is not running."), "stopped"));
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      // (First: it throws if the request cannot be copied, and no answer will come.)
      this.#worker.postMessage({ id, name, request, spent }, spent ? [...transfer, ...spent] : transfer);
      this.#waiting.set(id, { resolve, reject, since: performance.now() });
    });
  }

  // Seconds since the oldest unanswered call.
  get busyFor() {
    const [first] = this.#waiting.values();
    return first ? (performance.now() - first.since) / 1000 : 0;
  }
  // True if an answer takes so long that the page shows a message.
  get silent() {
    const [first] = this.#waiting.values();
    return Boolean(first) && performance.now() - (first.lastSign ?? first.since) > 1000 * silentAfter;
  }

  // A call that reports progress is not silent.
  #showOpening(share) {
    const [first] = this.#waiting.values();
    if (first) first.lastSign = performance.now();
    this.onOpening(share);
  }

  #answered({ id, result, error }) {
    const one = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error?.dead) {
      const fatal = new RequestError(undefined, "fatal", error.message);
      one?.reject(fatal);
      if (this.#worker) this.#died(error.message);
    } else if (error) {
      one?.reject(new RequestError(error.said, error.kind, error.message));
    } else {
      one?.resolve(result);
    }
  }

  #died(message) {
    this.stop();
    this.#onDeath(message);
  }
}

// Connection to an engine that serves many browsers ("perturb serve"): the calls of EngineClient over a WebSocket. The
// server advances the run and sends pictures and numbers by itself, so that a frame only collects what has arrived. A
// lost connection is made again; calls that wait for an answer are then rejected like those of a restarted engine.
import { moveCamera } from "./camera_move.js";
import { RequestError } from "./engine_client.js";
import { tr } from "./i18n.js";
import { Video } from "./video.js";

const firstDelay = 500, longestDelay = 15000; // milliseconds between two attempts to connect
const overlayInterval = 200, actionInterval = 33; // milliseconds between two requests for marks; after an action
const maxBytes = 64 << 10; // of a request: a longer one would end the connection
const quietTime = 10000; // milliseconds without a message, after which the server is asked whether it is still there
const busyTime = 1500; // milliseconds that a call waits before the page says why
const helloTime = 15000; // milliseconds: a server that does not answer until then is not reached

// Milliseconds before attempt `count` (from 0) to connect again. `random`: from 0 to 1, so that the browsers of a class
// do not all come at the same time.
export const delayOf = (count, random = Math.random()) =>
  Math.min(longestDelay, firstDelay * 2 ** count) * (0.75 + 0.5 * random);

const filesStay = () => tr("Cannot open or save files here: the run is on another computer. Do it there.");
const refusals = { save: filesStay, load_state: filesStay, use_image: filesStay, add_colors: filesStay,
  verify: () => tr("Cannot compute the checks here: this page has no engine of its own. Use \"perturb verify\"."),
  sing: () => tr("Cannot sing in a shared run: the sound of your microphone never leaves this device."),
};
const lessonsAreTeachers = () => tr("Cannot open a lesson here: in a shared run the teacher opens lessons, for all.");
// Why a call of this role cannot work in a shared run: a function that returns the text; undefined: the server decides.
export const refusalOf = (name, role = "teacher") =>
  (name === "lesson_open" && role !== "teacher" ? lessonsAreTeachers : refusals[name]);

const hasStatus = (answer) => Boolean(answer?.status ?? (answer?.parameters && answer?.gauges));

export class RemoteEngine {
  #address;
  #socket = null;
  #waiting = new Map(); // by id: {resolve, reject, since}
  #next = 1;
  #isOpen = false; // the server has answered hello
  #role = "spectator";
  #isStopped = true;
  #attempts = 0;
  #timer;
  #watchdog;
  #heard = 0; // time of the last message
  #asked = 0; // time at which a quiet server was asked; 0: it is not
  #isBusy = false; // onBusy was told so
  #watched = { curves: false, scene_units: true };
  #news = {}; // what has arrived since the last frame: {diagnostics, status, overlay}
  #reported = 0; // step of the run at the last frame
  #overlay = { asked: "", isDue: false, isAction: false, isAsked: false, at: -Infinity };
  /** @type {(share: number) => void} */
  onLoading = () => {};
  /** @type {(share: number) => void} */
  onOpening = () => {};
  /** @type {(push: any) => void} */
  onPush = () => {}; // {push: "playing" | "mark" | "allowed" | "people" | "lesson" | "answers" | "end", ...}
  /** @type {(state: { isLost: boolean, attempts: number, reason?: string, hello?: any }) => void} */
  onConnection = () => {}; // `reason`: the server's, if it has ended the connection. `hello`: its own, after a return
  /** @type {(isBusy: boolean) => void} */
  onBusy = () => {}; // the server answers late: a step takes long
  threadsFailed = false;

  // `address`: of the WebSocket, by default that of the server of this page.
  constructor(address = `${location.origin.replace(/^http/, "ws")}/run`, video = new Video()) {
    this.#address = address;
    this.video = video;
    video.onWay = (way) => this.#isOpen && this.call("watch", { video: way }).catch(() => {});
  }

  // Connects. Throws RequestError if that fails. Returns the server's hello, with what the engine of a page returns.
  async start() {
    this.#isStopped = false;
    await this.video.choose();
    const hello = await this.#connect();
    clearInterval(this.#watchdog);
    this.#watchdog = setInterval(() => this.#checkQuiet(), quietTime / 2);
    return { version: hello.catalog?.version, threads: hello.catalog?.compute?.threads ?? 1, ...hello };
  }

  get isRunning() {
    return !this.#isStopped;
  }
  // The server's steps are not this page's to cancel, and a lost connection is reported by itself.
  get busyFor() {
    return 0;
  }
  get silent() {
    return false;
  }

  stop() {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    clearInterval(this.#watchdog);
    this.#drop();
    this.video.stop();
  }

  // (A hidden page decodes nothing.)
  hide(hidden) {
    this.video.hide(hidden);
    if (!hidden) this.connectNow();
  }

  // The page is left. A browser that keeps it for the way back would keep the connection, too, and read nothing from it.
  leave() {
    if (this.#socket) this.#closed(this.#socket);
  }

  /** @param {any} request */
  call(name, request = {}) {
    if (name === "frame") return Promise.resolve(this.#frame(request));
    if (name === "camera") return moveCamera((one, args) => this.call(one, args), request);
    const refusal = refusalOf(name, this.#role);
    if (refusal) return Promise.reject(new RequestError(refusal, "input"));
    if (!this.#isOpen) return Promise.reject(this.#lost());
    return this.#send(name, request);
  }

  // ---- connection

  #lost() {
    return new RequestError(() => tr("The connection to the shared run was lost."), "stopped");
  }

  // Resolves to the server's hello.
  #connect() {
    this.#drop();
    this.video.restart();
    return new Promise((resolve, reject) => {
      const socket = this.#socket = new WebSocket(this.#address);
      socket.binaryType = "arraybuffer";
      const fail = (error, reason = "") => {
        clearTimeout(limit);
        reject(error);
        this.#closed(socket, reason);
      };
      const noAnswer = () => new RequestError(() =>
        tr("The shared run does not answer. Join again with the link and the code."), "error");
      const limit = setTimeout(() => fail(noAnswer()), helloTime);
      socket.onopen = () => {
        if (socket !== this.#socket) return;
        this.#send("hello", { video: this.video.way, ...this.#watched }).then((hello) => {
          clearTimeout(limit);
          this.#isOpen = true;
          this.#attempts = 0;
          this.#role = hello.role;
          if (hello.status) this.#take({ status: hello.status });
          resolve(hello);
        }, fail);
      };
      socket.onmessage = ({ data }) => socket === this.#socket && this.#receive(data);
      socket.onclose = ({ reason }) => fail(reason ? new RequestError(reason, "error", reason) : noAnswer(), reason);
    });
  }

  // Forgets the connection, and rejects the calls that wait.
  #drop() {
    const socket = this.#socket;
    this.#socket = null;
    this.#isOpen = false;
    this.#asked = 0;
    this.#isBusy = false;
    this.#overlay.isAsked = false;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const one of waiting) one.reject(this.#lost());
    socket?.close();
  }

  #closed(socket, reason = "") {
    if (socket !== this.#socket) return;
    const wasOpen = this.#isOpen;
    this.#drop();
    // A first connection that fails is reported by start().
    if (this.#isStopped || (!wasOpen && this.#attempts === 0)) return;
    this.onConnection({ isLost: true, attempts: this.#attempts, reason });
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.connectNow(), delayOf(this.#attempts));
    this.#attempts += 1;
  }

  // Tries again at once if the connection is lost.
  connectNow() {
    if (this.#isStopped || this.#socket || this.#attempts === 0) return;
    clearTimeout(this.#timer);
    this.#connect().then((hello) => {
      this.onConnection({ isLost: false, attempts: 0, hello });
    }, () => {}); // (tried again)
  }

  // A network that went away without a word closes no connection.
  #checkQuiet() {
    const now = performance.now();
    if (!this.#isOpen) return;
    if (this.#asked && now - this.#asked > quietTime) return this.#closed(this.#socket);
    if (this.#asked || now - this.#heard < quietTime) return;
    this.#asked = now;
    this.#send("locate", { x: 0, y: 0, width: 1, height: 1 }).catch(() => {}); // (the shortest answer)
  }

  // ---- messages

  #send(name, request) {
    const id = this.#next++, text = JSON.stringify({ id, call: name, with: request });
    if (new TextEncoder().encode(text).length > maxBytes) return Promise.reject(new RequestError(() =>
      tr("Cannot send this to the shared run: it is too long. Open it on the computer that shares the run."), "input"));
    return new Promise((resolve, reject) => {
      this.#socket.send(text);
      this.#waiting.set(id, { resolve, reject, since: performance.now() });
    });
  }

  #receive(data) {
    this.#heard = performance.now();
    this.#asked = 0;
    if (typeof data !== "string") return this.video.take(data);
    const message = JSON.parse(data);
    if (message.push === "numbers") return this.#take(message);
    if (message.push === "end") return this.#end(message);
    if (message.push) return this.onPush(message);
    const one = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.error !== undefined)
      return one?.reject(new RequestError(message.message ?? message.error, message.kind ?? "error", message.error));
    if (hasStatus(message.result)) {
      // What was pushed before is older than the status that the caller takes.
      delete this.#news.status;
      this.#overlay.isDue = this.#overlay.isAction = true;
    }
    one?.resolve(message.result);
  }

  /** @param {{ diagnostics?: any, status?: any }} news */
  #take({ diagnostics, status }) {
    if (diagnostics) this.#news.diagnostics = diagnostics;
    if (status) this.#news.status = status;
    this.#overlay.isDue = true;
  }

  // The server ends, or has removed this page.
  #end(push) {
    this.stop();
    this.onPush(push);
  }

  // ---- frames

  #reportBusy() {
    const [oldest] = this.#waiting.values();
    const isBusy = this.#isOpen && oldest !== undefined && performance.now() - oldest.since > busyTime;
    if (isBusy === this.#isBusy) return;
    this.#isBusy = isBusy;
    this.onBusy(isBusy);
  }

  #frame({ diagnostics, overlay }) {
    this.#reportBusy();
    if (diagnostics) this.#watch(diagnostics);
    if (overlay?.width > 0 && overlay.height > 0) this.#wantOverlay(overlay);
    const news = this.#news, { step } = this.video;
    this.#news = {};
    const picture = this.video.newest();
    let steps = 0;
    if (picture) {
      steps = this.#reported > 0 ? Math.max(0, step - this.#reported) : 0; // (fewer after an undo)
      this.#reported = step;
    }
    return { ...news, steps, stepping: 0, painting: 0, picture };
  }

  // Tells the server what the page shows, and reads it at once: a paused run sends no numbers by itself.
  #watch({ curves, scene_units: sceneUnits }) {
    const now = { curves, scene_units: sceneUnits };
    if (!this.#isOpen || (now.curves === this.#watched.curves && now.scene_units === this.#watched.scene_units)) return;
    this.#watched = now;
    this.#send("watch", now).catch(() => {});
    this.#send("look", now).then((answer) => this.#take({ diagnostics: answer }), () => {});
  }

  // Asks for the marks over the view where they may have changed. They come with a later frame.
  #wantOverlay(wanted) {
    const overlay = this.#overlay, key = JSON.stringify(wanted), now = performance.now();
    if (key !== overlay.asked) overlay.isDue = true;
    const interval = overlay.isAction ? actionInterval : overlayInterval;
    if (!this.#isOpen || !overlay.isDue || overlay.isAsked || now - overlay.at < interval) return;
    Object.assign(overlay, { asked: key, isDue: false, isAction: false, isAsked: true, at: now });
    const socket = this.#socket;
    this.#send("overlay", wanted).then((answer) => {
      this.#news.overlay = { ...answer, width: wanted.width, height: wanted.height };
    }, () => {}).finally(() => socket === this.#socket && (overlay.isAsked = false));
  }
}

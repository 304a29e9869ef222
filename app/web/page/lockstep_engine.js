// A served run that every page computes for itself ("perturb serve --lockstep"): what people do goes to the server, which
// puts it into one order and sets the clock. Each page executes the same entries in the same order in its own engine, so
// that the states are equal to the bit. A page that is too slow shows the pictures of the teacher's page instead.
import { moveCamera } from "./camera_move.js";
import { EngineClient, RequestError } from "./engine_client.js";
import { tr } from "./i18n.js";

// Calls that all engines execute (is_shared_call in engine.cpp), and those of the server.
const sharedCalls = new Set(["open", "view", "gesture", "act", "drag_object", "set", "restart", "place"]);
const serverCalls = new Set(["playback", "people", "allow", "remove", "names"]);
const refusedCalls = new Set(["undo", "redo", "return_to_step", "restore_last_good", "find_remedy", "apply_remedy", "count",
  "kernel", "load_state", "use_image", "add_colors", "sing", "lesson_open", "verify"]);
const whyRefused = () =>
  tr("Cannot do this here: every device computes this run, and all must do the same. Open the scene in your own page.");

const spread = 0.08; // seconds over which steps that have arrived are taken, so that the picture moves evenly
const ackInterval = 200, idleInterval = 250; // milliseconds
const catchUpTime = 100; // milliseconds of steps in a frame of a page that is behind
const mostBehind = 4, mostSlow = 10; // seconds behind the clock, and for how long: then the device is too slow
const pictureInterval = 200, pictureSide = 640; // of the pictures for others: milliseconds, pixels
const chunk = 45000; // characters of a message; the server takes 64 KiB
const chunksPerSecond = 100;

const base64Of = async (bytes) => {
  const url = await new Promise((done) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result);
    reader.readAsDataURL(new Blob([bytes]));
  });
  return url.slice(url.indexOf(",") + 1);
};
// (The page's policy forbids addresses with data.)
const bytesOf = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

// A state and the view of all, which is not part of it, as one block of bytes.
export function packState(bytes, view) {
  const head = new TextEncoder().encode(JSON.stringify(view)), all = new Uint8Array(4 + head.length + bytes.length);
  new DataView(all.buffer).setUint32(0, head.length, true);
  all.set(head, 4);
  all.set(bytes, 4 + head.length);
  return all;
}
export function unpackState(all) {
  const length = new DataView(all.buffer, all.byteOffset).getUint32(0, true);
  return { view: JSON.parse(new TextDecoder().decode(all.subarray(4, 4 + length))), bytes: all.slice(4 + length) };
}

// How many of the steps in the queue are due after `seconds` since the last time: all of them would make the picture
// jump each time some arrive.
export const stepsDue = (waiting, seconds) => Math.min(waiting, Math.ceil(waiting * Math.min(1, seconds / spread)));

export class LockstepEngine {
  #link; // RemoteEngine
  #own; // EngineClient
  #queue = [];
  #results = new Map(); // of this page's entries, by number: {resolve, reject}
  #people = new Set(); // whose calls the engine has executed
  #hello = null;
  #hasRun = false;
  #isAside = false; // the engine has another run, to find out what to open
  #busy = Promise.resolve();
  #last = 0; // time of the last work
  #done = 0; // number of the last entry that was executed
  #acked = 0; // time of the last report
  #news = {};
  #stepsPerFrame = 1;
  #slowSince = 0;
  #shows = false; // pictures of the teacher's page
  #picture = null;
  #sendsPictures = false;
  #sentPicture = 0;
  #canvas;
  /** @type {(push: any) => void} */
  onPush = () => {};
  /** @type {(state: any) => void} */
  onConnection = () => {};

  // `link`: a RemoteEngine that is connected. `canvas`: returns the canvas of the view.
  constructor(link, base, canvas) {
    this.#link = link;
    this.#canvas = canvas;
    this.onPush = link.onPush;
    this.onConnection = link.onConnection;
    link.onPush = (push) => this.#take(push);
    link.onConnection = (state) => this.#connected(state);
    this.#own = new EngineClient(base, () => this.#ownDied());
  }

  // Starts the page's engine, and waits for the run. `hello`: the server's; it gets what that of an engine has.
  async start(hello, onLoading) {
    this.#own.onLoading = onLoading;
    const starting = this.#own.start();
    this.#takeHello(hello);
    const loaded = await starting;
    hello.catalog = loaded.catalog;
    hello.threads = loaded.threads;
    this.#timer = setInterval(() => performance.now() - this.#last > idleInterval && this.#work({}), idleInterval);
    hello.status = await new Promise((done) => (this.#begun = done));
    this.#begun = null;
  }
  #timer;
  #begun; // called with the first status

  get isRunning() {
    return this.#link.isRunning;
  }
  get busyFor() {
    return 0;
  }
  get silent() {
    return this.#own.silent;
  }
  get threadsFailed() {
    return this.#own.threadsFailed;
  }
  hide(hidden) {
    if (!hidden) this.connectNow();
  }
  connectNow() {
    this.#link.connectNow();
  }
  stop() {
    clearInterval(this.#timer);
    this.#link.stop();
    this.#own.stop();
  }

  /** @param {any} request */
  call(name, request = {}, transfer = [], spent = undefined) {
    if (name === "frame") return this.#frame(request, spent);
    if (name === "camera") return moveCamera((one, args) => this.call(one, args), request);
    if (serverCalls.has(name)) return this.#link.call(name, request);
    if (refusedCalls.has(name)) return Promise.reject(new RequestError(whyRefused, "input"));
    if (name === "open") return this.#open(request);
    // (An empty change of the view asks for the status.)
    if (sharedCalls.has(name) && (name !== "view" || Object.keys(request).length > 0)) return this.#order(name, request);
    return this.#own.call(name, request, transfer, spent);
  }

  // ---- entries

  #order(name, request) {
    return this.#link.call("order", { call: name, with: request }).then(({ n }) => {
      if (this.#shows) return { actions: [], inside: true };
      return new Promise((resolve, reject) => this.#results.set(n, { resolve, reject }));
    });
  }

  // Everybody opens what this machine would open: the same variant, with as many fibers.
  async #open(request) {
    if (request.lighter || request.live_count) {
      await this.#alone(async () => {
        this.#isAside = true;
        await this.#own.call("open", request);
        request = { ...(await this.#own.call("scene")), ...(request.kernel && { kernel: request.kernel }) };
      });
    }
    const status = await this.#order("open", request);
    await this.#link.call("playback", { steps_per_frame: status.steps_per_frame || 16, playing: true });
    return status;
  }

  // Runs `work` while no entry is executed.
  #alone(work) {
    const all = this.#busy.then(work);
    this.#busy = all.catch(() => {});
    return all;
  }

  #take(push) {
    if (["steps", "do", "checksum", "state", "begin"].includes(push.push)) {
      if (!this.#shows) this.#queue.push(push);
    } else if (push.push === "differs") {
      this.#showPictures(() => tr("This device computes other numbers than the teacher's, so it shows the teacher's pictures."));
    } else if (push.push === "show") {
      this.#sendsPictures = push.wanted;
    } else if (push.push === "picture") {
      this.#takePicture(push);
    } else {
      if (push.push === "playing") this.#stepsPerFrame = push.steps_per_frame;
      this.onPush(push);
    }
  }

  // Another run is open.
  #takeRun(status) {
    this.#hasRun = true;
    this.#isAside = false;
    if (this.#begun) this.#begun(status);
    else this.onPush({ push: "status", status });
  }

  #takeHello(hello) {
    this.#hello = hello;
    this.#stepsPerFrame = hello.speed.steps_per_frame;
    this.onPush({ push: "waits", waits: hello.waits && hello.role !== "teacher" });
  }

  #connected(state) {
    if (state.isLost) {
      for (const { reject } of this.#results.values())
        reject(new RequestError(() => tr("The connection to the shared run was lost."), "stopped"));
      this.#results.clear();
      this.#queue = [];
    }
    if (state.hello) {
      state.hello.catalog ??= this.#hello.catalog;
      this.#takeHello(state.hello);
      if (this.#shows) this.#link.call("pictures", { wanted: true }).catch(() => {});
    }
    this.onConnection(state);
  }

  // The engine of this page has died, for example for lack of memory.
  #ownDied() {
    this.#hasRun = false;
    this.#showPictures(() => tr("This device cannot compute the run, so it shows the pictures of the teacher's page."));
  }

  // An entry that this device cannot execute: it is no longer where the others are.
  #cannot(error) {
    if (error.kind !== "stopped")
      this.#showPictures(() => tr("This device cannot compute the run, so it shows the pictures of the teacher's page."));
  }

  get #behind() { // seconds
    let steps = 0;
    for (const entry of this.#queue) steps += entry.count ?? 0;
    return steps / (60 * this.#stepsPerFrame);
  }

  // Executes what is due. Returns the number of steps and the seconds that they took.
  async #work({ milliseconds = idleInterval }) {
    const taken = { steps: 0, stepping: 0 };
    if (this.#shows || !this.#queue.length) {
      this.#last = performance.now();
      return taken;
    }
    await this.#alone(async () => {
      const now = performance.now(), behind = this.#behind, isBehind = behind > 1;
      let waiting = 0;
      for (const entry of this.#queue) waiting += entry.count ?? 0;
      let due = isBehind ? waiting : stepsDue(waiting, (now - this.#last) / 1000);
      let time = isBehind ? Math.max(catchUpTime, milliseconds) : milliseconds;
      this.#last = now;
      while (this.#queue.length && !this.#shows) {
        const entry = this.#queue[0];
        if (entry.push === "steps") {
          if (due <= 0 || time <= 0) break;
          const wanted = Math.min(due, entry.count);
          if (this.#isAside || !this.#hasRun) {
            entry.count = 0;
          } else {
            const { steps, seconds } = await this.#own.call("advance", { steps: wanted, milliseconds: time });
            taken.steps += steps;
            taken.stepping += seconds;
            time -= 1000 * seconds;
            due -= steps;
            // A run that has stopped takes none: nobody's does.
            entry.count = steps === 0 ? 0 : entry.count - steps;
          }
          if (entry.count > 0) continue;
        } else {
          await this.#execute(entry).catch((error) => this.#cannot(error));
        }
        this.#queue.shift();
        if (entry.n) this.#done = entry.n;
      }
      this.#watchSlowness(behind);
    });
    if (performance.now() - this.#acked > ackInterval && this.#done) {
      this.#acked = performance.now();
      this.#link.call("done", { n: this.#done }).catch(() => {});
    }
    return taken;
  }

  async #execute(entry) {
    if (entry.push === "begin") return this.#begin(entry);
    if (this.#isAside && entry.call !== "open") return;
    if (entry.push === "do") return this.#do(entry);
    if (!this.#hasRun) return;
    if (entry.push === "checksum") {
      const { sum } = await this.#own.call("checksum");
      this.#link.call("done", { n: entry.n, sum }).catch(() => {});
    } else {
      await this.#forgetPeople();
      if (this.#hello.role === "teacher") await this.#sendState(entry.n);
    }
  }

  async #do({ n, push, ...call }) {
    const { name = "", ...entry } = call, mine = this.#results.get(n);
    this.#results.delete(n);
    if (entry.call === "leave") {
      this.#people.delete(entry.person);
      return this.#own.call("for_person", { person: entry.person, call: "leave" });
    }
    try {
      if (entry.call === "open") await this.#forgetPeople();
      this.#people.add(entry.person);
      const result = await this.#own.call("for_person", entry);
      if (entry.call === "open") this.#takeRun(result);
      this.#news.wantsStatus = true;
      if (entry.call === "gesture" && entry.with.phase === "press" && result.inside) await this.#mark(entry, name);
      mine?.resolve(result);
    } catch (error) {
      if (entry.call === "open") this.#isAside = false;
      mine?.reject(error);
    }
  }

  /** @param {any} entry */
  async #mark({ person, with: { x, y, width, height } }, name) {
    const place = await this.#own.call("locate", { x, y, width, height });
    this.onPush({ push: "mark", x: place.x, y: place.y, color: person, name });
  }

  async #forgetPeople() {
    for (const person of this.#people) await this.#own.call("for_person", { person, call: "leave" });
    this.#people.clear();
  }

  // From a state of the teacher's page, or from the beginning.
  async #begin({ n, state, entries }) {
    this.#hasRun = this.#isAside = false;
    this.#done = n;
    this.#people.clear();
    if (state) {
      const answer = await (await fetch("/state", { cache: "no-store" })).json();
      const { view, bytes } = unpackState(bytesOf(answer.data));
      await this.#own.call("load_state", { bytes: bytes.buffer });
      this.#takeRun(await this.#own.call("view", view));
      this.#done = answer.n;
      this.#queue = this.#queue.filter((one) => one.push === "begin" || one.n > answer.n);
    } else if (n === 0 && entries === 0 && this.#hello.role === "teacher") {
      const { scene } = this.#hello;
      this.#open({ scene, lighter: true, live_count: true }).catch((error) => this.onPush({ push: "note", error }));
    }
  }

  async #sendState(n) {
    const [{ bytes }, { view }] = [await this.#own.call("save"), await this.#own.call("view", {})];
    const data = await base64Of(packState(new Uint8Array(bytes), view)), of = Math.ceil(data.length / chunk);
    const send = async () => {
      for (let part = 0; part < of; ++part) {
        // (Another teacher's page may be the one that the server asks.)
        await this.#link.call("state_part", { n, part, of, data: data.slice(part * chunk, (part + 1) * chunk) });
        await new Promise((done) => setTimeout(done, 1000 / chunksPerSecond));
      }
    };
    send().catch(() => {}); // the run goes on meanwhile
  }

  // ---- pictures

  #watchSlowness(behind) {
    const now = performance.now();
    if (behind < mostBehind) this.#slowSince = 0;
    else if (!this.#slowSince) this.#slowSince = now;
    else if (now - this.#slowSince > 1000 * mostSlow && this.#hello.role !== "teacher")
      this.#showPictures(() => tr("This device is too slow for this run, so it shows the pictures of the teacher's page."));
  }

  #showPictures(text) {
    if (this.#shows) return;
    this.#shows = true;
    this.#queue = [];
    for (const { resolve } of this.#results.values()) resolve({ actions: [], inside: true });
    this.#results.clear();
    this.#link.call("pictures", { wanted: true }).catch(() => {});
    this.onPush({ push: "note", text });
  }

  async #takePicture({ jpeg, width, height }) {
    if (!this.#shows) return;
    const source = await createImageBitmap(new Blob([bytesOf(jpeg)], { type: "image/jpeg" }));
    this.#picture?.close();
    this.#picture = { source, width, height, close: () => source.close() };
  }

  async #sendPicture() {
    const now = performance.now();
    if (!this.#sendsPictures || now - this.#sentPicture < pictureInterval) return;
    this.#sentPicture = now;
    const view = this.#canvas(), scale = Math.min(1, pictureSide / Math.max(view.width, view.height));
    const small = document.createElement("canvas");
    small.width = Math.max(1, Math.round(view.width * scale));
    small.height = Math.max(1, Math.round(view.height * scale));
    small.getContext("2d").drawImage(view, 0, 0, small.width, small.height);
    for (const quality of [0.7, 0.4, 0.15]) {
      const jpeg = await base64Of(await new Promise((done) => small.toBlob(done, "image/jpeg", quality)));
      if (jpeg.length > chunk) continue;
      await this.#link.call("picture", { jpeg, width: small.width, height: small.height, step: this.#done });
      return;
    }
  }

  // ---- frames

  async #frame(request, spent) {
    const taken = await this.#work({ milliseconds: request.milliseconds });
    if (this.#shows) {
      const picture = this.#picture;
      this.#picture = null;
      return { ...taken, painting: 0, picture };
    }
    if (!this.#hasRun || this.#isAside) return { ...taken, painting: 0 };
    this.#sendPicture().catch(() => {});
    const { wantsStatus } = this.#news;
    this.#news = {};
    const answer = await this.#own.call("frame", { ...request, steps: 0, status: request.status || wantsStatus }, [], spent);
    return { ...answer, ...taken };
  }
}

// The engine: WebAssembly behind calls in JSON. For a worker of a page and for node.
//
//   const engine = await loadEngine({ base, threads });
//   engine.call("open", { scene: "wave/rain" });   // throws EngineError: .message a sentence, .kind "input" or "error"
//   engine.paint(512, 512);                        // RGBA, the top row first; valid until the next call
//   await engine.learn("de");                      // so that engine.call("translate", ...) knows German
//   engine.save();                                 // bytes; engine.load(bytes) takes them back
//
// `base`: where the files of the engine lie, a URL that ends in "/". `threads`: 0 for as many as this machine has, 1 for
// none beside this one. More than one are there only where the page is isolated from other pages (or in node).

export class EngineError extends Error {
  constructor(message, kind) {
    super(message);
    this.name = "EngineError";
    this.kind = kind;
  }
}

const isNode = typeof process === "object" && typeof process.versions?.node === "string" && typeof window === "undefined";

// The smallest modules that use vectors of 128 bits, and exceptions.
const vectors = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11];
const exceptions = [0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 10, 8, 1, 6, 0, 6, 64, 25, 11, 11];

function requireWebAssembly() {
  const remedy = "Use a newer browser: Chrome or Edge 103, Firefox 114, Safari 16.4 or later.";
  if (typeof WebAssembly !== "object") throw new EngineError(`This browser has no WebAssembly, or it is switched off. ${remedy}`, "error");
  if (!WebAssembly.validate(new Uint8Array(vectors)))
    throw new EngineError(`This browser's WebAssembly has no vectors (SIMD). ${remedy}`, "error");
  if (!WebAssembly.validate(new Uint8Array(exceptions)))
    throw new EngineError(`This browser's WebAssembly has no exceptions. ${remedy}`, "error");
}

// What the modules look for in node, which are written for its older kind of modules.
async function settleInNode() {
  const { createRequire } = await import("node:module");
  const { fileURLToPath } = await import("node:url");
  globalThis.require ??= createRequire(import.meta.url);
  globalThis.__dirname ??= fileURLToPath(new URL(".", import.meta.url));
  return async (url) => {
    const fs = await import("node:fs");
    const path = await import("node:path");
    const os = await import("node:os");
    const copy = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "perturb-")), "worker.cjs");
    fs.copyFileSync(fileURLToPath(url), copy);
    process.on("exit", () => fs.rmSync(path.dirname(copy), { recursive: true, force: true }));
    return copy;
  };
}

// Bytes of each program, filled in when the page's folder is made: a host that packs files does not say.
const sizes = {};

// Instantiates a program while it comes, and reports which share of it has come. What a browser has compiled it keeps with
// the response itself: so a copy is counted.
async function instantiate(url, imports, onProgress) {
  const response = await fetch(url, { priority: "high" });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
  const all = sizes[new URL(url).pathname.split("/").at(-1)] ?? Number(response.headers.get("Content-Length"));
  const reader = response.clone().body.getReader();
  (async () => {
    for (let received = 0; ;) {
      const { value, done } = await reader.read();
      if (done) return onProgress(1);
      received += value.length;
      if (all > 0) onProgress(Math.min(1, received / all));
    }
  })().catch(() => {}); // where the download fails, the instantiation says so
  try {
    return await WebAssembly.instantiateStreaming(response, imports);
  } catch {
    // Hosts that do not know the file's type.
    return WebAssembly.instantiate(await (await fetch(url)).arrayBuffer(), imports);
  }
}

// `onProgress`: called with the share of the program that has come, 0 to 1. `onOpening`: with the share of a scene's
// strokes that are drawn, while it opens.
export async function loadEngine({ base = new URL(".", import.meta.url).href, threads = 0, onProgress, onOpening } = {}) {
  requireWebAssembly();
  const available = isNode ? (await import("node:os")).availableParallelism() : navigator.hardwareConcurrency || 1;
  const wanted = Math.max(1, Math.min(threads || available, 16));
  const isolated = isNode || globalThis.crossOriginIsolated === true;
  const count = isolated && typeof SharedArrayBuffer === "function" ? wanted : 1;
  const name = count > 1 ? "perturb-threads" : "perturb";
  const at = (file) => new URL(file, base).href;

  const settings = { workers: count - 1, print: () => {}, mainScriptUrlOrBlob: at(`${name}.js`) };
  let worker = at(`${name}.worker.js`);
  let local = (url) => url;
  if (isNode) {
    const copyOf = await settleInNode();
    local = (await import("node:url")).fileURLToPath;
    // Its fetch takes no path of a file.
    settings.wasmBinary = (await import("node:fs")).readFileSync(local(at(`${name}.wasm`)));
    if (count > 1) worker = await copyOf(worker);
  }
  settings.locateFile = (file) => (file.endsWith(".worker.js") ? worker : local(at(file)));
  let aborted = "";
  settings.onAbort = (why) => (aborted = String(why));

  settings.showProgress = (share) => onOpening?.(share);
  let failure = new Promise(() => {});
  if (onProgress)
    failure = new Promise((_, fail) => {
      settings.instantiateWasm = (imports, take) => {
        instantiate(local(at(`${name}.wasm`)), imports, onProgress)
          .then(({ instance, module: compiled }) => take(instance, compiled)).catch(fail);
        return {};
      };
    });

  let module;
  try {
    const { default: create } = await import(at(`${name}.js`));
    module = await Promise.race([create(settings), failure]);
  } catch (error) {
    throw new EngineError(`The engine did not start (${aborted || error.message || error}). Load the page again; close other tabs if memory is short.`, "error");
  }
  const textsOf = async (language) => {
    const url = at(`languages/${language}.po`);
    if (isNode) return (await import("node:fs")).readFileSync(local(url), "utf8");
    const answer = await fetch(url);
    if (!answer.ok) throw new EngineError(`The texts of the language "${language}" did not come. Load the page again.`, "error");
    return answer.text();
  };
  return new Engine(module, count, textsOf);
}

class Engine {
  #module;
  #textsOf;
  #learnt = new Set(["en"]);

  constructor(module, threads, textsOf) {
    this.#module = module;
    this.#textsOf = textsOf;
    this.threads = threads;
    const why = this.#text(module._perturb_begin(threads));
    if (why) throw new EngineError(why, "error");
  }

  #text(pointer) {
    return this.#module.UTF8ToString(pointer);
  }

  call(name, request = {}) {
    const module = this.#module;
    const text = JSON.stringify({ call: name, with: request });
    const size = module.lengthBytesUTF8(text) + 1;
    const place = module._malloc(size);
    if (!place) throw new EngineError("There is not enough memory: close other tabs.", "error");
    let answer;
    try {
      module.stringToUTF8(text, place, size);
      answer = JSON.parse(this.#text(module._perturb_call(place)));
    } finally {
      module._free(place);
    }
    if (answer.error !== undefined) throw new EngineError(answer.error, answer.kind);
    return answer;
  }

  // The texts of a language are a file of their own: to be awaited before the first call of "translate" into it.
  async learn(language) {
    if (this.#learnt.has(language) || !this.call("catalog").languages.some((one) => one.id === language)) return;
    const texts = await this.#textsOf(language);
    if (this.#learnt.has(language)) return;
    this.call("add_texts", { language, texts });
    this.#learnt.add(language);
  }

  paint(width, height) {
    const place = this.#module._perturb_paint(width, height);
    if (!place) throw new EngineError(this.#text(this.#module._perturb_error()), "input");
    return new Uint8ClampedArray(this.#module.HEAPU8.buffer, place, 4 * width * height);
  }

  // Ends its threads; the engine is of no use then.
  close() {
    this.#module.PThread?.terminateAllThreads();
  }

  save() {
    const { bytes, name } = this.call("save");
    this.savedName = name;
    const place = this.#module._perturb_bytes();
    return this.#module.HEAPU8.slice(place, place + bytes);
  }

  load(bytes) {
    const place = this.#module._perturb_take_bytes(bytes.length);
    if (!place) throw new EngineError("There is not enough memory for this file: close other tabs.", "error");
    this.#module.HEAPU8.set(bytes, place);
    return this.call("load");
  }
}

// The engine: WebAssembly behind calls in JSON, for a worker of a page and for node.
//
//   const engine = await loadEngine({ base, threads });
//   engine.call("open", { scene: "wave/rain" });   // throws EngineError
//   engine.paint(512, 512);                        // RGBA, the top row first; valid until the next call
//   await engine.learn("de");                      // loads German, for engine.call("translate", ...)
//   engine.save();                                 // returns bytes; engine.load(bytes) restores them
//
// `base`: the folder of the engine's files, a URL that ends in "/". `threads`: 0 for one per processor of this machine,
// 1 for the current thread only. More than one thread requires a page that is isolated from other pages (or node).

// `message`: in English. `kind`: "input" or "error". `said`: the message for translation (json_of in request.h).
export class EngineError extends Error {
  constructor(message, kind, said = message) {
    super(message);
    this.name = "EngineError";
    this.kind = kind;
    this.said = said;
  }
}
const engineError = ({ error, kind, message }) => new EngineError(error, kind, message);

const isNode = typeof process === "object" && typeof process.versions?.node === "string" &&
  typeof window === "undefined";

// The smallest modules that use vectors of 128 bits, and exceptions.
const vectors = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11];
const exceptions = [0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 10, 8, 1, 6, 0, 6, 64, 25, 11, 11];

function requireWebAssembly() {
  if (typeof WebAssembly !== "object")
    throw new EngineError("This browser has no WebAssembly, or it is switched off. Use Chrome or Edge 103, Firefox " +
      "114, Safari 16.4 or later.", "error");
  if (!WebAssembly.validate(new Uint8Array(vectors)))
    throw new EngineError("This browser lacks vector instructions (WebAssembly SIMD). Update it or use another " +
      "browser.", "error");
  if (!WebAssembly.validate(new Uint8Array(exceptions)))
    throw new EngineError("This browser lacks exceptions of WebAssembly. Update it or use another browser.", "error");
}

// Provides the globals that the generated code expects in node: it is written for node's older kind of modules
// (CommonJS).
async function setUpNode() {
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

// Size of each program in bytes, filled in when the page's folder is made: a host that compresses files does not report
// it.
const sizes = {};

// Instantiates a program while it downloads, and reports the fraction that has arrived. The browser caches compiled
// code with the response itself, so the bytes are counted on a copy of the response.
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
  })().catch(() => {}); // if the download fails, the instantiation reports it
  try {
    return await WebAssembly.instantiateStreaming(response, imports);
  } catch {
    // For hosts that send the wrong MIME type.
    return WebAssembly.instantiate(await (await fetch(url)).arrayBuffer(), imports);
  }
}

// `onProgress`: called with the fraction of the program that has arrived, 0 to 1. `onOpening`: called with the fraction
// of a scene's strokes that are drawn while it opens.
/** @typedef {(share: number) => void} OnShare */
/** @param {{ base?: string, threads?: number, onProgress?: OnShare, onOpening?: OnShare }} options */
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
    const copyOf = await setUpNode();
    local = (await import("node:url")).fileURLToPath;
    // The fetch of node takes no file path.
    const fs = await import("node:fs");
    settings.wasmBinary = fs.readFileSync(local(at(`${name}.wasm`)));
    // (Emscripten 3.1.58 and later need no script of their own for threads.)
    if (count > 1 && fs.existsSync(local(worker))) worker = await copyOf(worker);
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
    const why = aborted || error.message || String(error);
    throw new EngineError(`The engine's program does not start (${why}). Close other tabs if memory is short.`,
      "error", { text: "The engine's program does not start ({}). Close other tabs if memory is short.",
        arguments: [{ value: why }] });
  }
  const textsOf = async (language) => {
    const url = at(`languages/${language}.po`);
    if (isNode) return (await import("node:fs")).readFileSync(local(url), "utf8");
    const answer = await fetch(url);
    if (!answer.ok)
      throw new EngineError("Cannot load the texts of the language. Reload the page.", "error");
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
    if (why) throw engineError(JSON.parse(why));
  }

  #text(pointer) {
    return this.#module.UTF8ToString(pointer);
  }

  call(name, request = {}) {
    const module = this.#module;
    const text = JSON.stringify({ call: name, with: request });
    const size = module.lengthBytesUTF8(text) + 1;
    const address = module._malloc(size);
    if (!address) throw new EngineError("There is not enough memory. Close other tabs.", "error");
    let answer;
    try {
      module.stringToUTF8(text, address, size);
      answer = JSON.parse(this.#text(module._perturb_call(address)));
    } finally {
      module._free(address);
    }
    if (answer.error !== undefined) throw engineError(answer);
    return answer;
  }

  // Loads the texts of a language from their own file; await it before the first call of "translate" into that
  // language.
  async learn(language) {
    if (this.#learnt.has(language) || !this.call("catalog").languages.some((one) => one.id === language)) return;
    const texts = await this.#textsOf(language);
    if (this.#learnt.has(language)) return;
    this.call("add_texts", { language, texts });
    this.#learnt.add(language);
  }

  paint(width, height) {
    const address = this.#module._perturb_paint(width, height);
    if (!address) throw engineError(JSON.parse(this.#text(this.#module._perturb_error())));
    return new Uint8ClampedArray(this.#module.HEAPU8.buffer, address, 4 * width * height);
  }

  // The image as values of cells, for a shader (field_canvas.js); null if paint() must draw it. Its lists are buffers
  // from `bufferOf(bytes)`. `mostSide`: of the lists' cells.
  field(width, height, mostSide, bufferOf) {
    const { field } = this.call("field", { width, height, most_side: mostSide });
    if (!field) return null;
    for (const [name, { address, count }] of Object.entries(field.lists)) {
      const buffer = bufferOf(4 * count);
      new Uint8Array(buffer).set(this.#module.HEAPU8.subarray(address, address + 4 * count));
      field.lists[name] = buffer;
    }
    return field;
  }

  // Ends the engine's threads; the engine cannot be used afterwards.
  close() {
    this.#module.PThread?.terminateAllThreads();
  }

  save() {
    const { bytes, name } = this.call("save");
    this.savedName = name;
    const address = this.#module._perturb_bytes();
    return this.#module.HEAPU8.slice(address, address + bytes);
  }

  // Calls "load", or another call that takes bytes.
  load(bytes, name = "load", request = {}) {
    const address = this.#module._perturb_take_bytes(bytes.length);
    if (!address) throw new EngineError("There is not enough memory for this file. Close other tabs.", "error");
    this.#module.HEAPU8.set(bytes, address);
    return this.call(name, request);
  }
}

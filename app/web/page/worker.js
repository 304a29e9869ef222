// The engine's worker: the only module that calls WebAssembly. The page requests a frame (steps, an image, numbers),
// and the worker answers it before it reads the next message. So an action waits at most for the current frame, whose
// steps end when its time is over.
import { moveCamera } from "./camera_move.js";
import { loadEngine } from "./engine.js";

// The same as that of the page (engine_client.js).
const version = "none";

let engine = null;
const spare = []; // buffers of images that the page has shown
const mostSpare = 16; // two images as fields

function bufferOf(size) {
  const index = spare.findIndex((one) => one.byteLength === size);
  return index < 0 ? new ArrayBuffer(size) : spare.splice(index, 1)[0];
}

function imageOf(width, height) {
  const bytes = engine.paint(width, height);
  const buffer = bufferOf(width * height * 4);
  new Uint8ClampedArray(buffer).set(bytes);
  return buffer;
}

// `field_side`: the largest field that the page can draw itself; 0: none.
function takeFrame({ steps, milliseconds, width, height, field_side, diagnostics, status, overlay }) {
  const frame = { steps: 0, stepping: 0 };
  if (steps > 0) {
    const advanced = engine.call("advance", { steps, milliseconds });
    frame.steps = advanced.steps;
    frame.stepping = advanced.seconds;
  }
  if (diagnostics) {
    if (diagnostics.pixel) {
      const position = engine.call("locate", diagnostics.pixel);
      diagnostics.at = [position.x, position.y];
    }
    frame.diagnostics = engine.call("look", diagnostics);
  }
  if (status) frame.status = engine.call("view", {});
  if (overlay?.width > 0 && overlay.height > 0) frame.overlay = engine.call("overlay", overlay);
  if (width > 0 && height > 0) {
    const begun = performance.now();
    frame.field = field_side > 0 ? engine.field(width, height, field_side, bufferOf) : null;
    if (!frame.field) frame.image = imageOf(width, height);
    frame.painting = (performance.now() - begun) / 1000;
    frame.width = width;
    frame.height = height;
  }
  return frame;
}

const handlers = {
  load: async ({ base, threads }) => {
    engine = await loadEngine({ base, threads, onProgress: (share) => postMessage({ loaded: share }),
      onOpening: (share) => postMessage({ opening: share }) });
    return { version, threads: engine.threads, catalog: engine.call("catalog", {}) };
  },
  translate: async ({ language, texts }) => {
    await engine.learn(language);
    return engine.call("translate", { language, texts });
  },
  teacher_sheet: async (request) => {
    await engine.learn(request.language);
    return engine.call("teacher_sheet", request);
  },
  frame: takeFrame,
  camera: (change) => moveCamera((name, request) => engine.call(name, request), change),
  image: ({ width, height }) => ({ image: imageOf(width, height), width, height }),
  save: () => {
    const bytes = engine.save();
    return { bytes: bytes.slice().buffer };
  },
  // The page for paper has the texts of this language.
  lesson_sheet: async (request) => {
    await engine.learn(request.language);
    return engine.call("lesson_sheet", request);
  },
  load_state: ({ bytes }) => engine.load(new Uint8Array(bytes)),
  use_image: ({ bytes, ...request }) => engine.load(new Uint8Array(bytes), "use_image", request),
};

async function answer({ id, name, request, spent }) {
  if (spent) spare.push(...spent);
  if (spare.length > mostSpare) spare.splice(0, spare.length - mostSpare);
  try {
    const result = handlers[name] ? await handlers[name](request) : engine.call(name, request);
    const buffers = [result?.image, result?.bytes, ...Object.values(result?.field?.lists ?? {})].filter(Boolean);
    postMessage({ id, result }, /** @type {any} */ (buffers));
  } catch (error) {
    // After a trap or an abort the engine cannot be used; an EngineError is an ordinary error of a request.
    const isRequestError = error?.kind === "input" || error?.kind === "error";
    postMessage({ id, error: { message: String(error?.message ?? error), said: error?.said,
      kind: error?.kind ?? "fatal", dead: !isRequestError } });
  }
}

let last = Promise.resolve();
onmessage = ({ data }) => {
  last = last.then(() => answer(data));
};

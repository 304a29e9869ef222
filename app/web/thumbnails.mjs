// Makes the thumbnails of the scenes with the engine itself, and the tables of the gallery.
//
//   node app/web/thumbnails.mjs ENGINE    ENGINE: folder of the engine, in which thumbnails/ and catalog.json are made
//
// Thumbnails that are newer than the engine and the scene are kept. Of several times of a scene the one with most
// detail is chosen, as in the desktop program (app/browser/thumbnails.cpp); only the first ones if a scene is slow.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
import zlib from "node:zlib";

const width = 320;
const height = 200;
const moments = [10, 20, 40, 80, 160, 320]; // in frames
const stepsPerFrame = 16;
const seconds = 0.5; // of processor time per scene, at most
const atOnce = 100; // milliseconds per call, after which the number of steps is read
const longest = 60; // seconds after which a scene is cancelled

function png(pixels) {
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
    const bytes = Buffer.alloc(body.length + 8);
    bytes.writeUInt32BE(data.length, 0);
    body.copy(bytes, 4);
    bytes.writeUInt32BE(crc32(body), body.length + 4);
    return bytes;
  };
  // RGB; each row stores the difference to the pixel on its left, which compresses better.
  const rows = Buffer.alloc(height * (1 + 3 * width));
  for (let y = 0, at = 0; y < height; ++y) {
    rows[at++] = 1;
    for (let x = 0; x < width; ++x)
      for (let c = 0; c < 3; ++c) {
        const here = 4 * (y * width + x) + c;
        rows[at++] = (pixels[here] - (x > 0 ? pixels[here - 4] : 0)) & 255;
      }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", zlib.deflateSync(rows, { level: 9 })), chunk("IEND", Buffer.alloc(0))]);
}

const table = Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; ++k) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n >>> 0;
});
function crc32(bytes) {
  let value = 0xffffffff;
  for (const byte of bytes) value = table[(value ^ byte) & 255] ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}

// Amount of detail: differences between neighbours, such that a few large ones count no more than many small ones.
function detailOf(pixels) {
  const level = (x, y) => {
    const at = 4 * (y * width + x);
    return pixels[at] + pixels[at + 1] + pixels[at + 2];
  };
  let sum = 0;
  for (let y = 0; y + 2 < height; y += 2)
    for (let x = 0; x + 2 < width; x += 2) {
      const here = level(x, y);
      sum += Math.min(120, Math.abs(level(x + 2, y) - here)) + Math.min(120, Math.abs(level(x, y + 2) - here));
    }
  return sum;
}

// Processor time of this thread, so that a busy machine makes the same thumbnails; wall-clock time on systems other
// than Linux.
function processorSeconds() {
  try {
    const words = fs.readFileSync("/proc/thread-self/stat", "utf8").replace(/^.*\) /, "").split(" ");
    return (Number(words[11]) + Number(words[12])) / 100;
  } catch {
    return performance.now() / 1000;
  }
}

function pictureOf(engine, scene) {
  const { steps_per_frame } = engine.call("open", { scene });
  let best = null;
  let most = -1;
  const look = () => {
    const { automatic } = engine.call("status").view;
    if (automatic) engine.call("view", { automatic: false }), engine.call("view", { automatic: true }); // current range
    const pixels = engine.paint(width, height);
    const detail = detailOf(pixels);
    if (detail > most) [most, best] = [detail, pixels.slice()];
  };
  const begun = processorSeconds();
  look();
  let taken = 0;
  for (const moment of moments) {
    const steps = moment * (steps_per_frame || stepsPerFrame);
    while (taken < steps && processorSeconds() - begun < seconds) taken += engine.call("advance", { steps: steps - taken, milliseconds: atOnce }).steps;
    if (taken > 0) look();
    if (taken < steps) break;
  }
  return png(best);
}

async function open(folder) {
  const { loadEngine } = await import(pathToFileURL(path.join(folder, "engine.js")));
  return loadEngine({ base: pathToFileURL(folder + path.sep).href, threads: 1 });
}

if (isMainThread) {
  const folder = path.resolve(process.argv[2]);
  const to = path.join(folder, "thumbnails");
  const presets = fileURLToPath(new URL("../../assets/presets", import.meta.url));
  fs.mkdirSync(to, { recursive: true });
  const engine = await open(folder);
  const catalog = engine.call("catalog");
  fs.writeFileSync(path.join(folder, "catalog.json"), JSON.stringify(catalog));
  const scenes = catalog.simulations.flatMap((one) => one.presets.map((preset) => preset.scene));
  const time = (file) => fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const newest = time(path.join(folder, "perturb.wasm"));
  const file = (scene) => path.join(to, `${scene.replace("/", "-")}.png`);
  const wanted = scenes.filter((scene) => time(file(scene)) < Math.max(newest, time(path.join(presets, `${scene}.toml`))));
  for (const name of fs.readdirSync(to)) if (!scenes.some((scene) => path.basename(file(scene)) === name)) fs.rmSync(path.join(to, name));
  const queue = [...wanted];
  const work = () =>
    new Promise((resolve, reject) => {
      const worker = new Worker(fileURLToPath(import.meta.url), { workerData: { folder } });
      // A scene that takes too long to open gets no thumbnail, and a new worker makes the next ones.
      let late = null;
      const next = () => {
        clearTimeout(late);
        const scene = queue.shift() ?? null;
        if (scene !== null) late = setTimeout(() => worker.terminate(), 1000 * longest);
        worker.postMessage(scene);
      };
      worker.on("message", ({ scene, bytes }) => {
        if (scene) fs.writeFileSync(file(scene), bytes);
        next();
      });
      worker.on("error", reject);
      worker.on("exit", () => {
        clearTimeout(late);
        resolve(queue.length > 0 ? work() : undefined);
      });
    });
  await Promise.all(Array.from({ length: Math.min(os.availableParallelism(), wanted.length) }, work));
} else {
  const engine = await open(workerData.folder);
  parentPort.on("message", (scene) => {
    if (scene === null) return parentPort.close();
    parentPort.postMessage({ scene, bytes: pictureOf(engine, scene) });
  });
  parentPort.postMessage({});
}

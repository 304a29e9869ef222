// Makes the thumbnails of the scenes with the engine itself, and the tables of the gallery.
//
//   node app/web/thumbnails.mjs ENGINE    ENGINE: folder of the engine, in which thumbnails/ and catalog.json are made
//
// Thumbnails that are newer than the engine and the scene are kept. Of several times of a scene the one with most
// detail is chosen, as in the desktop program (app/browser/thumbnails.cpp); only the first ones if a scene is slow.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";

const width = 320;
const height = 200;
const moments = [10, 20, 40, 80, 160, 320]; // in frames
const stepsPerFrame = 16;
const seconds = 0.5; // of processor time per scene, at most
const atOnce = 100; // milliseconds per call, after which the number of steps is read
const longest = 60; // seconds after which a scene is cancelled

// The image as WebP, by the program cwebp, which reads a portable pixmap.
function webp(pixels) {
  const header = Buffer.from(`P6\n${width} ${height}\n255\n`, "latin1");
  const pixmap = Buffer.alloc(header.length + 3 * width * height);
  header.copy(pixmap);
  for (let from = 0, to = header.length; to < pixmap.length; from += 4)
    for (let c = 0; c < 3; ++c) pixmap[to++] = pixels[from + c];
  return execFileSync("cwebp", ["-quiet", "-q", "80", "-m", "6", "-o", "-", "--", "-"], { input: pixmap, maxBuffer: 1 << 24 });
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
    if (automatic) for (const on of [false, true]) engine.call("view", { automatic: on }); // current range
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
  return webp(best);
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
  const file = (scene) => path.join(to, `${scene.replace("/", "-")}.webp`);
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

// How fast the page's engine is beside the same engine as a program of this machine, and with two threads beside one.
//
//   node app/web/bench.mjs ENGINE NATIVE [SCENE] > docs/benchmarks/web-MACHINE.json
//
// ENGINE: build/wasm/engine. NATIVE: perturb_web_lines of a build with -DPERTURB_ARCH=x86-64-v2 (vectors of 128 bits, no
// fused multiplication). One thread is measured by the processor's time, for other programs may be running; two threads
// by the clock, which says nothing on a busy machine. The scenes are each simulation's
// first whose step takes no long time, or the one that is named.
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import readline from "node:readline";
import { pathToFileURL } from "node:url";

const folder = path.resolve(process.argv[2]);
const { loadEngine } = await import(pathToFileURL(path.join(folder, "engine.js")));
const base = pathToFileURL(folder + path.sep).href;
const milliseconds = 400; // of a round
const rounds = 7;
const only = process.argv[4]; // a scene, by its name

const program = spawn(process.argv[3], ["1"], { stdio: ["pipe", "pipe", "inherit"] });
const lines = readline.createInterface({ input: program.stdout })[Symbol.asyncIterator]();
const native = {
  async call(name, request) {
    program.stdin.write(JSON.stringify({ call: name, with: request }) + "\n");
    return JSON.parse((await lines.next()).value);
  },
  // Of the program: user and system, in ticks of 10 ms.
  seconds: () => {
    const words = fs.readFileSync(`/proc/${program.pid}/stat`, "utf8").replace(/^.*\) /, "").split(" ");
    return (Number(words[11]) + Number(words[12])) / 100;
  },
};
const here = (engine) => ({
  call: (name, request) => engine.call(name, request),
  seconds: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) * 1e-6;
  },
});
const clock = (engine) => ({ call: (name, request) => engine.call(name, request), seconds: () => performance.now() / 1000 });

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

// Steps a second of two sides, in turns so that a busy moment hits both, and the median of the rounds' ratios.
async function compare(sides, scene) {
  for (const side of sides) {
    await side.call("open", { scene });
    for (let k = 0; k < 3; ++k) await side.call("advance", { steps: 1e9, milliseconds }); // compiled, and the kernel chosen
  }
  const found = sides.map(() => []);
  for (let round = 0; round < rounds; ++round)
    for (const [k, side] of sides.entries()) {
      const begun = side.seconds();
      const { steps } = await side.call("advance", { steps: 1e9, milliseconds });
      found[k].push(steps / (side.seconds() - begun));
    }
  return { rates: found.map(median), ratio: median(found[0].map((rate, round) => rate / found[1][round])) };
}

// Of a simulation's scenes the first whose step takes no longer than that.
const longestStep = 0.25; // seconds
function sceneOf(simulation) {
  for (const { scene } of simulation.presets) {
    if (only && scene.split("/")[1] !== only && scene !== only) continue;
    one.call("open", { scene });
    one.call("advance", { steps: 1 });
    if (only || one.call("advance", { steps: 1 }).seconds < longestStep) return scene;
  }
  return null;
}

const one = await loadEngine({ base, threads: 1 });
const two = await loadEngine({ base, threads: 2 });
const rows = [];
for (const simulation of one.call("catalog").simulations) {
  const scene = sceneOf(simulation);
  if (!scene) continue;
  const beside = await compare([here(one), native], scene);
  const pair = await compare([clock(two), clock(one)], scene);
  rows.push({ scene, steps_per_second: beside.rates[0], native_steps_per_second: beside.rates[1], of_native: beside.ratio,
    two_threads_of_one: pair.ratio });
  console.error(JSON.stringify(rows.at(-1)));
}
const size = (name) => fs.statSync(path.join(folder, name)).size;
console.log(JSON.stringify({ program: "perturb", what: "web", device: os.cpus()[0].model, processors: os.availableParallelism(),
  load: os.loadavg()[0], node: process.versions.node, wasm_bytes: size("perturb.wasm"), rows }, null, 2));
two.close();
process.exit(0);

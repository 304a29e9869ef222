// Speed of the page's engine compared with the same engine as a native program, and of two threads compared with one.
//
//   node app/web/bench.mjs ENGINE NATIVE [SCENE] > docs/benchmarks/web-MACHINE.json
//
// ENGINE: build/wasm/engine. NATIVE: perturb_web_lines of a build with -DPERTURB_ARCH=x86-64-v2 (vectors of 128 bits,
// no fused multiplication). SCENE: only scenes whose names contain this text. One thread is measured in processor time,
// because other programs may be running. Two threads are measured in wall-clock time, compared with the native
// program's two. On a busy machine that number would mean nothing and is omitted (null).
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import readline from "node:readline";
import { pathToFileURL } from "node:url";

const folder = path.resolve(process.argv[2]);
const { loadEngine } = await import(pathToFileURL(path.join(folder, "engine.js")));
const base = pathToFileURL(folder + path.sep).href;
const milliseconds = 100; // between two checks of the time
const roundSeconds = 0.4; // wall-clock time for which each side is measured
const rounds = 7;
const only = process.argv[4] ?? "";

// Scenes whose every step computes, one of each simulation, and for the membrane both kinds of step: assembling the
// matrices again, and advancing the solution in time. (A scene that is pushed once and rests, or a mode once it is
// found, costs nothing more.) The cloud has fewer fibers than in its scene, so that a round holds several steps.
const scenes = [{ scene: "wave/droplet" }, { scene: "lbm/cylinder" }, { scene: "particles/gas" },
  { scene: "fibers/cloud", width: 100 }, { scene: "membrane/assembly" }, { scene: "membrane/struck" }]
  .filter(({ scene }) => scene.includes(only));

// Starts the native program: it reads a request per line and writes an answer per line.
function startNative(threads) {
  const program = spawn(process.argv[3], [String(threads)], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = readline.createInterface({ input: program.stdout })[Symbol.asyncIterator]();
  return {
    async call(name, request) {
      program.stdin.write(JSON.stringify({ call: name, with: request }) + "\n");
      const answer = JSON.parse((await lines.next()).value);
      if (answer.error !== undefined) throw new Error(answer.error);
      return answer;
    },
    // Processor time of the program, user and system, in ticks of 10 ms.
    seconds: () => {
      const words = fs.readFileSync(`/proc/${program.pid}/stat`, "utf8").replace(/^.*\) /, "").split(" ");
      return (Number(words[11]) + Number(words[12])) / 100;
    },
    end: () => program.stdin.end(),
  };
}
const here = (engine) => ({
  call: (name, request) => engine.call(name, request),
  seconds: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) * 1e-6;
  },
});
const byTheClock = ({ call }) => ({ call, seconds: () => performance.now() / 1000 });

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

// Steps per second in one round, or in the given number of rounds.
async function rateOf(side, wanted = 1) {
  const begun = side.seconds();
  let taken = 0, seconds = 0;
  while (seconds < wanted * roundSeconds) {
    taken += (await side.call("advance", { steps: 1e9, milliseconds })).steps;
    seconds = side.seconds() - begun;
  }
  return taken / seconds;
}

// Steps per second of two sides, and the median of the rounds' ratios. The sides alternate, so that a busy period
// affects both.
async function compare(sides, request) {
  for (const side of sides) {
    await side.call("open", request);
    await rateOf(side, 4); // afterwards the code is compiled and the kernel chosen
  }
  const found = sides.map(() => []);
  for (let round = 0; round < rounds; ++round)
    for (const [k, side] of sides.entries()) found[k].push(await rateOf(side));
  return { rates: found.map(median), ratio: median(found[0].map((rate, round) => rate / found[1][round])) };
}

const one = await loadEngine({ base, threads: 1 });
const two = await loadEngine({ base, threads: 2 });
const native = startNative(1), nativeTwo = startNative(2);
const load = [os.loadavg()[0]];
// If other programs use the processors, the two threads of one side wait for each other.
const idle = load[0] < 0.7;
const rows = [];
for (const request of scenes) {
  const beside = await compare([here(one), native], request);
  const pairOf = async (pair) => (idle ? (await compare(pair.map(byTheClock), request)).ratio : null);
  rows.push({ ...request, steps_per_second: beside.rates[0], native_steps_per_second: beside.rates[1], of_native: beside.ratio,
    two_threads_of_one: await pairOf([here(two), here(one)]), native_two_threads_of_one: await pairOf([nativeTwo, native]) });
  console.error(JSON.stringify(rows.at(-1)));
}
load.push(os.loadavg()[0]);
const size = (name) => fs.statSync(path.join(folder, name)).size;
console.log(JSON.stringify({ program: "perturb", what: "web", device: os.cpus()[0].model, processors: os.availableParallelism(),
  load, node: process.versions.node, wasm_bytes: size("perturb.wasm"), rows }, null, 2));
two.close();
native.end();
nativeTwo.end();
process.exit(0);

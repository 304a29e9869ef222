// How fast the page's engine is beside the same engine as a program of this machine, and with two threads beside one.
//
//   node app/web/bench.mjs ENGINE NATIVE [SCENE] > docs/benchmarks/web-MACHINE.json
//
// ENGINE: build/wasm/engine. NATIVE: perturb_web_lines of a build with -DPERTURB_ARCH=x86-64-v2 (vectors of 128 bits,
// no fused multiplication). SCENE: only those whose names have this word. One thread is measured by the processor's
// time, for other programs may be running; two threads by the clock, beside the native program's two, and on a busy
// machine, of which that would say nothing, not at all (null).
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import readline from "node:readline";
import { pathToFileURL } from "node:url";

const folder = path.resolve(process.argv[2]);
const { loadEngine } = await import(pathToFileURL(path.join(folder, "engine.js")));
const base = pathToFileURL(folder + path.sep).href;
const milliseconds = 100; // between two looks at the time
const roundSeconds = 0.4; // by the clock that the two sides are measured by
const rounds = 7;
const only = process.argv[4] ?? "";

// Scenes whose every step computes, of each simulation one, and of the membrane both that a step may be: matrices put
// together anew, and a solution in time. (What is pushed once and rests, or a mode once it is found, costs nothing
// more.) Of a cloud fewer fibers than the scene has, so that a round holds several steps.
const scenes = [{ scene: "wave/droplet" }, { scene: "lbm/cylinder" }, { scene: "particles/gas" },
  { scene: "fibers/cloud", width: 100 }, { scene: "membrane/assembly" }, { scene: "membrane/struck" }]
  .filter(({ scene }) => scene.includes(only));

// The program: a line in, a line out.
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
    // Of the program: user and system, in ticks of 10 ms.
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

// Steps a second in a round, or in so many of them.
async function rateOf(side, wanted = 1) {
  const begun = side.seconds();
  let taken = 0, seconds = 0;
  while (seconds < wanted * roundSeconds) {
    taken += (await side.call("advance", { steps: 1e9, milliseconds })).steps;
    seconds = side.seconds() - begun;
  }
  return taken / seconds;
}

// Steps a second of two sides, in turns so that a busy moment hits both, and the median of the rounds' ratios.
async function compare(sides, request) {
  for (const side of sides) {
    await side.call("open", request);
    await rateOf(side, 4); // compiled by then, and the kernel chosen
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
// Where other programs have the processors, two threads of one wait for each other.
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

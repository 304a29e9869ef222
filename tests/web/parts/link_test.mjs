import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { page } from "./page.mjs";

const { packScene, readHash } = await page("link");

const packed = (data) => `#z=${deflateRawSync(data).toString("base64url")}`;
const damaged = { kind: "page", message: /damaged or incomplete/ };

test("a link holds the whole scene", async () => {
  const scene = { scene: "wave/double-slit", width: 512, parameters: { damping: 0.02, name: "„Größe“ ∞ 🌊" },
    actions: Array.from({ length: 300 }, (_, k) => ({ kind: "wall", x: k / 7, y: 1 - k, radius: 1e-9 })) };
  const hash = await packScene(scene);
  assert.match(hash, /^z=[\w-]+$/, "only what an address takes as it is");
  assert.deepEqual(await readHash(`#${hash}`), { page: "scene", request: scene });
});

test("an unchanged scene is linked by its name", async () => {
  assert.equal(await packScene({ scene: "wave/rain", parameters: {}, actions: [], kernel: "", view: null }), "s=wave/rain");
  assert.deepEqual(await readHash("#s=wave/rain"),
    { page: "scene", request: { scene: "wave/rain", live_count: true, lighter: true } });
});

test("the other pages have their addresses", async () => {
  for (const hash of ["", "#", "#scenes"]) assert.deepEqual(await readHash(hash), { page: "gallery" });
  assert.deepEqual(await readHash("#l=wave/two-slits"), { page: "lesson", path: "wave/two-slits" });
  assert.deepEqual(await readHash("#verify=lbm"), { page: "verify", simulation: "lbm" });
  assert.deepEqual(await readHash("#verify"), { page: "verify", simulation: "" });
  assert.deepEqual(await readHash("#file"), { page: "file" });
  assert.equal((await readHash("#l=wave%2Ftwo%20slits")).path, "wave/two slits");
});

test("every cut of a link is called damaged", async () => {
  const hash = await packScene({ scene: "wave/rain", parameters: { damping: 0.02, speed: 0.5 } });
  for (let length = 3; length < hash.length - 1; ++length)
    await assert.rejects(readHash(`#${hash.slice(0, length)}`), damaged, `${length} characters`);
});

test("a link with foreign content is called damaged", async () => {
  for (const data of ["", "[]", "null", "7", "{}", '{"scene": 3}', '{"scene": "wave/rain"', "\u0000",
    Buffer.from([0x22, 0xff, 0xfe, 0x22])])
    await assert.rejects(readHash(packed(data)), damaged, String(data));
  for (const hash of ["#z=%%%", "#z=ä", "#s=%E0%A4%A", "#l=%"]) await assert.rejects(readHash(hash), damaged, hash);
});

test("a link cannot fill the memory or the stack", async () => {
  const bomb = packed(JSON.stringify({ scene: "wave/rain", text: "0".repeat(5e6) }));
  assert.ok(bomb.length < 20000);
  await assert.rejects(readHash(bomb), damaged);
  const nested = (depth) => packed(`{"scene": "wave/rain", "actions": ${"[".repeat(depth)}${"]".repeat(depth)}}`);
  await assert.rejects(readHash(nested(100000)), damaged);
  await assert.rejects(readHash(nested(17)), damaged);
  assert.equal((await readHash(nested(16))).request.scene, "wave/rain");
  await assert.rejects(readHash(`#s=${"a".repeat(201)}`), damaged);
});

test("an address of something else names no scene", async () => {
  for (const hash of ["#view", "#z=", "#s=", "#x=1", "#S=wave/rain", "#?", "#s"])
    await assert.rejects(readHash(hash), { kind: "page", message: /names no scene/ }, hash);
});

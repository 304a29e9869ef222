// Links: the name of a scene, or its full content, compressed. A link cannot run code or load a file: the engine's
// "open" checks its content against the tables.
import { RequestError } from "./engine_client.js";
import { tr } from "./i18n.js";

const maxNameLength = 200; // characters of a scene's, lesson's or simulation's name
const maxDepth = 16; // levels of lists and objects in a link
const maxUnpacked = 4e6; // bytes that a link may unpack to: a link of a few characters could otherwise fill the memory

async function transform(stream, bytes, limit = Infinity) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  let length = 0;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > limit) {
      reader.cancel();
      throw new Error("too long");
    }
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

const toText = (bytes) => {
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};
const toBytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (sign) =>
  sign.charCodeAt(0));

// Packs the result of the engine's call "scene" into the part of a link after "#".
export async function packScene(scene) {
  const bare = Object.keys(scene).every((key) => key === "scene" || isEmpty(scene[key]));
  if (bare) return `s=${scene.scene}`;
  const bytes = new TextEncoder().encode(JSON.stringify(scene));
  return `z=${toText(await transform(packing(() => new CompressionStream("deflate-raw")), bytes))}`;
}
// Older browsers lack the compression streams or this format; their links are not damaged.
function packing(make) {
  try {
    return make();
  } catch {
    throw new RequestError(() => tr("This browser is too old for links that contain a changed scene. Use Chrome or " +
      "Edge 103, Firefox 114, Safari 16.4 or later."), "page");
  }
}
// At most `maxDepth` + 1: deeper values could exceed the stack.
const depthOf = (value, level = 0) => (value === null || typeof value !== "object" || level > maxDepth ? level
  : Object.values(value).reduce((most, one) => Math.max(most, depthOf(one, level + 1)), level));
const isEmpty = (value) => value === undefined || value === null || value === "" ||
  (typeof value === "object" && Object.keys(value).length === 0);

const damaged = () => tr("Cannot open this link: it is damaged or incomplete. Copy the whole link again, or choose " +
  "a scene here.");

// Returns {page: "gallery" | "scene" | "lesson" | "verify" | "file" | "served", request | path | simulation}. Throws an
// error with a message.
export async function readHash(hash) {
  const text = hash.replace(/^#/, "");
  if (text === "" || text === "scenes") return { page: "gallery" };
  const [, key, rest] = /^([a-z]+)(?:=(.*))?$/s.exec(text) ?? [];
  if (key !== "z" && rest?.length > maxNameLength) throw new RequestError(damaged, "page");
  const unpacking = key === "z" && rest ? packing(() => new DecompressionStream("deflate-raw")) : null;
  try {
    if (key === "s" && rest)
      return { page: "scene", request: { scene: decodeURIComponent(rest), live_count: true, lighter: true } };
    if (key === "l" && rest) return { page: "lesson", path: decodeURIComponent(rest) };
    if (key === "verify") return { page: "verify", simulation: rest ? decodeURIComponent(rest) : "" };
    if (key === "file") return { page: "file" };
    if (key === "served" && rest === undefined) return { page: "served" };
    if (key === "served" && rest === "scenes") return { page: "gallery" };
    if (unpacking) {
      const bytes = await transform(unpacking, toBytes(rest), maxUnpacked);
      const request = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
      if (typeof request?.scene !== "string" || depthOf(request) > maxDepth) throw new Error("no scene");
      return { page: "scene", request };
    }
  } catch {
    throw new RequestError(damaged, "page");
  }
  throw new RequestError(() => tr("Cannot open this link: it names no scene of this page. Choose a scene."), "page");
}

// The page's own address, without its parts after "#" and "?".
export const address = (hash, query = "") => {
  const here = new URL(location.href);
  here.search = query;
  here.hash = hash;
  return here.href;
};

// ---- embedding

export const parts = ["play", "tools", "scene", "parameters", "view", "plots", "bar", "hint"];
// The parts that an embedded page shows; null: all.
export function partsAsked() {
  const asked = new URLSearchParams(location.search).get("controls");
  return asked === null ? null : asked.split(",").filter((part) => parts.includes(part));
}

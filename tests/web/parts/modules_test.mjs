import assert from "node:assert/strict";
import fs from "node:fs";
import { test } from "node:test";

const folder = new URL("../../../app/web/page/", import.meta.url);
const imports = new Map(fs.readdirSync(folder).filter((name) => name.endsWith(".js")).map((name) => [name,
  [...fs.readFileSync(new URL(name, folder), "utf8").matchAll(/\bfrom "\.\/(.+?)"/g)].map((found) => found[1])]));

test("the page's modules import each other without a circle", () => {
  const done = new Set();
  const visit = (name, path) => {
    assert.ok(!path.includes(name), [...path.slice(path.indexOf(name)), name].join(" -> "));
    if (done.has(name)) return;
    for (const next of imports.get(name) ?? assert.fail(`${path.at(-1)} imports ${name}`)) visit(next, [...path, name]);
    done.add(name);
  };
  for (const name of imports.keys()) visit(name, []);
});

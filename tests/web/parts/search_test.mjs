// Order of what a search in the gallery finds.
import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "./page.mjs";

const { searchRank } = await page("gallery");

test("a search puts whole words of titles and keywords first", () => {
  const ranks = [{ title: "Light and shadow" }, { title: "Lens", keywords: ["Light"] },
    { title: "Gap", keywords: ["Waves", "Light waves"] }, { title: "Lighter" }, { title: "Bird", keywords: ["Flight"] },
    { title: "Rain" }].map((one) => searchRank(["light"], one));
  assert.deepEqual(ranks, [...ranks].sort((a, b) => a - b));
  assert.equal(new Set(ranks).size, ranks.length);
});

test("without words all entries are equal", () => {
  assert.equal(searchRank([], { title: "Rain" }), searchRank([], { title: "Lens", keywords: ["Light"] }));
});

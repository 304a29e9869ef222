import assert from "node:assert/strict";
import fs from "node:fs";
import { test } from "node:test";

const page = new URL("../../../app/web/page/", import.meta.url);
const languages = new URL("../../../assets/languages/", import.meta.url);
const namesIn = (folder, ending) => fs.readdirSync(folder).filter((name) => name.endsWith(ending));
const read = (name, folder) => fs.readFileSync(new URL(name, folder), "utf8");
const literal = /"(?:[^"\\]|\\.)*"/g;

// {text: file}: the English texts that modules pass to tr(), which may be several literals added up. (Those that they
// choose by a condition, or that come from tables, are not found.)
function textsOfThePage() {
  const texts = new Map();
  for (const name of namesIn(page, ".js"))
    for (const [, all] of read(name, page).matchAll(/\btr\(\s*((?:"(?:[^"\\]|\\.)*"\s*\+?\s*)+)[,)]/g))
      texts.set(all.match(literal).map((one) => JSON.parse(one)).join(""), name);
  return texts;
}

// Each msgid of a file with its msgstr, which may go over several lines.
function* entriesOf(text) {
  for (const entry of text.split(/\n\s*\n/)) {
    const [, english, own] = /^msgid\s+((?:"(?:[^"\\]|\\.)*"\s*)+)^msgstr\s+((?:"(?:[^"\\]|\\.)*"\s*)+)/m.exec(entry) ?? [];
    if (english) yield [english, own].map((part) => part.match(literal).map((one) => JSON.parse(one)).join(""));
  }
}

test("every text of the page has a translation with its placeholders", () => {
  const texts = textsOfThePage();
  assert.ok(texts.size > 300, `${texts.size} texts are found`);
  const placeholders = (text) => (text.match(/\{\d?\}/g) ?? []).sort().join();
  for (const language of fs.readdirSync(languages)) {
    const folder = new URL(`${language}/`, languages);
    const known = new Map(namesIn(folder, ".po").flatMap((name) => [...entriesOf(read(name, folder))]));
    const missing = [...texts].filter(([text]) => !known.get(text));
    assert.deepEqual(missing.map(([text, name]) => `${name}: ${text}`), [], language);
    for (const [text] of texts)
      if (!/\d/.test(placeholders(known.get(text)))) assert.equal(placeholders(known.get(text)), placeholders(text), text);
  }
});

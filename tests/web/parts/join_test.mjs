import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "./page.mjs";

const { codeAsTyped, join, messageText, readFragment } = await page("join");
const own = { lost: "lost", refused: "refused ({})" };

test("the code is that of the link, or typed in any spelling", () => {
  assert.deepEqual(readFragment("#AB2-CD3"), { code: "AB2-CD3", isTeacher: false });
  assert.deepEqual(readFragment(""), { code: "", isTeacher: false });
  assert.deepEqual(readFragment("#teacher-x_Y-9"), { code: "teacher-x_Y-9", isTeacher: true });
  assert.equal(readFragment("#teacher-").isTeacher, false);
  assert.deepEqual(readFragment("#%E0%A4%A"), { code: "", isTeacher: false });
  assert.equal(readFragment(`#${"x".repeat(5000)}`).code.length, 200);
  for (const text of ["ab2cd3", "AB2 CD3", " ab2-cd3 "]) assert.equal(codeAsTyped(text), "AB2CD3");
  assert.equal(codeAsTyped(" teacher-x_Y-9"), "teacher-x_Y-9", "a secret stays as it is");
});

test("a message of the server is composed", () => {
  assert.equal(messageText("Wrong."), "Wrong.");
  assert.equal(messageText({ text: "{1} and {0}", arguments: [{ value: "2" }, { text: "{}!", arguments: ["a"] }] }),
    "a! and 2");
  assert.equal(messageText(undefined), "");
  assert.equal(messageText({ text: "{} {}", arguments: [] }), " ");
});

async function answered(answer, code = "AB2CD3", watch = false) {
  let asked = null;
  globalThis.fetch = async (address, request) => {
    asked = [address, request.method, JSON.parse(request.body)];
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const { why, start } = await join(code, "Ada", watch, own);
  assert.deepEqual(asked, ["/join", "POST", { code, name: "Ada", watch }]);
  return why || start;
}
const response = (json, more = {}) => ({ ok: true, status: 200, statusText: "OK", json: async () => json, ...more });

test("joining says why it failed", async () => {
  assert.equal(await answered(response({ ok: true, start: "/#served" })), "/#served");
  assert.equal(await answered(response({ ok: true, start: "/?class" }), "AB2CD3", true), "/?class");
  assert.equal(await answered(response({ message: "The code is wrong." })), "The code is wrong.");
  assert.equal(await answered(response({ message: { text: "Wait {} s.", arguments: [{ value: "5" }] } },
    { ok: false, status: 429 })), "Wait 5 s.");
  assert.equal(await answered(response({ ok: true }, { ok: false, status: 500, statusText: "Failed" })), "refused (500 Failed)");
  assert.equal(await answered(response(null)), "refused (200 OK)");
  assert.equal(await answered({ ...response(), json: async () => JSON.parse("<html>") }), "refused (200 OK)");
  assert.equal(await answered(new TypeError("no network")), "lost");
});

// Loads the texts of a language from its PO file, for use before the engine, which contains them too, is ready.
export async function loadTexts(language) {
  const answer = await fetch(`languages/${language}.po`);
  if (!answer.ok) throw new Error(`languages/${language}.po: ${answer.status}`);
  return parsePo(await answer.text());
}

// [English, text] of each entry.
export function parsePo(text) {
  const entries = [];
  let entry = null, part = "";
  for (const line of text.split("\n")) {
    const [, key, body] = /^(msgid|msgstr)?\s*"(.*)"\s*$/.exec(line) ?? [];
    if (body === undefined) continue; // comments, and lines between entries
    if (key === "msgid") entries.push(entry = { msgid: "", msgstr: "" });
    if (key) part = key;
    if (entry) entry[part] += JSON.parse(`"${body}"`);
  }
  return entries.filter((one) => one.msgid && one.msgstr).map((one) => [one.msgid, one.msgstr]);
}

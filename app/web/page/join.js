// The page that asks for the code of a served run and for a name. It is all that the server shows without a code, so that
// it has no other modules, and its texts in both languages. Messages of the server are in English.

const texts = {
  en: { title: "Join the run", code: "Code", name: "Your name", join: "Join", watch: "Only watch",
    about: "The teacher shows the code, and sees your name.", joining: "Joining ...",
    lost: "Cannot reach the shared run. Check your network, and try again.",
    refused: "Cannot join the run ({}). Check the code, and try again.", said: {} },
  de: { title: "Am Lauf teilnehmen", code: "Code", name: "Dein Name", join: "Teilnehmen", watch: "Nur zusehen",
    about: "Den Code zeigt die Lehrkraft; sie sieht auch deinen Namen.", joining: "Verbindet ...",
    lost: "Der gemeinsame Lauf ist nicht zu erreichen. Das Netz prüfen und es noch einmal versuchen.",
    refused: "Die Teilnahme ist nicht möglich ({}). Den Code prüfen und es noch einmal versuchen.",
    // What the server says (assets/languages/de/serve.po).
    said: {
      "There were too many wrong codes. Wait for a minute, and ask the teacher for the code.":
        "Es gab zu viele falsche Codes. Eine Minute warten und die Lehrkraft nach dem Code fragen.",
      "This code is wrong. Read it again: the teacher shows it.":
        "Dieser Code ist falsch. Ihn noch einmal lesen: Die Lehrkraft zeigt ihn.",
      "A name is missing. Type yours.":
        "Ein Name fehlt. Den eigenen eingeben.",
    } },
};

// "#ABC234" or "#teacher-SECRET" -> {code, isTeacher}. An invalid part of an address gives an empty code.
export function readFragment(hash) {
  let text = "";
  try {
    text = decodeURIComponent(hash.replace(/^#/, "")).trim();
  } catch {
    return { code: "", isTeacher: false };
  }
  return { code: text.slice(0, 200), isTeacher: /^teacher-./.test(text) };
}

// Codes have no lower-case letters, and are read aloud in groups.
export const codeAsTyped = (text) => (/^teacher-/.test(text.trim()) ? text.trim() : text.replace(/[\s-]/g, "").toUpperCase());

// The English text of a message of the server: a text, or a format and its arguments (json_of in request.h).
export function messageText(message) {
  if (!message) return "";
  if (typeof message === "string") return message;
  if (message.value !== undefined) return message.value;
  let next = 0;
  return (message.text ?? "").replace(/\{(\d?)\}/g, (_, index) =>
    messageText(message.arguments?.[index === "" ? next++ : Number(index)]));
}

// {why, start}: "" if the server lets this browser in, otherwise the text to show; the address where the page begins.
export async function join(code, name, watch, own) {
  let answer;
  try {
    answer = await fetch("/join", { method: "POST", headers: { "Content-Type": "application/json" },
      credentials: "same-origin", cache: "no-store", body: JSON.stringify({ code, name, watch }) });
  } catch {
    return { why: own.lost };
  }
  const json = await answer.json().catch(() => null);
  if (answer.ok && json?.ok === true) return { why: "", start: json.start };
  const said = messageText(json?.message);
  const why = own.said?.[said] || said || own.refused.replace("{}", `${answer.status} ${answer.statusText}`.trim());
  return { why };
}

function begin(form) {
  const language = (navigator.languages ?? [navigator.language]).map((id) => id.slice(0, 2).toLowerCase())
    .find((id) => id in texts) ?? "en";
  const own = texts[language], part = (id) => /** @type {any} */ (document.getElementById(id));
  document.documentElement.lang = language;
  for (const node of document.querySelectorAll("[data-text]")) node.textContent = own[node.getAttribute("data-text")];
  const { code, isTeacher } = readFragment(location.hash);
  const fields = { code: part("code"), name: part("name"), watch: part("watch") };
  const button = form.querySelector("button");
  fields.code.value = code;
  const show = (text) => {
    part("message").textContent = text;
    part("message").hidden = !text;
  };
  const send = async () => {
    button.disabled = true;
    button.textContent = own.joining;
    show("");
    const { why, start } = await join(codeAsTyped(fields.code.value), fields.name.value.trim(), fields.watch.checked, own);
    if (!why) return location.replace(start); // (The address with the code leaves the history.)
    button.disabled = false;
    button.textContent = own.join;
    show(why);
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send();
  });
  const showNeed = () => (fields.name.required = !isTeacher && !fields.watch.checked);
  fields.watch.addEventListener("change", showNeed);
  showNeed(); // (A page that is reloaded may keep the tick.)
  if (isTeacher) {
    part("name-row").hidden = part("watch-row").hidden = true;
    fields.code.type = "password";
    send();
  } else if (code) {
    fields.name.focus();
  } else {
    fields.code.focus();
  }
}

const form = globalThis.document?.getElementById?.("join");
if (form) begin(form);

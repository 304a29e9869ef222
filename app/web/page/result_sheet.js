// The end of a lesson: its result sheet as a file and as a page for paper, and its short code.
import { make } from "./dom.js";
import { download, showPaper } from "./exports.js";
import { currentLanguage, tr } from "./i18n.js";
import { keepLesson } from "./keep.js";
import { call, inClass, run, showRefusal } from "./run.js";

const makeSheet = () => call("lesson_sheet", { student: run.student, language: currentLanguage() });

async function saveSheet() {
  try {
    const { table, stem } = await makeSheet();
    download(new Blob([table], { type: "text/csv" }), `${stem}.csv`);
  } catch (error) {
    showRefusal(error);
  }
}

export function resultSheet() {
  const { code } = run.lesson;
  const name = make("input", { type: "text", id: "lesson-student", value: run.student, maxlength: 100,
    autocomplete: "off", placeholder: () => tr("Your name"), "aria-label": () => tr("Your name"),
    oninput: () => {
      run.student = name.value;
      keepLesson();
    } });
  return [make("h3", { text: () => tr("Result sheet") }),
    make("form", { class: "result-sheet", onsubmit: (event) => {
      event.preventDefault();
      saveSheet();
    } }, name, make("button", { type: "submit", class: "quiet save-sheet", text: () => tr("Save result sheet") }),
    make("button", { type: "button", class: "quiet print-sheet", text: () => tr("Printable page"), onclick: () => showPaper(makeSheet) })),
    ...(code && !inClass() ? [make("p", { class: "lesson-code", text: () => tr("Code: {}", code) }),
      make("p", { class: "small dim", text: () => tr("If you cannot hand in a file, give the code and your name to your " +
        "teacher. The code is no protection against cheating.") })] : [])];
}

// The choice of a language, wherever the page has it; kept in this browser.
import { make } from "./dom.js";
import { on, run } from "./run.js";
import { currentLanguage, tr } from "./i18n.js";
import { set as setSetting } from "./settings.js";

export function languageChoice(more = "") {
  const choose = make("select", { class: `language ${more}`, "aria-label": () => tr("Language"),
    onchange: () => setSetting("language", choose.value) });
  const fill = () => {
    choose.replaceChildren(...run.catalog.languages.map((one) => make("option", { value: one.id, lang: one.id,
      text: one.name })));
    choose.value = currentLanguage();
  };
  if (run.catalog) fill();
  on("engine", fill);
  // It is chosen behind the engine's start, by the link or the browser.
  document.addEventListener("retranslated", () => (choose.value = currentLanguage()));
  return choose;
}

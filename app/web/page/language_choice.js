// The language selector, wherever the page shows it. The browser stores the choice.
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
  // The link or the browser may set the language after the start of the engine.
  document.addEventListener("retranslated", () => (choose.value = currentLanguage()));
  return choose;
}

// The language of the window, the images and the reports. The code is written in English, and English texts are the
// keys of every table. A text is passed to tr() where it is shown, and nowhere earlier, so that stored, compared and
// searched texts are English. Files, options, lists and JSON stay English.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/i18n/translation.h"
#include "cuda/core/backend/message.h"

namespace perturb {

struct LanguageName {
  std::string id;    // as in --language and the settings: "de"
  std::string name;  // in that language: "Deutsch"
};
// English, and each folder of assets/languages.
const std::vector<LanguageName>& languages();

// Throws InputError if there is no such language. Call on the thread that draws the window.
void use_language(const std::string& id);
const std::string& language();

// The front end for which tr() returns texts (translation.h): at first the window. None: the marks stay in the texts.
void use_front_end(std::optional<FrontEnd> front_end);

// Adds the texts of a language that is not embedded in the program, in gettext's format: a browser fetches those of the
// requested language. Call before use_language(). Throws InputError if there is no such language, or if the texts
// cannot be read.
void add_texts(const std::string& id, std::string_view texts);
// The same for a language that is not among languages() yet. Its texts contain "Name of this language".
void add_language(const std::string& id, std::string_view texts);
// The texts of a language as one .po file, for a page: without those of puzzles, which no page has. Empty for English.
std::string page_texts(const std::string& id);
// For tests: the entries of a language, from all its files.
std::vector<PoEntry> texts_of(const std::string& id);

// The language named by LC_ALL, LC_MESSAGES or LANG, whichever is set first; "en" if it is not available.
std::string language_of_environment();

// The message in the selected language. Values stay as they are; parameters become their labels in quotation marks.
std::string tr(const Message& message);
template <class First, class... Rest>
std::string tr(std::string_view english, const First& first, const Rest&... rest) {
  return tr(Message(english, first, rest...));
}

// For tests: the texts that were requested but are not in the table of the selected language, since its selection or
// the previous call.
std::vector<std::string> take_untranslated();
// For tests: every text that passes tr() is returned in letters that no other text uses, which reveals texts shown
// without translation. Active until a language is selected.
void use_pseudo_locale();

}  // namespace perturb

// The language in which the program speaks to whoever looks at its window, its pictures and its reports. English is
// what the code is written in and the key of every table: a text passes tr() where it is shown, and nowhere before, so
// that what is kept, compared and searched is English. Files, options, lists and JSON stay English.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace perturb {

struct LanguageName {
  std::string id;    // as --language and the settings spell it: "de"
  std::string name;  // in its own words: "Deutsch"
};
// English, and each folder of assets/languages.
const std::vector<LanguageName>& languages();

// Throws InputError where there is no such language. To be called on the thread that shows things.
void use_language(const std::string& id);
const std::string& language();

// The texts of a language that the program does not hold itself, in gettext's format: a browser fetches those of the
// language that is asked for. To be called before it is used. Throws InputError where there is no such language, or
// where the texts cannot be read.
void add_texts(const std::string& id, std::string_view texts);

// What LC_ALL, LC_MESSAGES or LANG, the first of them that is set, names; "en" where that is none of the languages.
std::string language_of_environment();

// In the language chosen. A text that has been translated stays as it is.
std::string tr(std::string_view english);
// With values at its {}, which are put in as they are.
std::string tr_with(std::string_view english, const std::vector<std::string>& values);
template <typename... Values>
std::string tr(std::string_view english, const std::string& first, const Values&... rest) {
  return tr_with(english, {first, rest...});
}
// A text that is put together of translated ones: it passes tr() as it is.
std::string mark_translated(std::string text);

// For tests: what was asked for and is not in the table of the language chosen, since it was chosen or this was asked.
std::vector<std::string> take_untranslated();
// For tests: every text that passes tr() comes back in letters that no other text has, so that what a window shows
// without asking is seen. It replaces the language until one is chosen.
void use_pseudo_locale();

}  // namespace perturb

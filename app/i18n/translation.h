// Translation tables: the entries of files in gettext's format, the table of one language, and a language for tests.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace perturb {

// An entry of a file in gettext's format, as translation tools write them: msgid, the English text; msgstr, its
// translation. Comments and msgctxt are ignored; separate entries replace gettext's plural forms.
struct PoEntry {
  std::string english, translated;
  int line = 0;  // of its msgid
};

// The entries of a file in their order, without the header (the empty msgid) and untranslated entries. Throws
// InputError with `name` and the line if the format is wrong.
std::vector<PoEntry> read_po(std::string_view text, const std::string& name);

// The texts of one language, by their English text.
class Translation {
 public:
  explicit Translation(std::vector<PoEntry> entries);

  // The translation of a text. An unknown one stays as it is and, unless it has no words, is added to `missing`.
  std::string of(const std::string& english);

  // All requested English texts without a translation.
  const std::set<std::string>& missing() const { return missing_; }
  void forget_missing() { missing_.clear(); }

 private:
  std::unordered_map<std::string, std::string> texts_;
  std::set<std::string> missing_;
};

// The input device of a text's reader.
enum class FrontEnd { window, page, fingers };  // fingers: the page on a touch screen, without mouse and keys

// A text of scenes and lessons marks what depends on the front end, and so do its translations:
//   "[[Click||Tap]] the water."                      with a mouse, or with fingers
//   "[[Press F8||Press M||Open the tab Plots]]."     in the window, in the page with a mouse, or with fingers
// A part "=" repeats the one before, and parts may be empty. Returns the text for one front end.
std::string text_for(FrontEnd front_end, std::string_view text);

// The text in a language for tests that consists of Greek letters.
std::string pseudo_localized(std::string_view text);

}  // namespace perturb

// Translation tables: the entries of files in gettext's format, the table of one language, and a language for tests.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
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

// Allows lookups by string_view without a copy.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};
using TextMap = std::unordered_map<std::string, std::string, TextHash, std::equal_to<>>;
using TextSet = std::unordered_set<std::string, TextHash, std::equal_to<>>;

// Puts values into the {} of a text, or into {0} and {1} if their order differs.
std::string filled(std::string_view format, const std::vector<std::string>& values);

// Translates texts with a table of entries. Entries whose English text has placeholders {} are patterns: "{} of {}
// points" matches "3 of 5 points", whose captured pieces are translated in turn and inserted into the translation. If
// several patterns match, the one with known pieces is used. An entry with numbered placeholders ("{0} of {1}") is not
// a pattern: only the code that fills it looks it up.
class Translation {
 public:
  explicit Translation(const std::vector<PoEntry>& entries);

  // The translation of a text in the table, of a sentence that matches a pattern, of lines and consecutive sentences
  // (each separately), of a number with its unit, or of text in quotation marks. Unknown text stays as it is and is
  // added to `missing`. Text that is already translated stays too.
  std::string of(std::string_view english);

  // Records a text as already translated.
  std::string kept(std::string text);

  // All requested English texts without a translation.
  const TextSet& missing() const { return missing_; }
  void forget_missing() { missing_.clear(), found_.clear(); }

 private:
  struct Pattern {
    std::vector<std::string> pieces;  // text before, between and after the placeholders
    std::size_t letters = 0;          // in the pieces: more letters are a better match
    std::string translated;
  };
  void add_pattern(const PoEntry& entry);
  std::string piece(std::string_view english, int depth);
  std::optional<std::string> known(std::string_view english, int depth);
  std::optional<std::string> parts(std::string_view english, int depth, bool all);
  std::optional<std::string> by_pattern(std::string_view english, int depth, bool all);

  TextMap exact_;
  TextSet translated_, kept_;  // texts that are not translated again: the table's translations, and composed texts
  // By their first letter, each list in order of decreasing number of letters; patterns that begin with a placeholder
  // are last.
  std::array<std::vector<Pattern>, 257> patterns_;
  int tries_ = 0;  // within the current piece
  TextMap found_;  // cache of results, cleared when it is full
  TextSet missing_;
};

// The text in a language for tests that consists of Greek letters.
std::string pseudo_localized(std::string_view text);

}  // namespace perturb

// One language: what is said in English, and how this language says it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "app/i18n/po_file.h"

namespace perturb {

// A string_view finds its place among strings without a copy.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};
using TextMap = std::unordered_map<std::string, std::string, TextHash, std::equal_to<>>;
using TextSet = std::unordered_set<std::string, TextHash, std::equal_to<>>;

// A text with values at its {}, or at {0} and {1} where their order differs.
std::string filled(std::string_view format, const std::vector<std::string>& values);

// Entries whose English has placeholders {} are patterns: "{} of {} points" is found by "3 of 5 points", whose pieces
// are translated in turn and put where the translation has them. Where several fit, the one is taken whose pieces are
// known. An entry whose English numbers its placeholders ("{0} of {1}") is no pattern: code that fills it finds it.
class Translation {
 public:
  explicit Translation(const std::vector<PoEntry>& entries);

  // In this language: a text that is in the table, a sentence that a pattern fits, lines and sentences that follow each
  // other each for itself, a number with its unit, what stands in quotation marks. What is not known stays as it is and
  // is noted among the `missing`; what has been translated already stays, too.
  std::string of(std::string_view english);

  // Notes a text as one of this language.
  std::string kept(std::string text);

  // The English that nobody has translated, of all that was asked for.
  const TextSet& missing() const { return missing_; }
  void forget_missing() { missing_.clear(), found_.clear(); }

 private:
  struct Pattern {
    std::vector<std::string> pieces;  // what stands before, between and behind the placeholders
    std::size_t letters = 0;          // in the pieces: the more, the better it fits
    std::string translated;
  };
  void add_pattern(const PoEntry& entry);
  std::string piece(std::string_view english, int depth);
  std::optional<std::string> known(std::string_view english, int depth);
  std::optional<std::string> parts(std::string_view english, int depth, bool all);
  std::optional<std::string> by_pattern(std::string_view english, int depth, bool all);

  TextMap exact_;
  TextSet translated_, kept_;  // texts of this language, which are not translated again: the table's, and those made
  // By their first letter, the first of each list the one with most letters; those that begin with a placeholder last.
  std::array<std::vector<Pattern>, 257> patterns_;
  int tries_ = 0;  // within the piece that is looked for
  TextMap found_;  // what has been asked for, until it is too much
  TextSet missing_;
};

}  // namespace perturb

// Unicode characters in UTF-8 texts: decoding, and one form for texts that people read as the same.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace perturb {

// Of UTF-8, at the beginning of a text.
constexpr const char* byte_order_mark = "\xef\xbb\xbf";

// The character at `at`: its length in bytes of UTF-8 (0 if invalid or an overlong form) and its code point.
struct Character {
  std::size_t bytes = 0;
  char32_t code = 0;
};
Character character_at(std::string_view text, std::size_t at);

// The text without blanks at its ends, with one space for each run of blanks, and with composed characters (NFC) for
// Latin, Greek and Cyrillic letters: some systems write "ë" as an "e" and a mark.
std::string tidy_text(std::string_view text);
// The same in lower case, for comparisons: "Zoë" and " ZOË " are equal.
std::string folded_text(std::string_view text);

}  // namespace perturb

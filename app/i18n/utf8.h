// UTF-8 texts in buffers of a fixed size.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace perturb {

// The longest prefix of a UTF-8 text with at most `max_bytes` bytes that ends between two characters.
std::string_view whole_characters(std::string_view text, std::size_t max_bytes);

// Copies as many whole characters of the text as fit, and a terminating zero.
template <std::size_t size>
void fill_field(char (&field)[size], std::string_view text) {
  const std::string_view part = whole_characters(text, size - 1);
  field[part.copy(field, size - 1)] = '\0';
}

// A sign of this program's texts that fonts with Latin letters alone lack, and its replacement in ASCII: in a text,
// and where there is room for one character.
struct AsciiSign {
  char32_t sign;
  std::string_view text;
  char letter;
};
std::span<const AsciiSign> ascii_signs();
// The text with those signs in ASCII: "lambda/2".
std::string with_ascii_signs(std::string_view text);
// Whether tr() (language.h) returns its texts so: for a font that lacks the signs.
void use_ascii_signs(bool on);

}  // namespace perturb

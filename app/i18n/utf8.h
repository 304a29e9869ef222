// UTF-8 texts in buffers of a fixed size.
#pragma once

#include <cstddef>
#include <string_view>

namespace perturb {

// The longest prefix of a UTF-8 text with at most `most` bytes that ends between two characters.
std::string_view whole_characters(std::string_view text, std::size_t most);

// Copies as many whole characters of the text as fit, and a terminating zero.
template <std::size_t size>
void fill_field(char (&field)[size], std::string_view text) {
  const std::string_view part = whole_characters(text, size - 1);
  field[part.copy(field, size - 1)] = '\0';
}

}  // namespace perturb

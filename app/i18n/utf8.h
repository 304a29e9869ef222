// Texts in buffers of a fixed size.
#pragma once

#include <cstddef>
#include <string_view>

namespace perturb {

// The longest beginning of a UTF-8 text that has at most so many bytes and ends between two characters.
std::string_view whole_characters(std::string_view text, std::size_t most);

// Copies as much of the text as fits, in whole characters, with a zero behind it.
template <std::size_t size>
void fill_field(char (&field)[size], std::string_view text) {
  const std::string_view part = whole_characters(text, size - 1);
  field[part.copy(field, size - 1)] = '\0';
}

}  // namespace perturb

// Integrity check of font files. The libraries that render text do not validate them, and a damaged one ends the
// program.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace perturb {

constexpr std::size_t max_font_bytes = std::size_t{256} << 20;

// Whether this is a TrueType or OpenType font (or the first of a collection) whose tables are inside the file, have the
// stated checksums and include those needed for text.
bool is_whole_font(std::string_view bytes);
// The same for a file; false if it is unreadable.
bool is_whole_font_file(const std::string& path);

}  // namespace perturb

// Whether a font's file is whole. The libraries that draw letters believe what stands in it, and a damaged one ends the
// program.
#pragma once

#include <string>
#include <string_view>

namespace perturb {

// A TrueType or OpenType font (or the first of a collection) whose tables lie in the file, have the sums that it says,
// and are those that letters need.
bool is_whole_font(std::string_view bytes);
// The same of a file; false where it cannot be read.
bool is_whole_font_file(const std::string& path);

}  // namespace perturb

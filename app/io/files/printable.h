// Text from outside made printable. File names, what stands in files and what libraries say may hold line breaks,
// sequences that drive a terminal, or megabytes.
#pragma once

#include <string>
#include <string_view>

namespace perturb {

// The text as it can be printed on a line: control characters, line breaks, marks that turn the direction of writing
// and what is no UTF-8 stand as escapes ("\n", "\x1b", "\u202e"); what stands in double quotes and is longer than a
// line is cut in its middle ("abc ... xyz"), and so is a whole that is longer than a screen.
std::string escape_for_terminal(std::string_view text);

}  // namespace perturb

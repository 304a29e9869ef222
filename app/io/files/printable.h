// Makes text from outside printable. File names, file contents and library messages may contain line breaks, terminal
// control sequences, or megabytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cuda/core/simulation/format.h"
#include "cuda/core/simulation/parameters.h"

namespace perturb {

// Escapes control characters, line breaks, direction marks and invalid UTF-8 ("\n", "\x1b", "\u202e"). Shortens a text
// in double quotes that is longer than a line ("abc ... xyz"), and a whole text that is longer than a screen.
std::string escape_for_terminal(std::string_view text);
// For the content of an HTML element, and for an attribute in double quotes.
std::string escape_for_html(std::string_view text);

}  // namespace perturb

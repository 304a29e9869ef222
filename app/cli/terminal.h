// Prints text to the terminal as one printable line (app/io/files/printable.h).
#pragma once

#include <iosfwd>
#include <string_view>

#include "app/io/files/printable.h"

namespace perturb {

// Writes the text as one line (escape_for_terminal) with a line break.
void print_line(std::ostream& to, std::string_view text);

}  // namespace perturb

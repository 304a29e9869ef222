// What goes to a terminal as one line, printable whatever it holds (files/printable.h).
#pragma once

#include <iosfwd>
#include <string_view>

#include "app/io/files/printable.h"

namespace perturb {

// Writes the text as a line (escape_for_terminal), and a line break.
void print_line(std::ostream& to, std::string_view text);

}  // namespace perturb

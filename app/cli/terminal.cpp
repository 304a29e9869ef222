#include "app/cli/terminal.h"

#include <ostream>

namespace perturb {

void print_line(std::ostream& to, std::string_view text) { to << escape_for_terminal(text) << '\n'; }

}  // namespace perturb

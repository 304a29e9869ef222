#include "app/cli/terminal.h"

#include <ostream>

namespace perturb {

void say(std::ostream& to, std::string_view text) { to << on_a_line(text) << '\n'; }

}  // namespace perturb

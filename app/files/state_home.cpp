#include "app/files/state_home.h"

#include <cstdlib>

namespace perturb {

std::string state_home() {
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state && *state == '/') return std::string(state) + "/perturb";
  const char* home = std::getenv("HOME");
  return home && *home == '/' ? std::string(home) + "/.local/state/perturb" : std::string();
}

}  // namespace perturb

// How the window looks: its colours, and how much of it moves. Files and the command line spell looks as here.
#pragma once

#include <span>
#include <string>

namespace perturb {

enum class Look { dark, light, high_contrast };

struct LookName {
  Look look;
  const char* id;     // "high-contrast"
  const char* label;  // "High contrast"
};
std::span<const LookName> look_names();
const char* id_of(Look look);
// Throws InputError that lists them.
Look look_of(const std::string& id);

}  // namespace perturb

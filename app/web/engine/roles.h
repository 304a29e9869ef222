// What the clients of a shared run may do.
#pragma once

#include <optional>
#include <set>
#include <string>

namespace perturb {

// Each may do what the roles before it may. The owner is the page with its own engine: only it has files, texts of
// kernels, and calls that take long. Everyone else is remote.
enum class Role { spectator, pupil, teacher, owner };

// What a pupil may use, by id; none: everything. A parameter that restarts the run must be named.
struct Permissions {
  std::optional<std::set<std::string>> tools{}, parameters{};
  bool objects = true;     // adding, changing and removing objects of the scene
  bool is_locked = false;  // nothing at all, whatever the lists say
};

}  // namespace perturb

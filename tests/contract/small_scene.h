// A scene on a small domain, so that tests of all scenes are quick.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "app/io/preset/presets.h"
#include "tests/support/sanitized.h"

namespace perturb {

// The preset with fewer cells, fibers or patches. Memory next to an edge cell is the same at any size, so
// AddressSanitizer uses even smaller domains.
inline Scene small_scene(const std::string& simulation, const std::string& preset, int most = 96,
                         double max_discs = 1500) {
  Scene s = load_scene(simulation + "/" + preset);
  const bool is_a_list = s.setup.height == 1;
  if (is_address_sanitized) most = std::min(most, 48);
  s.setup.width = std::min(s.setup.width, is_a_list ? std::min(most, 48) : most);
  s.setup.height = std::min(s.setup.height, most);
  if (const auto level = s.setup.parameters.find("level"); level != s.setup.parameters.end())
    level->second = std::min(level->second, is_address_sanitized ? 2.0 : 3.0);
  // Fewer discs at the same density: some kernels check all pairs of them.
  const auto count = s.setup.parameters.find("count"), box = s.setup.parameters.find("box");
  if (count != s.setup.parameters.end() && box != s.setup.parameters.end() && count->second > max_discs) {
    box->second *= std::sqrt(max_discs / count->second);
    count->second = max_discs;
  }
  return s;
}

}  // namespace perturb

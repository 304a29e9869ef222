// Runs that are small enough to be done many times.
#pragma once

#include <string>

#include "app/run/experiment.h"
#include "app/scenes/presets.h"
#include "tests/support/backends.h"

namespace perturb {

class SmallRun : public OnEachBackend {
 protected:
  // The wave tank on a small grid: any simulation would do.
  perturb::Setup small() const {
    perturb::Setup s = load_setup("wave/droplet");
    s.width = s.height = 64;
    return s;
  }
  static bool same(const State& a, const State& b) {
    for (const auto& [name, data] : a.datasets)
      if (!(data.bytes == b.datasets.at(name).bytes)) return false;
    return a.steps == b.steps && a.datasets.size() == b.datasets.size();
  }
};

inline perturb::Setup small_scene(const std::string& scene) {
  perturb::Setup s = load_setup(scene);
  s.width = std::min(s.width, 64), s.height = std::min(s.height, 64);
  return s;
}

}  // namespace perturb

// The scalars of the diagnostics over time, for plots.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cuda/core/simulation/diagnostics.h"

namespace perturb {

class History {
 public:
  struct Series {
    std::string id, label, unit;
    std::vector<CurvePoint> points;  // x: time
    Meaning meaning = Meaning::other;
  };

  // Adds the scalars if they are newer than the last ones; starts anew when time has gone back (a restart).
  void add(const Diagnostics& diagnostics);
  void clear();
  const std::vector<Series>& series() const { return series_; }

 private:
  // When a plot is full every other point is dropped and from then on only every other one is taken: the whole run
  // stays in view, and memory stays bounded.
  static constexpr std::size_t most_points = 1200;
  std::vector<Series> series_;
  std::int64_t last_step_ = -1;
  double last_time_ = 0, spacing_ = 0;
};

}  // namespace perturb

// Time series of the scalar diagnostics, for plots.
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

  // Adds the scalars if they are newer than the last ones; clears the history when time has gone back (a restart).
  void add(const Diagnostics& diagnostics);
  void clear();
  const std::vector<Series>& series() const { return series_; }

 private:
  // When a series is full, every other point is dropped, and from then on only every other new point is added: the
  // whole run stays visible and memory stays bounded.
  static constexpr std::size_t most_points = 1200;
  std::vector<Series> series_;
  std::int64_t last_step_ = -1;
  double last_time_ = 0, spacing_ = 0;
};

}  // namespace perturb

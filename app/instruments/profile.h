// Readings of a line cut: the quantity along a line, current or averaged over time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "app/instruments/instrument.h"
#include "cuda/core/simulation/diagnostics.h"

namespace perturb {

class Profile {
 public:
  // Adds the values of one state at evenly spaced points along the line. Points without a number (in a wall) are
  // omitted.
  void take(std::span<const double> values, std::int64_t step);
  void clear();
  std::size_t moments() const { return moments_; }  // number of states in the mean
  std::int64_t step() const { return step_; }       // of the newest values; -1: none
  // The profile over the distance from the first end; `averaged`: the mean of all states, at the points that had a
  // number in each of them.
  std::vector<CurvePoint> points(bool averaged, double length) const;

 private:
  std::vector<double> now_, sum_;
  std::size_t moments_ = 0;
  std::int64_t step_ = -1;
};

// `count` evenly spaced points of a cut, including both ends.
std::vector<Camera::Point> places_along(const Instrument& cut, std::size_t count);

}  // namespace perturb

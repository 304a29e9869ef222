// What a line cut has read: the quantity along a line, of this moment or its mean over time.
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
  // Of one moment, at even places from one end to the other. Where there is no number (a wall) none is kept.
  void take(std::span<const double> values, std::int64_t step);
  void clear();
  std::size_t moments() const { return moments_; }  // in the mean
  std::int64_t step() const { return step_; }       // of the newest; -1: none
  // Over the way from the first end; `averaged`: the mean of all moments, of the places that had a number in each.
  std::vector<CurvePoint> points(bool averaged, double length) const;

 private:
  std::vector<double> now_, sum_;
  std::size_t moments_ = 0;
  std::int64_t step_ = -1;
};

// `count` places from one end to the other, both among them.
std::vector<Camera::Point> places_along(const Instrument& cut, std::size_t count);

}  // namespace perturb

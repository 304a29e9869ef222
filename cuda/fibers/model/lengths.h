// Fibers of unequal length: all have one radius, and a weight in proportion to their length.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/fibers/model/cell.h"
#include "cuda/fibers/parameters.h"

namespace perturb::fibers {

// Half-lengths of `count` fibers whose mean is 1, in the order of their ids: even shares of the distribution that the
// parameters select, shuffled. None if the parameters have no spread: then all are 1. `stream` distinguishes draws with
// the same seed.
std::vector<double> draw_fiber_lengths(const FiberParameters& parameters, int count, std::uint32_t seed,
                                       std::uint64_t stream);

// The shortest half-length that such a draw can give.
double shortest_fiber_drawn(const FiberParameters& parameters);
// Throws InputError if a fiber of this half-length is too thick for the number of terms. `what` begins the message and
// names the fiber; `remedy` ends it.
void require_slender(const FiberParameters& parameters, double half, const std::string& what,
                     const std::string& remedy);

// Half-lengths of a run's fibers, and the constants that the equations need. Empty if all are 1: then the code without
// lengths is used.
class FiberLengths {
 public:
  FiberLengths() = default;
  // `half`: of each fiber, or none. Throws Error when memory is short.
  FiberLengths(Backend& backend, std::vector<double> half);

  bool unequal() const { return !half_.empty(); }
  const std::vector<double>& host() const { return half_; }
  double of(int m) const { return half_.empty() ? 1 : half_[static_cast<std::size_t>(m)]; }
  double shortest() const;
  double longest() const;
  // On the backend, [fibers]; null if all are 1.
  const double* device() const { return half_.empty() ? nullptr : device_.data(); }
  // For each fiber, on the backend; null if all are 1. Recomputed when a parameter has changed.
  const FiberConstants* constants(double slenderness, int terms);

  static std::size_t bytes(int fibers) {
    return static_cast<std::size_t>(fibers) * (sizeof(double) + sizeof(FiberConstants));
  }

 private:
  std::vector<double> half_;
  Array<double> device_;
  Array<FiberConstants> constants_;
  double slenderness_ = 0;  // of the stored constants; 0: none yet
  int terms_ = 0;
};

}  // namespace perturb::fibers

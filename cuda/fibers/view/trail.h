// Trails: the centres of the last steps, each with the point that the image followed then.
#pragma once

#include <cstddef>
#include <deque>

#include "cuda/core/backend/field.h"
#include "cuda/core/math/vector3.h"

namespace perturb::fibers {

class FiberTrail {
 public:
  explicit FiberTrail(Backend& backend) : backend_(backend) {}
  static std::size_t bytes(int steps, int fibers) {
    return 3 * sizeof(double) * static_cast<std::size_t>(fibers) * static_cast<std::size_t>(steps);
  }

  // Keeps up to `steps` steps of `fibers` fibers, and clears the previous ones. Throws Error when memory is short, and
  // is unchanged then.
  void resize(int steps, int fibers);
  void clear() { centres_.clear(); }
  // `position`: [fibers][3], the backend's. Queued.
  void record(const double* position, Vector3<double> followed);
  int steps() const { return steps_; }
  int held() const { return static_cast<int>(centres_.size()); }
  // The record `age` steps back, 0 the newest.
  const double* position(int age) const;
  Vector3<double> followed(int age) const { return centres_[static_cast<std::size_t>(age)]; }

 private:
  Backend& backend_;
  int steps_ = 0, fibers_ = 0, newest_ = -1;
  Array<double> positions_;              // [steps][fibers][3], a ring
  std::deque<Vector3<double>> centres_;  // newest first
};

}  // namespace perturb::fibers

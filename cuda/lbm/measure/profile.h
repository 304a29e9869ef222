// Velocities on the two middle lines of the domain, and their theory.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/core/simulation/diagnostics.h"
#include "cuda/lbm/model/lattice.h"
#include "cuda/lbm/model/turning.h"
#include "cuda/lbm/parameters.h"

namespace perturb::lbm {

struct Profiles {
  std::vector<float> upright;       // x velocity on the vertical line, from the bottom; cell/step
  std::vector<float> level;         // y velocity on the horizontal line, from the left
  std::vector<float> lower, upper;  // rate of shear of the x velocity at the lower and upper side; 1/step
};

// Reads these lines asynchronously. Between two cells a middle line has their mean.
class MiddleLines {
 public:
  MiddleLines(Backend& backend, int width, int height) : backend_(backend), width_(width), height_(height) {}

  // Queues a reading; the previous one must be complete. Allocates its memory at the first call; without memory
  // nothing is read.
  void start(const StepParams& flow, const Lattice& lattice);
  bool ready() { return !readback_ || readback_->ready(); }
  void wait() {
    if (readback_) readback_->wait();
  }
  Profiles result() const;

 private:
  Backend& backend_;
  int width_, height_;
  Array<float> values_;  // the vertical line's values, the horizontal one's, the rates of shear
  std::unique_ptr<AsyncReadback> readback_;
};

// The profiles as curves. Between two walls along the stream, without a body, the vertical line is compared with the
// steady parabola that the force drives plus the profile that a moving wall drags along. In a square cavity under a lid
// both lines are compared with the values of Ghia, Ghia & Shin (1982), where they exist for this Reynolds number. All
// these flows are steady, so a deviation is stated once `steps` since the last change are enough to become so.
std::vector<Curve> profile_curves(const Parameters& parameters, const Profiles& profiles, bool walls,
                                  std::int64_t steps);

// The velocity round the axis of this annulus against the distance from it, with its theory; empty if the middle lines
// do not cross in the axis. The mean of the four directions.
std::vector<Curve> annulus_curves(const Annulus& annulus, const Parameters& parameters, const Profiles& profiles,
                                  std::int64_t steps);

}  // namespace perturb::lbm

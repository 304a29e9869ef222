// Velocities on the two lines through the middle of the domain, and what theory has for them.
#pragma once

#include <memory>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/core/backend/readback.h"
#include "cuda/core/simulation/diagnostics.h"
#include "cuda/lbm/model/lattice.h"
#include "cuda/lbm/parameters.h"

namespace perturb::lbm {

struct Profiles {
  std::vector<float> upright;  // to the right, on the upright line, from below; cell/step
  std::vector<float> level;    // upwards, on the level line, from the left
};

// Reads them beside the run. Between two cells the line has their mean.
class MiddleLines {
 public:
  MiddleLines(Backend& backend, int width, int height) : backend_(backend), width_(width), height_(height) {}

  // Queues the reading; the one before must have come back. Takes its memory when it is first asked; where there is
  // none nothing is read.
  void start(const StepParams& flow, const Lattice& lattice);
  bool ready() { return !readback_ || readback_->ready(); }
  void wait() {
    if (readback_) readback_->wait();
  }
  Profiles result() const;

 private:
  Backend& backend_;
  int width_, height_;
  Array<float> values_;  // the upright line's, then the level one's
  std::unique_ptr<AsyncReadback> readback_;
};

// As curves. Between two walls along the stream, without a body, the upright line has the parabola that the force
// drives and what a moving wall drags along, once the flow is steady. In a square cavity under a lid both have the
// values of Ghia, Ghia & Shin (1982), where there are some for this Reynolds number.
std::vector<Curve> profile_curves(const Parameters& parameters, const Profiles& profiles, bool walls);

}  // namespace perturb::lbm

// The stream function, whose level lines are the current streamlines.
#pragma once

#include "cuda/core/backend/field.h"
#include "cuda/lbm/model/lattice.h"

namespace perturb::lbm {

// For each corner, the mass flux between it and the domain's lower left corner, to the right: [height + 1]
// [width + 1], cell/step times cells. Exact except where the density changes in time (sound).
class Streamlines {
 public:
  Streamlines(Backend& backend, int width, int height) : backend_(backend), width_(width), height_(height) {}

  // Of the current state; queued. Allocates its memory at the first call, and throws Error when memory runs out.
  View2D<const float> of(const StepParams& flow, const Lattice& lattice);
  void forget() { function_ = {}; }

 private:
  Backend& backend_;
  int width_, height_;
  Field<float> function_;
};

}  // namespace perturb::lbm

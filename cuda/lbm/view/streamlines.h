// The stream function, whose level lines are the streamlines of this moment.
#pragma once

#include "cuda/core/backend/field.h"
#include "cuda/lbm/model/lattice.h"

namespace perturb::lbm {

// Of each cell the flux of mass that passes between its lower left corner and the domain's, to the right: [height + 1]
// [width + 1], cell/step times cells. Where density changes in time (sound) level lines are streamlines but for that.
class Streamlines {
 public:
  Streamlines(Backend& backend, int width, int height) : backend_(backend), width_(width), height_(height) {}

  // Of this moment; queued. Takes its memory when it is first asked, Error when there is none.
  View2D<const float> of(const StepParams& flow, const Lattice& lattice);
  void forget() { function_ = {}; }

 private:
  Backend& backend_;
  int width_, height_;
  Field<float> function_;
};

}  // namespace perturb::lbm

// Walls whose outline lies where it was drawn: before each step the answers of such walls are written where the plain
// bounce-back of every kernel finds them. No kernel knows of it.
#pragma once

#include <cstdint>

#include "cuda/core/backend/field.h"
#include "cuda/lbm/model/bodies.h"
#include "cuda/lbm/model/boundary_links.h"
#include "cuda/lbm/model/lattice.h"
#include "cuda/lbm/model/outline.h"
#include "cuda/lbm/model/slip.h"
#include "cuda/lbm/parameters.h"

namespace perturb::lbm {

// What is asked of the walls: nothing (an empty curve) where their outlines are those of whole cells.
inline WallCurve curve_of(const Parameters& parameters, const StepParams& flow, const BoundaryLinks& boundary_links) {
  if (parameters.outlines != Outlines::curved) return {};
  WallCurve curve = boundary_links.curve(flow);
  curve.magic = static_cast<float>(curve_correction(parameters));
  return curve;
}

class Curved {
 public:
  explicit Curved(Backend& backend) : backend_(backend) {}

  // Before a step. `flow`: the pass of this moment; `curve`: not empty. Where the walls are others than the last time
  // it finds the cells beside them, waits for the device, and throws Error when memory runs out. `keeps_mass`: what the
  // answers bring each cell more than the plain bounce-back is taken from its population at rest, which no other cell
  // reads and which carries no momentum: mass stays, and the force on the wall too.
  void correct_boundaries(const StepParams& flow, const BoundaryLinks& boundary_links, const WallCurve& curve,
                          const Lattice& lattice, bool keeps_mass);

 private:
  void find(const StepParams& flow, const WallCurve& curve);

  Backend& backend_;
  Array<RimCell> rims_;  // of all walls, row by row; and perhaps more room
  int count_ = 0;
  std::uint64_t walls_ = 0;  // the walls that they are of, as BoundaryLinks counts them; 0: none
};

}  // namespace perturb::lbm

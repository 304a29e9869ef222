// Curved walls: walls whose boundary is the outline that was drawn. Before each step their boundary populations are
// written where the plain bounce-back of every kernel reads them, so that kernels need no code for them.
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

// The curve of the walls; empty where their outlines are those of whole cells.
inline WallCurve curve_of(const Parameters& parameters, const StepParams& flow, const BoundaryLinks& boundary_links) {
  if (parameters.outlines != Outlines::curved) return {};
  WallCurve curve = boundary_links.curve(flow);
  curve.magic = static_cast<float>(curve_correction(parameters));
  return curve;
}

class Curved {
 public:
  explicit Curved(Backend& backend) : backend_(backend) {}

  // To be called before a step. `flow`: the current step parameters; `curve`: not empty. If the walls have changed
  // since
  // the last call, finds the cells next to them, waits for the device, and throws Error when memory runs out.
  // `keeps_mass`:
  // the mass that these boundary populations add compared with plain bounce-back is taken from the cell's population at
  // rest, which no other cell reads and which has no momentum. This keeps the mass and the force on the wall.
  void correct_boundaries(const StepParams& flow, const BoundaryLinks& boundary_links, const WallCurve& curve,
                          const Lattice& lattice, bool keeps_mass);

 private:
  void find(const StepParams& flow, const WallCurve& curve);

  Backend& backend_;
  Array<RimCell> rims_;  // of all walls, row by row; the capacity may be larger
  int count_ = 0;
  std::uint64_t walls_ = 0;  // the walls they belong to, as BoundaryLinks counts them; 0: none
};

}  // namespace perturb::lbm

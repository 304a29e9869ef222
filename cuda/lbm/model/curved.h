// Curved walls: walls whose boundary is the outline that was drawn; and the slip of a flow along walls.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/lbm/model/bodies.h"
#include "cuda/lbm/model/boundary_links.h"
#include "cuda/lbm/model/lattice.h"
#include "cuda/lbm/model/walls.h"
#include "cuda/lbm/parameters.h"

namespace perturb::lbm {

// Λ = Λ₊ Λ₋ of the collision, Λ₊ = 3ν; where both rates are equal Λ₋ is the same. For LES without the eddy viscosity.
inline double lbm_magic(const Parameters& p) {
  const double even = 3 * p.viscosity;
  return p.collision == Collision::trt ? p.magic : even * even;
}

// The part of Λ by which curved outlines are corrected (WallCurve). The correction is a second difference of the
// previous step, and like an explicit diffusion step it has a stability limit: at a flat wall, along the lattice or at
// 45 degrees to it, with the outline at a tenth of a cell or more, no ripple grows while it is at most 1/4 and at most
// 0.075/ν (the eigenvalues of the linearised step in a strip). With all of Λ and a single relaxation time ripples grow
// from ν = 0.2 on, seventyfold a step at ν = 2. Of TRT's Λ it is at most 9ν, which is stable at lower viscosities:
// there odd moments hardly relax, and with all of Λ = 3/16 ripples grow at walls at 45 degrees from ν = 0.015 down, in
// fluid at rest (runs of 5000 steps at such walls at eight heights: 9ν is stable from 0.001 on, 14ν is not at 0.01).
inline double curve_correction(const Parameters& p) {
  return std::min({lbm_magic(p), 0.25, 9 * p.viscosity, 0.075 / p.viscosity});
}

// The lowest viscosity at which curved outlines are stable with TRT. Below it ripples grow at them in fluid at rest,
// even without a correction: odd moments, which the boundary populations contain, hardly relax. From runs of a disc in
// a box, six radii, 16000 steps, to a fifth: 0.0013 to 0.0017 for Λ = 3/16, 0.0017 to 0.0022 for 1/2, 0.0006 to 0.001
// for 0.02.
inline double curve_viscosity(const Parameters& p) { return 0.0025 * std::pow(p.magic, 0.25); }

// Slip of a parabola between two walls `width` cells apart, as a fraction of its peak. Bounce-back places a parabola's
// walls exactly for Λ = 3/16 only, and is off by (16 Λ - 3)/(3 width²) of the peak (He, Zou, Luo & Dembo 1997;
// Ginzburg & d'Humières 2003). At curved outlines the part of Λ that the correction omits counts.
inline double wall_slip(const Parameters& p, double width) {
  const double magic = lbm_magic(p),
               off = p.outlines == Outlines::curved ? magic - curve_correction(p) : magic - 3. / 16;
  return 16 * std::abs(off) / (3 * width * width);
}

// ---- curved walls: before a step their boundary populations are written where the plain bounce-back of every kernel
// reads them, so that kernels need no code for them. A pass of several steps on the CPU computes them itself.

// The curve of the walls; empty where their outlines are those of whole cells.
inline WallCurve curve_of(const Parameters& parameters, const StepParams& flow, const BoundaryLinks& boundary_links) {
  if (parameters.outlines != Outlines::curved) return {};
  WallCurve curve = boundary_links.curve(flow);
  curve.magic = static_cast<float>(curve_correction(parameters));
  return curve;
}

// The curved walls for a pass of several steps on the CPU.
struct CurvedRows {
  // How many rows away a boundary population is computed from.
  static constexpr int reach = 2;
  struct Link {
    int i, q;  // link q of the cell in column i
    WallCurve::Link weights;
  };

  WallCurve curve;
  std::span<const Link> links;  // row by row, those of a cell one after the other
  std::span<const int> begins;  // index of each row's first link; and the end

  bool empty() const { return curve.empty(); }
};

class Curved {
 public:
  explicit Curved(Backend& backend) : backend_(backend) {}

  // To be called before a step. `flow`: the current step parameters; `curve`: not empty. If the walls have changed
  // since the last call, finds the cells next to them, waits for the device, and throws Error when memory runs out.
  // `keeps_mass`:
  // the mass that these boundary populations add compared with plain bounce-back is taken from the cell's population at
  // rest, which no other cell reads and which has no momentum. This keeps the mass and the force on the wall.
  void correct_boundaries(const StepParams& flow, const BoundaryLinks& boundary_links, const WallCurve& curve,
                          const Lattice& lattice, bool keeps_mass);
  // The same walls for passes on the CPU that compute the populations themselves. Valid until the walls change.
  CurvedRows rows(const StepParams& flow, const BoundaryLinks& boundary_links, const WallCurve& curve);

 private:
  void follow(const StepParams& flow, const BoundaryLinks& boundary_links, const WallCurve& curve);
  void find(const StepParams& flow, const WallCurve& curve);
  void list_links(const StepParams& flow);

  Backend& backend_;
  Array<RimCell> rims_;             // of all walls, row by row; the capacity may be larger
  Array<WallCurve::Link> origins_;  // lbm_links of each of these cells
  int count_ = 0;
  std::vector<CurvedRows::Link> links_;  // on the CPU
  std::vector<int> begins_;
  std::uint64_t walls_ = 0;  // the walls they belong to, as BoundaryLinks counts them; 0: none
};

}  // namespace perturb::lbm

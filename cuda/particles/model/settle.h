// End of a step: each disc moves on, after its collision with a partner or a wall. Also the largest speed, which the
// width of cells depends on.
#pragma once

#include <cstdint>

#include "cuda/core/loops/atomic.h"
#include "cuda/particles/model/find.h"

namespace perturb::particles {

// Moves the discs by one step with the collisions in `claims`; counts these, and the momentum given to walls.
template <class Real, bool contract>
struct SettleDiscs {
  DiscGrid<Real> grid;
  const Claim* claims;
  Disc<Real>* next;
  std::uint32_t* wall_collisions;
  std::uint32_t* disc_collisions;
  StepControl* control;
  double impulse_unit;
  PERTURB_HD void operator()(int i) const {
    const Claim claim = claims[i];
    if (is_taken(claim))
      collide(i, partner_of(claim));
    else
      move(i);
  }
  PERTURB_HD void move(int i) const { next[i] = settle_free<contract>(grid.discs[i]); }
  PERTURB_HD void collide(int i, int partner) const {
    const Disc<Real> self = grid.discs[i];
    const DiscKind<Real> kind = grid.kind(i);
    Disc<Real> after;
    if (partner == wall_partner) {
      Real momentum = 0;
      after = settle_wall<contract>(self, kind.radius, grid.box, wall_hit(self, kind.radius, grid.box), momentum);
      ++wall_collisions[i];
      const double units = static_cast<double>(momentum * kind.mass) / impulse_unit;
      if (units < 9e15) atomic_add(control->impulse, static_cast<std::int64_t>(units));
    } else {
      after = settle_pair<contract>(self, grid.discs[partner], kind, grid.kind(partner), grid.box);
      ++disc_collisions[i];
    }
    next[i] = after;
    raise(after);
  }
  PERTURB_HD void raise(const Disc<Real>& d) const {
    const Real ax = d.vx < Real(0) ? -d.vx : d.vx, ay = d.vy < Real(0) ? -d.vy : d.vy;
    atomic_max(control->fastest, static_cast<float>(ax > ay ? ax : ay) * 1.000001f);
  }
};

// The same in the paper's two kernels: one over the collisions, which settles both their discs, ...
struct SettledCollision {
  int p = 0, q = 0;  // slots; q < 0: a wall
};
template <class Real, bool contract>
struct SettleCollisions {
  SettleDiscs<Real, contract> settle;
  const SettledCollision* collisions;
  PERTURB_HD void operator()(int k) const {
    const SettledCollision collision = collisions[k];
    settle.collide(collision.p, collision.q < 0 ? wall_partner : collision.q);
    if (collision.q >= 0) settle.collide(collision.q, collision.p);
  }
};
// ... and one over all discs, which moves those that do not collide and clears the marks.
template <class Real, bool contract>
struct UpdateDiscs {
  SettleDiscs<Real, contract> settle;
  Claim* claims;
  PERTURB_HD void operator()(int i) const {
    if (is_taken(claims[i]))
      claims[i] = claim_of(no_partner);
    else
      settle.move(i);
  }
};

// Updates the maximum of the control block with the largest velocity component of all discs.
template <class Real>
struct RaiseFastest {
  const Disc<Real>* discs;
  StepControl* control;
  PERTURB_HD void operator()(int i) const {
    const Real vx = discs[i].vx, vy = discs[i].vy;
    const Real ax = vx < Real(0) ? -vx : vx, ay = vy < Real(0) ? -vy : vy;
    atomic_max(control->fastest, static_cast<float>(ax > ay ? ax : ay) * 1.000001f);
  }
};
struct ForgetFastest {
  StepControl* control;
  PERTURB_HD void operator()(int) const { control->fastest = 0; }
};

}  // namespace perturb::particles

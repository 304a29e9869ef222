// Saved state of the discs: writing, reading and validation. All conditions are checked before the running discs
// change.
#pragma once

#include "cuda/core/simulation/state.h"
#include "cuda/particles/model/discs.h"
#include "cuda/particles/parameters.h"

namespace perturb::particles {

// Adds the datasets of discs that are in the order of their ids.
template <class Real>
void write_disc_state(State& state, const HostDiscs<Real>& host, const Parameters& parameters, const PistonBox& box);

template <class Real>
struct DiscsSaved {
  HostDiscs<Real> host;
  double right = 0;    // position of the right wall
  double target = -1;  // to which it was dragged, as PistonBox::target()
  WallGains gains;     // heat and work; the impulse starts at 0
  // Warning about a valid but unusual state, for the user: discs overlap, which one collision per step allows.
  Message note;
};

// Largest velocity component: the search for collisions squares a distance across the box, at most `extent`, times a
// speed.
double fastest_disc(Precision precision, double extent);

// Throws InputError unless the state has 1 to max_discs discs in the box of `parameters`, between its walls at their
// current positions, with positive masses and radii, no speed whose square overflows the precision, and no three of
// them at exactly one position. (In a corner there may be: discs that would leave the box are put there.)
template <class Real>
DiscsSaved<Real> read_disc_state(const State& state, const Parameters& parameters);

extern template void write_disc_state(State&, const HostDiscs<float>&, const Parameters&, const PistonBox&);
extern template void write_disc_state(State&, const HostDiscs<double>&, const Parameters&, const PistonBox&);
extern template DiscsSaved<float> read_disc_state(const State&, const Parameters&);
extern template DiscsSaved<double> read_disc_state(const State&, const Parameters&);

}  // namespace perturb::particles

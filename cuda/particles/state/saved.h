// The discs' saved state, written, and read and checked: all that must hold of it is stated here, before anything of
// the running discs changes.
#pragma once

#include <string>

#include "cuda/core/simulation/state.h"
#include "cuda/particles/model/host.h"
#include "cuda/particles/model/piston.h"
#include "cuda/particles/parameters.h"

namespace perturb::particles {

// Adds the datasets of discs that are in the order of their ids.
template <class Real>
void write_disc_state(State& state, const HostDiscs<Real>& host, const ParticlesParameters& parameters,
                      const PistonBox& box);

template <class Real>
struct DiscsSaved {
  HostDiscs<Real> host;
  double right = 0;  // where the right wall is
  // What is odd, and can be nevertheless, in a sentence for the user: discs overlap, which one collision a step allows.
  std::string note;
};

// The most that a component of a velocity can be: the search for collisions squares a way across the box, which is
// `extent` long at most, times a speed.
double fastest_disc(DiscPrecision precision, double extent);

// Throws InputError unless the state is of 1 to max_discs discs in the box that `parameters` tell, between its walls
// as they stand, with positive masses and radii, no speed whose square the precision cannot hold, and no three of them
// in exactly one place. (In a corner there may be: what would leave the box is set there.)
template <class Real>
DiscsSaved<Real> read_disc_state(const State& state, const ParticlesParameters& parameters);

extern template void write_disc_state(State&, const HostDiscs<float>&, const ParticlesParameters&, const PistonBox&);
extern template void write_disc_state(State&, const HostDiscs<double>&, const ParticlesParameters&, const PistonBox&);
extern template DiscsSaved<float> read_disc_state(const State&, const ParticlesParameters&);
extern template DiscsSaved<double> read_disc_state(const State&, const ParticlesParameters&);

}  // namespace perturb::particles

// Discs that come into a run, and discs that leave it.
#pragma once

#include <cstdint>

#include "cuda/particles/model/host.h"
#include "cuda/particles/model/piston.h"
#include "cuda/particles/parameters.h"

namespace perturb::particles {

// What the action `add` asks for: up to `count` discs at random places in a circle. Lengths.
struct DiscsToAdd {
  double x = 0, y = 0, reach = 0;  // the circle
  int count = 0;
  double radius = 1, mass = 1, speed = 0;  // of each disc; the speed in lengths a step
};

// Adds them where they overlap no other. `largest_in_cells`: the radius of the largest disc but for a few. The same for
// a seed at a step on every machine. Throws InputError where there would be too many, or where not one fits; `host` may
// have been changed then.
template <class Real>
void add_discs(HostDiscs<Real>& host, const DiscsToAdd& wanted, const ParticlesParameters& parameters,
               const PistonBox& box, double largest_in_cells, std::uint32_t seed, std::int64_t step);

// Those outside of a circle; the last disc stays.
template <class Real>
HostDiscs<Real> discs_outside(const HostDiscs<Real>& host, double x, double y, double reach);

extern template void add_discs(HostDiscs<float>&, const DiscsToAdd&, const ParticlesParameters&, const PistonBox&,
                               double, std::uint32_t, std::int64_t);
extern template void add_discs(HostDiscs<double>&, const DiscsToAdd&, const ParticlesParameters&, const PistonBox&,
                               double, std::uint32_t, std::int64_t);
extern template HostDiscs<float> discs_outside(const HostDiscs<float>&, double, double, double);
extern template HostDiscs<double> discs_outside(const HostDiscs<double>&, double, double, double);

}  // namespace perturb::particles

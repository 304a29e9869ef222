// Adds discs to a run, and removes them.
#pragma once

#include <cstdint>

#include "cuda/particles/model/host.h"
#include "cuda/particles/model/piston.h"
#include "cuda/particles/parameters.h"

namespace perturb::particles {

// Request of the action `add`: up to `count` discs at random positions in a circle. Lengths.
struct DiscsToAdd {
  double x = 0, y = 0, reach = 0;  // the circle
  int count = 0;
  double radius = 1, mass = 1, speed = 0;  // of each disc; the speed in lengths per step
};

// Adds discs where they overlap no other. `largest_in_cells`: the radius of the largest disc except for a few. The
// result for a seed and a step is the same on every machine. Throws InputError if there would be too many discs, or if
// none fits; `host` may have changed then.
template <class Real>
void add_discs(HostDiscs<Real>& host, const DiscsToAdd& wanted, const ParticlesParameters& parameters,
               const PistonBox& box, double largest_in_cells, std::uint32_t seed, std::int64_t step);

// Discs outside a circle; the last disc always stays.
template <class Real>
HostDiscs<Real> discs_outside(const HostDiscs<Real>& host, double x, double y, double reach);

extern template void add_discs(HostDiscs<float>&, const DiscsToAdd&, const ParticlesParameters&, const PistonBox&,
                               double, std::uint32_t, std::int64_t);
extern template void add_discs(HostDiscs<double>&, const DiscsToAdd&, const ParticlesParameters&, const PistonBox&,
                               double, std::uint32_t, std::int64_t);
extern template HostDiscs<float> discs_outside(const HostDiscs<float>&, double, double, double);
extern template HostDiscs<double> discs_outside(const HostDiscs<double>&, double, double, double);

}  // namespace perturb::particles

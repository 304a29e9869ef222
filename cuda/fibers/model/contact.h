// Optional contact: keeps fibers from overlapping at the end of a step. It is not in the paper.
//
// Two fibers whose axes a step has brought closer than one thickness push each other with equal and opposite forces
// along the line between their nearest points, so strongly that they touch. Each moves as a lone fiber does under such
// a force P n at the position s of its axis, by the balance of README.md with its torque: its centre by [(d + 2) n + (d
// - 2)(t.n) t]/(2d) P, its direction by 3/2 s (n - (t.n) t) P; one of half-length L with its own d_L by [(d_L + 2) n +
// (d_L - 2)(t.n) t]/(2 d L) P and 3/2 s (n - (t.n) t) d_L/(d L³) P. So the total weight is unchanged, and the forces
// only take work from the motion. Their effect on other fibers through the fluid is omitted, and so are lubrication and
// friction. Two fibers that pass through each other within one step are not detected.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "cuda/fibers/model/interaction.h"

namespace perturb::fibers {

struct Contacts {
  int pairs = 0;        // that were pushed apart
  bool settled = true;  // no pair is still closer than one thickness
};

// All pairs of fibers whose axes are closer than `reach` at present, the lower number first, in the order of their
// numbers.
using FindNearFibers = std::function<std::vector<Pair>(double reach)>;

// Moves fibers with centres `position` and unit tangents `tangent`, [fibers][3] each, on the host. `thickness`: the
// least distance of two axes; `d`: fiber_d; `box`: edge of the periodic box, 0: none; `half_lengths`: of each fiber, or
// none if all are 1. Pairs are processed in the order of their numbers, repeatedly until none is too close, so that the
// result depends on nothing else.
// `find`: searches on the backend (kernels/contact_search.h); without it the host compares all pairs, for a few fibers.
Contacts push_fibers_apart(double* position, double* tangent, std::size_t fibers, double thickness, double d,
                           double box, std::span<const double> half_lengths = {}, const FindNearFibers& find = {});

}  // namespace perturb::fibers

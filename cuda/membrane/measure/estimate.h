// Where the error is: of a solution that nobody knows, from what polynomials of one degree more would add.
//
// The solution is put into the space in which every patch has a degree more, where it leaves a residual r. What each
// patch alone would answer to that, r_i·A_ii⁻¹ r_i, is its share in the square of the error (in the energy norm, with
// the held rim's part). Patches overlap, so that together they count a part of the error more than once: by at most the
// number of colours of the cover, 4 of an even one (the additive Schwarz bound).
#pragma once

#include <vector>

#include "cuda/membrane/model/discretisation.h"

namespace perturb::membrane {

struct Estimate {
  std::vector<double> square;  // by patch, in the cover's order
  // By patch, how much smaller the coefficients of one degree more are than those of the highest degree that it has:
  // small where the solution is smooth.
  std::vector<double> decay;
  double total() const;  // the square root of the sum
};

// The highest degree that a patch may have for it.
constexpr int most_estimated_degree = membrane_max_degree - 1;

// Throws InputError where a patch has a higher degree, or memory is short.
Estimate membrane_estimate(Backend& backend, const Discretisation& d, const Parameters& p);

// How a cover is refined: by splitting, by degree, or by what promises more for an unknown.
enum class Refinement { h, p, hp };

// The cover refined where the error is: on the patches with the largest shares that together have `share` of it.
// Throws InputError where nothing of it can be refined.
Cover membrane_refined(const Cover& cover, const Estimate& estimate, Refinement by, double share);

}  // namespace perturb::membrane

// Boundary values, compared with closed-form solutions.
#include <algorithm>
#include <cmath>
#include <string>

#include "cuda/membrane/measure/theory.h"
#include "cuda/membrane/verify/checks.h"

namespace perturb::membrane {

namespace {

Parameters rim_problem(RimShape shape) {
  Parameters p;
  p.rim = shape, p.source_strength = 0, p.sigma = 0;
  p.corner_bottom_left = 0.3, p.corner_bottom_right = -1, p.corner_top_left = 0.5, p.corner_top_right = 2;
  p.integration_level = 10;
  return p;
}

}  // namespace

void verify_rim(Backend& backend, std::vector<TheoryCheck>& checks) {
  // a + b x + c y + d x y has no Laplacian and is in every local space from p = 2 on: it is reproduced exactly.
  Cover refined(2, 2);
  refined.split(refined.find(0.1, 0.9));
  refined.change_degree(refined.find(0.9, 0.1), 2);
  for (const bool free : {false, true}) {
    Parameters p = rim_problem(RimShape::frame);
    if (free) p.boundary_right = p.boundary_top = Side::free;
    const std::string sides = free ? ", free at the right and the top" : ", fixed";
    for (const bool even : {true, false}) {
      const CheckErrors e = check_errors(backend, even ? Cover(3, 3) : refined, p);
      checks.push_back({"L² error, bent frame" + sides + (even ? ", even cover" : ", refined cover"), "height", 0,
                        e.value, e.value, 1e-10,
                        "the frame's polynomial is the solution and lies in the space; heights from -1 to 2"});
    }
  }
  Parameters p = rim_problem(RimShape::wave);
  check_convergence(backend, checks, "wave on the top side, fixed", p, 2, 5);
  p.boundary_left = p.boundary_top = Side::free;
  check_convergence(backend, checks, "wave, slopes given at the left and the top", p, 3, 4);
  // With a foundation the wave decays faster: sinh(q y)/sinh(q), q² = m² pi² + sigma.
  p = rim_problem(RimShape::wave);
  p.sigma = 30, p.load = Load::mode, p.source_strength = 0.5;
  check_convergence(backend, checks, "wave on the top side and a mode, sigma = 30", p, 3, 4);
}

}  // namespace perturb::membrane

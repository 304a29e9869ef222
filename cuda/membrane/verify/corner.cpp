// Checks of `perturb verify membrane` for domains with a tip: the L and the slit, with and without enrichment.
#include <cmath>
#include <string>
#include <vector>

#include "cuda/membrane/model/theory.h"
#include "cuda/membrane/verify/checks.h"

namespace perturb::membrane {

namespace {

// u = s, the singular function, given on the sides, without a load.
Parameters singular_problem(DomainShape shape, double enrichment) {
  Parameters p;
  p.domain = shape;
  p.enrichment = enrichment;
  p.rim = RimShape::corner;
  p.source_strength = 0;
  p.sigma = 0;
  return p;
}

// The order of the H¹ error in the size of the patches, from one level to the next.
double order_of_error(Backend& backend, const Parameters& p, int level, int degree) {
  const double coarse = check_errors(backend, Cover(level, degree), p).slope;
  return std::log2(coarse / check_errors(backend, Cover(level + 1, degree), p).slope);
}

}  // namespace

void verify_corner(Backend& backend, std::vector<TheoryCheck>& checks) {
  for (const DomainShape shape : {DomainShape::l, DomainShape::slit}) {
    const std::string name = shape == DomainShape::l ? "L" : "slit";
    // a + b x + c y + d x y is the solution in any domain.
    Parameters p = singular_problem(shape, 0.25);
    p.rim = RimShape::frame;
    p.integration_level = 10;
    Cover refined(2, 2);
    refined.split(refined.find(0.45, 0.55));
    refined.split(refined.find(0.49, 0.51));
    const double frame = check_errors(backend, refined, p).value;
    checks.push_back({name + ", bent frame, refined and enriched: L² error", "height", 0, frame, frame, 1e-9,
                      "the frame's polynomial is the solution and is in the space"});
    // Where every patch has s, it is in the space: what is left is the quadrature.
    const double whole = check_errors(backend, Cover(3, 2), singular_problem(shape, 0.75)).slope;
    checks.push_back({name + ", all patches enriched: H¹ error of s", "height/length", 0, whole, whole, 1e-5,
                      "the singular function s is the solution and is in the space"});
    const double exponent = membrane_domain(p).exponent();
    for (const int degree : {1, 2, 3}) {
      const double polynomials = order_of_error(backend, singular_problem(shape, 0), 4, degree);
      checks.push_back({name + ", order of the H¹ error of s, p = " + std::to_string(degree), "", exponent, polynomials,
                        std::abs(polynomials - exponent), 0.05, "pi/omega for every degree; absolute"});
      const double enriched = order_of_error(backend, singular_problem(shape, 0.25), 4, degree);
      checks.push_back(
          {name + ", the same, enriched within 0.25", "", static_cast<double>(degree), enriched,
           std::max(1 - enriched / degree, 0.0), 0.2,
           "p, as of a smooth solution; relative, where it is less. Enriched patches end up to a width beyond "
           "the radius, and with their width shrinks the region"});
    }
  }
  // Betcke & Trefethen, SIAM Review 47 (2005): 9.6397238440219 for sides of 1 and 2; here they are half as long.
  constexpr double lowest = 4 * 9.6397238440219;
  double off[2] = {};
  for (const bool enriched : {false, true}) {
    Parameters p = singular_problem(DomainShape::l, enriched ? 0.25 : 0);
    p.rim = RimShape::flat;
    p.level = 3;
    p.degree = 3;
    const double found = found_modes(backend, p)[0];
    off[enriched] = std::abs(found / lowest - 1);
    checks.push_back({std::string("L, lowest eigenvalue") + (enriched ? ", enriched" : ""), "1/length²", lowest, found,
                      off[enriched], enriched ? 1e-4 : 1e-2, "4 · 9.6397238440219; relative, level 3, p = 3"});
  }
  checks.push_back({"L, error of the lowest eigenvalue by enrichment, as a fraction", "", 0, off[1] / off[0],
                    off[1] / off[0], 0.2, "of that without: at most a fifth"});
}

}  // namespace perturb::membrane

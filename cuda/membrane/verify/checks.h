// Common parts of the checks of `perturb verify membrane`: solves a problem and compares its errors with the orders of
// theory.
#pragma once

#include <string>
#include <vector>

#include "cuda/membrane/model/discretisation.h"

namespace perturb::membrane {

// Assembles and solves to 1e-12.
Solved check_solve(Discretisation& d, const Parameters& p);

struct CheckErrors {
  double value = 0, slope = 0;  // in L² and H¹
  std::int64_t unknowns = 0;
};
// Of a problem whose solution is known: `known`, or that of its parameters.
CheckErrors check_errors(Backend& backend, const Cover& cover, const Parameters& p, const Known* known = nullptr);

// Checks the orders p + 1 and p of the errors over the last two of four levels.
void check_convergence(Backend& backend, std::vector<TheoryCheck>& checks, const std::string& name, const Parameters& p,
                       int degree, int finest, const Known* known = nullptr);

// Boundary values (verify/verify.cpp).
void verify_rim(Backend& backend, std::vector<TheoryCheck>& checks);
// A load by formula (verify/verify.cpp).
void verify_formula(Backend& backend, std::vector<TheoryCheck>& checks);
// The membrane in time (verify/time.cpp).
void verify_time(Backend& backend, std::vector<TheoryCheck>& checks, bool with_long);
// The damped steady response (verify/time.cpp).
void verify_damped(Backend& backend, std::vector<TheoryCheck>& checks);
// The estimated error and refinement by it (verify/verify.cpp).
void verify_estimate(Backend& backend, std::vector<TheoryCheck>& checks);
// The residual that the solver reports (verify/verify.cpp).
void verify_solver(Backend& backend, std::vector<TheoryCheck>& checks);
// Eigenvalues of the membrane's lowest modes, computed with p.level and p.degree.
std::vector<double> found_modes(Backend& backend, const Parameters& p);
// Domains with a tip, with and without enrichment (verify/corner.cpp).
void verify_corner(Backend& backend, std::vector<TheoryCheck>& checks);
// The membrane's own modes (verify/time.cpp).
void verify_modes(Backend& backend, std::vector<TheoryCheck>& checks);

}  // namespace perturb::membrane

// What the checks of `perturb verify membrane` share: a problem solved, and its errors beside the orders of theory.
#pragma once

#include <string>
#include <vector>

#include "cuda/membrane/membrane_discretisation.h"

namespace perturb::membrane {

// Assembles and solves to 1e-12.
Solved check_solve(Discretisation& d, const Parameters& p);

struct CheckErrors {
  double value = 0, slope = 0;  // in L² and H¹
  std::int64_t unknowns = 0;
};
// Of a problem whose solution is known.
CheckErrors check_errors(Backend& backend, const Cover& cover, const Parameters& p);

// The errors' orders p + 1 and p over the last two of four levels.
void check_convergence(Backend& backend, std::vector<TheoryCheck>& checks, const std::string& name, const Parameters& p,
                       int degree, int finest);

// Values given on the rim (membrane_verify_rim.cpp).
void verify_rim(Backend& backend, std::vector<TheoryCheck>& checks);
// The membrane in time (membrane_verify_time.cpp).
void verify_time(Backend& backend, std::vector<TheoryCheck>& checks, bool with_long);
// The damped steady swing (membrane_verify_damped.cpp).
void verify_damped(Backend& backend, std::vector<TheoryCheck>& checks);
// The estimated error and refining by it (membrane_verify_estimate.cpp).
void verify_estimate(Backend& backend, std::vector<TheoryCheck>& checks);
// What the solver says that it left of the load (membrane_verify_solver.cpp).
void verify_solver(Backend& backend, std::vector<TheoryCheck>& checks);
// The membrane's own modes (membrane_verify_modes.cpp).
void verify_modes(Backend& backend, std::vector<TheoryCheck>& checks);

}  // namespace perturb::membrane

#include "cuda/membrane/verify/checks.h"

#include <algorithm>
#include <cmath>

#include "cuda/membrane/model/modes.h"
#include "cuda/membrane/model/theory.h"

namespace perturb::membrane {

Solved check_solve(Discretisation& d, const Parameters& p) {
  const Form form = membrane_form(p, d.structure().highest_degree);
  d.assemble(Kernel::tensor, form, true, true);
  const bool definite = p.shift() > 0 || (p.shift() == 0 && lowest_eigenvalue(p) > 0);
  d.solver().prepare(d.matrix(std::abs(p.shift())), form, p.preconditioner);
  const bool enriched = membrane_domain(p).enriches();
  d.solver().set_factors(enriched);
  return d.solve(p.shift(), definite, {p.preconditioner, 1e-12, 5000, enriched});
}

CheckErrors check_errors(Backend& backend, const Cover& cover, const Parameters& p, const Known* known) {
  Discretisation d(backend, cover, p);
  check_solve(d, p);
  const CellError e = d.error(known ? *known : membrane_known(p), std::min(cover.highest_degree() + 4, max_points));
  return {std::sqrt(e.value2), std::sqrt(e.slope2), d.structure().unknowns};
}

void check_convergence(Backend& backend, std::vector<TheoryCheck>& checks, const std::string& name, const Parameters& p,
                       int degree, int finest, const Known* known) {
  CheckErrors before;
  for (int level = finest - 3; level <= finest; ++level) {
    const CheckErrors now = check_errors(backend, Cover(level, degree), p, known);
    if (before.unknowns > 0) {
      const auto add = [&](const char* norm, double was, double is, int order) {
        const double expected = std::ldexp(was, -order);
        checks.push_back({std::string(norm) + " error, " + name + ", p = " + std::to_string(degree) + ", " +
                              std::to_string(now.unknowns) + " unknowns",
                          "", expected, is, std::max(is / expected - 1, 0.0), 0.35,
                          "the coarser level's over 2^" + std::to_string(order) + "; relative, where it is more"});
      };
      // The first step may not have reached the asymptotic order yet.
      if (level > finest - 2) {
        add("L²", before.value, now.value, degree + 1);
        add("H¹", before.slope, now.slope, degree);
      }
    }
    before = now;
  }
}

std::vector<double> found_modes(Backend& backend, const Parameters& p) {
  Discretisation d(backend, Cover(p.level, p.degree), p);
  const Form form = membrane_form(p, p.degree);
  d.assemble(Kernel::tensor, form, true, false);
  d.solver().prepare(d.matrix(Modes::shift), form, p.preconditioner);
  Modes modes(backend);
  modes.make_room(d);
  for (int turn = 0; turn < 200 && !modes.settled(); ++turn) modes.improve(d, p);
  return modes.values();
}

}  // namespace perturb::membrane

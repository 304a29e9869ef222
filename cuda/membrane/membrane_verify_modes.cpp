// The membrane's own modes beside theory; and as a study, the list of them.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "cuda/membrane/membrane_checks.h"
#include "cuda/membrane/membrane_gauges.h"
#include "cuda/membrane/membrane_modes.h"
#include "cuda/membrane/membrane_studies.h"
#include "cuda/membrane/membrane_theory.h"

namespace perturb::membrane {

namespace {

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

}  // namespace

void verify_modes(Backend& backend, std::vector<TheoryCheck>& checks) {
  Parameters p;
  p.level = 3, p.degree = 4;
  for (const Side side : {Side::fixed, Side::free}) {
    p.boundary_left = p.boundary_right = p.boundary_bottom = p.boundary_top = side;
    const std::vector<double> found = found_modes(backend, p);
    const std::vector<Mode> theory = lowest_modes(p, Modes::count);
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{15}}) {
      const double exact = theory[k].eigenvalue;
      checks.push_back({"mode " + std::to_string(k + 1) + ", (" + std::to_string(theory[k].m) + ", " +
                            std::to_string(theory[k].n) + ")" + (side == Side::free ? ", free" : ", fixed"),
                        "1/length²", exact, found[k], std::abs(found[k] - exact) / std::max(exact, 1.0), 1e-4,
                        "pi²(m² + n²), a Rayleigh quotient; relative, level 3, p = 4"});
    }
  }
  p = {};
  p.degree = 2, p.integration_level = 8;
  double errors[2] = {};
  for (const int finer : {0, 1}) {
    p.level = 3 + finer;
    errors[finer] = found_modes(backend, p)[3] / lowest_modes(p, Modes::count)[3].eigenvalue - 1;
  }
  // A frequency's share is half of its square's.
  const double formula = wave_error(std::sqrt(8.0) * std::numbers::pi, 1.0 / 16, p.degree);
  checks.push_back({"mode 4 too high, p = 2, by the gauge of waves", "", formula, 0.5 * errors[1],
                    std::abs(std::log2(0.5 * errors[1] / formula)), 2,
                    "(p!/(2p)!)² (k h)^(2p)/(2 (2p + 1)) of finite elements; within a factor of four: the error is the "
                    "ratio's log2"});
  const double order = std::log2(errors[0] / errors[1]);
  checks.push_back({"order of mode 4, p = 2", "", 4, order, std::abs(order - 4), 0.5,
                    "2 p, twice that of the shape in H¹; absolute"});
}

StudyResult modes_study(Backend& backend, const Setup&, const StudyProgress& progress) {
  StudyTable table;
  table.id = "modes", table.title = "The lowest modes of a fixed membrane at level 3, frequency by degree";
  table.columns = {{"number", "number", "", 3}, {"mode", "(m, n)", "", 3}, {"theory", "theory", "1/time", 8}};
  std::vector<std::vector<double>> found;
  Parameters p;
  p.level = 3;
  for (int degree = 1; degree <= 4; ++degree) {
    progress("p = " + std::to_string(degree));
    p.degree = degree;
    found.push_back(found_modes(backend, p));
    table.columns.push_back({"p" + std::to_string(degree), "p = " + std::to_string(degree), "1/time", 8});
  }
  const std::vector<Mode> theory = lowest_modes(p, Modes::count);
  StudyPlot plot;
  plot.title = "Modes of a fixed membrane at level 3: how far from theory", plot.x_label = "number";
  plot.y_label = "share of the frequency", plot.logarithmic_y = true;
  for (std::size_t degree = 0; degree < found.size(); ++degree) {
    StudyLine line{"p = " + std::to_string(degree + 1), {}, false};
    for (std::size_t k = 0; k < theory.size(); ++k)
      line.points.push_back(
          {static_cast<double>(k + 1), std::abs(std::sqrt(found[degree][k] / theory[k].eigenvalue) - 1)});
    plot.lines.push_back(line);
  }
  for (std::size_t k = 0; k < theory.size(); ++k) {
    std::vector<StudyValue> row = {static_cast<double>(k + 1),
                                   "(" + std::to_string(theory[k].m) + ", " + std::to_string(theory[k].n) + ")",
                                   std::sqrt(theory[k].eigenvalue)};
    for (const std::vector<double>& values : found) row.push_back(std::sqrt(values[k]));
    table.rows.push_back(row);
  }
  table.note = "sigma = 0. Theory: pi sqrt(m² + n²).";
  return {{table}, {plot}};
}

}  // namespace perturb::membrane

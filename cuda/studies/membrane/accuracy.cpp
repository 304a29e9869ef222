// Accuracy: convergence of refinement by the estimated error, by splitting, by degree and by both, compared with
// uniform covers; and the list of the membrane's modes, computed and from theory.
#include <algorithm>
#include <cmath>
#include <string>

#include "cuda/membrane/measure/estimate.h"
#include "cuda/membrane/model/modes.h"
#include "cuda/membrane/model/theory.h"
#include "cuda/membrane/verify/checks.h"
#include "cuda/studies/membrane/studies.h"

namespace perturb::membrane {

StudyResult convergence_study(Backend& backend, const Setup&, const StudyProgress& progress) {
  Parameters p;
  p.load = Load::mode;
  p.mode_x = 2;
  p.mode_y = 1;
  p.integration_level = 8;
  StudyTable table("convergence", "Refined by the estimated error, sin(2 pi x) sin(pi y), fixed",
                   {column("by"), column("unknowns", "degrees of freedom", 8),
                    column("estimate", "estimated error", "height/length"),
                    column("error", "error in H¹", "height/length"), column("value_error", "error in L²", "height")});
  StudyPlot plot = plot_of(table.title, {"degrees of freedom", "", Scale::logarithmic},
                           {"error in H¹", "height/length", Scale::logarithmic});
  const auto measure = [&](const std::string& by, const Cover& cover, StudyLine& line) {
    Discretisation d(backend, cover, p);
    check_solve(d, p);
    const CellError error = d.error(membrane_known(p), std::min(cover.highest_degree() + 4, max_points));
    const Estimate estimate = membrane_estimate(backend, d, p);
    const auto unknowns = static_cast<double>(d.structure().unknowns);
    table.add({by, unknowns, estimate.total(), std::sqrt(error.slope2), std::sqrt(error.value2)});
    line.add(unknowns, std::sqrt(error.slope2));
    return estimate;
  };
  constexpr std::int64_t most = 6000;
  struct Way {
    Refinement by;
    const char* label;
  };
  for (const Way way :
       {Way{Refinement::h, "splitting (h)"}, Way{Refinement::p, "degree (p)"}, Way{Refinement::hp, "both (hp)"}}) {
    progress(way.label);
    StudyLine line{way.label, {}};
    Cover cover(2, 1);
    while (true) {
      const Estimate estimate = measure(way.label, cover, line);
      if (way.by == Refinement::p && std::all_of(cover.leaves().begin(), cover.leaves().end(),
                                                 [](const Leaf& leaf) { return leaf.degree == max_estimated_degree; }))
        break;
      if (number_of(table.rows.back()[1]) >= static_cast<double>(most)) break;
      cover = membrane_refined(cover, estimate, way.by, 0.6);
    }
    plot.lines.push_back(line);
  }
  StudyLine even{"reference: even covers, p = 1", {}, LineKind::reference};
  for (int level = 2; level <= 5; ++level) measure("even", Cover(level, 1), even);
  plot.lines.push_back(even);
  table.note =
      "Each from 16 patches of p = 1, the patches refined that have 0.6 of the error's square. The estimate is one of "
      "the energy norm.";
  return {{table}, {plot}};
}

// ---- modes

StudyResult modes_study(Backend& backend, const Setup&, const StudyProgress& progress) {
  StudyTable table("modes", "The lowest modes of a fixed membrane at level 3, frequency by degree",
                   {column("number"), column("mode", "(m, n)"), column("theory", "theory", "1/time", 8)});
  std::vector<std::vector<double>> found;
  Parameters p;
  p.level = 3;
  for (int degree = 1; degree <= 4; ++degree) {
    progress("p = " + std::to_string(degree));
    p.degree = degree;
    found.push_back(found_modes(backend, p));
    table.columns.push_back(column("p" + std::to_string(degree), "p = " + std::to_string(degree), "1/time", 8));
  }
  const std::vector<Mode> theory = lowest_modes(p, Modes::count);
  StudyPlot plot = plot_of("Modes of a fixed membrane at level 3: deviation from theory", {"number"},
                           {"share of the frequency", "", Scale::logarithmic});
  for (std::size_t degree = 0; degree < found.size(); ++degree) {
    StudyLine line{"p = " + std::to_string(degree + 1), {}};
    for (std::size_t k = 0; k < theory.size(); ++k)
      line.add(k + 1, std::abs(std::sqrt(found[degree][k] / theory[k].eigenvalue) - 1));
    plot.lines.push_back(line);
  }
  for (std::size_t k = 0; k < theory.size(); ++k) {
    std::vector<StudyValue> row = {k + 1, "(" + std::to_string(theory[k].m) + ", " + std::to_string(theory[k].n) + ")",
                                   std::sqrt(theory[k].eigenvalue)};
    for (const std::vector<double>& values : found) row.push_back(std::sqrt(values[k]));
    table.add(row);
  }
  table.note = "sigma = 0. Theory: pi sqrt(m² + n²).";
  return {{table}, {plot}};
}

}  // namespace perturb::membrane

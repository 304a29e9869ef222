// Study: the list of the membrane's modes, computed and from theory.
#include "cuda/membrane/model/modes.h"

#include <cmath>
#include <string>

#include "cuda/membrane/measure/theory.h"
#include "cuda/membrane/study/studies.h"
#include "cuda/membrane/verify/checks.h"

namespace perturb::membrane {

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

// Cost of the rule `exact`.
#include <cmath>
#include <memory>
#include <numbers>
#include <string>

#include "cuda/particles/model/checks.h"
#include "cuda/particles/study/studies.h"

namespace perturb::particles {

StudyResult rules_study(Backend& backend, const Setup&, const StudyProgress& progress) {
  struct Row {
    double count, fraction, velocity;
  };
  // Velocities (Maxwell distribution, or the largest component if uniform) with which about 2 % of all discs collide in
  // a step at φ = 0.3.
  std::vector<Row> rows = {{10000, 0.3, 0.0288}, {100000, 0.3, 0.0288}, {100000, 0.3, 0.288}, {3000, 0.63, 0.125}};
  if (backend.is_cuda()) rows.insert(rows.begin() + 2, {1000000, 0.3, 0.0288});
  StudyTable table;
  table.id = "rules", table.title = "Time a step under both rules";
  table.columns = {{"discs", "N", "", 7},
                   {"fraction", "area fraction", ""},
                   {"colliding", "collisions a disc", ""},
                   {"one", "one", "s"},
                   {"exact", "exact", "s"},
                   {"ratio", "exact over one", ""},
                   {"exact_fp32", "exact, FP32", "s"}};
  for (const Row& row : rows) {
    progress("N = " + std::to_string(static_cast<int>(row.count)));
    std::vector<StudyValue> cells = {row.count, row.fraction};
    double seconds[3] = {};
    for (int k = 0; k < 3; ++k) {
      const auto run = discs_for_check(backend, {{"count", row.count},
                                                 {"box", std::sqrt(row.count * std::numbers::pi / row.fraction)},
                                                 {"velocity_max", row.velocity},
                                                 {"velocities", 1},
                                                 {"collisions", k > 0 ? 1.0 : 0.0},
                                                 {"precision", k == 2 ? 0.0 : 1.0}});
      run->step(20);
      seconds[k] = seconds_per_step(*run);
      if (k != 1) continue;
      scalar_of(*run, "collisions");
      run->step(20);
      cells.emplace_back(2 * scalar_of(*run, "collisions") / row.count);
    }
    cells.emplace_back(seconds[0]), cells.emplace_back(seconds[1]), cells.emplace_back(seconds[1] / seconds[0]);
    cells.emplace_back(seconds[2]);
    table.rows.push_back(std::move(cells));
  }
  table.note = "Velocities drawn from Maxwell and Boltzmann's distribution; each disc collides so many times a step.";
  StudyResult result;
  result.tables.push_back(std::move(table));
  return result;
}

}  // namespace perturb::particles

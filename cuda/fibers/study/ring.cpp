// The paper's figure 6.1: a ball of fibers opens into a ring as it falls.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "cuda/core/backend/check.h"
#include "cuda/core/bench/paper_studies.h"
#include "cuda/core/bench/paper_table.h"
#include "cuda/core/bench/verdict.h"
#include "cuda/core/simulation/format.h"
#include "cuda/fibers/fibers.h"
#include "cuda/fibers/model/core.h"
#include "cuda/fibers/study/studies.h"

namespace perturb::fibers {

namespace {

FiberCore core_of(Simulation& run, int fibers, double d) {
  const State state = run.save();
  const std::vector<std::size_t> shape = {static_cast<std::size_t>(fibers), 3};
  return find_fiber_core(state.get<double>("position", shape), state.get<double>("tangent", shape),
                         state.get<double>("velocity", shape), d);
}

}  // namespace

int fiber_ring_fibers(bool cuda, const Setup& scene) {
  const int its_own = static_cast<int>(paper_table("fibers").at("figure 6.1", "run", "fibers"));
  constexpr int cpu_fibers = 300;
  return fiber_runs_most(cuda, scene) >= its_own ? its_own : cpu_fibers;
}

StudyResult ring_study(Backend& backend, int fibers, int starts, int steps, const StudyProgress& progress) {
  const PaperTable& paper = paper_table("fibers");
  PaperRun paper_run = fiber_paper_run();
  paper_run.end = steps * paper_run.time_step;
  constexpr int looks = 4;
  const int between = std::max(1, steps / looks);
  const double d = fiber_d(FiberParameters{}.slenderness);
  // [sample][start]
  std::vector<std::vector<double>> radii(looks + 1), sections(looks + 1), together(looks + 1);
  StudyTable table;
  table.id = "ring", table.title = format_fiber_count(fibers) + " in a ball, " + paper_run.text() +
                                   ", FP64: medians of " + std::to_string(starts) + " starts";
  table.columns = {{"time", "time", "", 4},
                   {"ring_radius", "distance from the axis", ""},
                   {"section", "section over that distance", ""},
                   {"least_section", "least", ""},
                   {"most_section", "most", ""},
                   {"together", "still together", "%"}};
  table.note =
      "The source shows a picture of one run with " +
      format_fiber_count(static_cast<int>(paper.at("figure 6.1", "run", "fibers"))) +
      ", without numbers. Section: the radius of a round section that spreads as much as the fibers about their mean "
      "distance from the vertical through the cloud's middle; over that distance it is 1.2 in an even ball, and below "
      "3/4 in a ring with a hole. Of the fibers that stay together.";
  StudyResult result;
  for (int start = 1; start <= starts; ++start) {
    progress(format_fiber_count(fibers) + ", start " + std::to_string(start) + " of " + std::to_string(starts));
    const auto run =
        cloud_of_paper(backend, fibers, FiberPrecision::fp64, paper_run.time_step, static_cast<std::uint32_t>(start));
    for (std::size_t look = 0; look <= looks; ++look) {
      if (look > 0) run->step(between);
      const FiberCore core = core_of(*run, fibers, d);
      radii[look].push_back(core.ring_radius);
      sections[look].push_back(core.ring_section / core.ring_radius);
      together[look].push_back(100.0 * core.fibers / fibers);
    }
    table.rows.clear();
    for (std::size_t look = 0; look <= looks; ++look) {
      const auto [least, most] = std::minmax_element(sections[look].begin(), sections[look].end());
      table.rows.push_back({static_cast<double>(look) * between * paper_run.time_step, median_of(radii[look]),
                            median_of(sections[look]), *least, *most, median_of(together[look])});
    }
    result.tables = {table};
    report_partial(progress, result);
  }
  StudyPlot plot;
  plot.title = "Figure 6.1: " + format_fiber_count(fibers), plot.x_label = "time";
  plot.y_label = "section over distance from the axis";
  StudyLine here{"median", {}, false}, bound{"a ring with a hole is below", {}, true};
  for (const auto& row : table.rows) {
    here.points.push_back({std::get<double>(row[0]), std::get<double>(row[2])});
    bound.points.push_back({std::get<double>(row[0]), thickest_ring});
  }
  plot.lines = {here, bound};
  const std::string of =
      ", " + format_fiber_count(fibers) + ", t = " + format_number(looks * between * paper_run.time_step);
  const std::vector<double> ring(sections.back().size(), thickest_ring);
  result.tables.push_back(
      findings_table({paired_finding("a ball opens into a ring: its section over its distance from the axis falls" + of,
                                     "figure 6.1", NAN, sections.back(), sections.front()),
                      paired_finding("what has become of the ball is a ring with a hole" + of, "figure 6.1", NAN,
                                     sections.back(), ring)},
                     "Each start's end beside its beginning, and beside the section of a ring without a hole, 3/4."));
  result.plots = {plot};
  return result;
}

}  // namespace perturb::fibers

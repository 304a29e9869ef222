// The paper's splitting of the boundary loop, and its statements on registers and occupancy: figures 4 to 7.
#include <cmath>
#include <memory>
#include <string>

#include "cuda/core/bench/paper_table.h"
#include "cuda/core/simulation/format.h"
#include "cuda/lbm/lbm.h"
#include "cuda/lbm/study/studies.h"

namespace perturb::lbm {

LoopTimes loop_times(Backend& backend, const Setup& setup, int groups, int steps) {
  LoopTimes times;
  struct Loop {
    const char *kernel, *label;
    std::vector<double>* seconds;
    std::unique_ptr<Simulation> flow;
  };
  Loop loops[] = {{"unsplit", "lbm.boundary", &times.one, nullptr},
                  {"split", "lbm.boundary_two_loops", &times.two, nullptr}};
  for (Loop& loop : loops) {
    loop.flow = create(backend, setup);
    loop.flow->select_kernel(loop.kernel);
    loop.flow->step(steps);  // warms up
  }
  backend.synchronize();
  KernelStats& stats = backend.stats();
  const bool timing = stats.timing();
  for (int group = 0; group < groups; ++group)
    for (Loop& loop : loops) {
      stats.set_timing(true), stats.clear();
      loop.flow->step(steps);
      backend.synchronize();
      for (const KernelTime& time : stats.table())
        if (time.label == loop.label) loop.seconds->push_back(time.seconds / steps);
    }
  stats.set_timing(timing), stats.clear();
  return times;
}

std::vector<Finding> shape_findings(const std::vector<PartShape>& parts) {
  const auto shape = [&](const char* kernel, const char* part) {
    for (const PartShape& p : parts)
      if (p.kernel == kernel && p.part.starts_with(part)) return p.shape;
    return LaunchShape{};
  };
  const PaperTable& paper = paper_table("lbm");
  const auto occupancy = [&](const char* kernel) { return paper.at("figure 2", kernel, "occupancy"); };
  const LaunchShape together = shape("unsplit", "velocities"), of_if = shape("split", "if-kernel"),
                    of_else = shape("split", "else-kernel"), one = shape("unsplit", "boundary"),
                    two = shape("split", "boundary");
  const double full = paper.at("figure 7", "each kernel", "occupancy"),
               more_than = paper.at("section 3.2", "kernel that branches", "registers per thread");
  constexpr double printed = 0.5;  // rounded to whole percentage points
  // The branching kernel needs the registers of the larger branch.
  return {
      agreement("the if-kernel's occupancy, in percent", "figure 7", full, 100 * of_if.occupancy, printed),
      agreement("the else-kernel's occupancy, in percent", "figure 7", full, 100 * of_else.occupancy, printed),
      counted_finding("the kernel that branches needs more than " + format_number(more_than) + " registers",
                      "section 3.2", NAN, more_than, together.registers_per_thread),
      counted_finding("the kernel that branches has not all of the occupancy", "section 3.2", NAN, together.occupancy,
                      1),
      counted_finding("the if-kernel's occupancy is higher than that of the kernel that branches", "figures 5, 7",
                      occupancy("if-kernel") / occupancy("else-kernel"), together.occupancy, of_if.occupancy),
      counted_finding("the else-kernel's occupancy is higher than that of the kernel that branches", "figures 5, 7",
                      NAN, together.occupancy, of_else.occupancy),
      counted_finding("two loops need fewer registers than one", "figures 4, 6",
                      paper.at("figure 6", "one loop", "base addresses in registers") /
                          paper.at("figure 6", "two loops", "base addresses in registers"),
                      two.registers_per_thread, one.registers_per_thread),
      counted_finding("two loops have a higher occupancy than one", "figures 4, 6", NAN, one.occupancy, two.occupancy)};
}

}  // namespace perturb::lbm

#include "cuda/studies/lbm/studies.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/format.h"
#include "cuda/core/timing/timing_duration.h"
#include "cuda/lbm/kernels/kernels.h"
#include "cuda/lbm/lbm.h"
#include "cuda/lbm/setup.h"
#include "cuda/studies/paper.h"

namespace perturb::lbm {

namespace {

// The fastest of several groups of steps, in seconds per step.
double seconds_per_step(Simulation& flow, int steps) {
  constexpr int groups = 7;
  double best = 1e30;
  for (int group = 0; group <= groups; ++group) {  // the first is a warm-up
    const double seconds = seconds_to_step(flow, steps) / steps;
    if (group > 0) best = std::min(best, seconds);
  }
  return best;
}
// Number of steps that takes long enough to time: whole passes of every kernel.
int steps_of_a_group(Simulation& flow) {
  const double enough = timing_duration(0.02);
  constexpr int passes = 24, most = 1 << 20;
  int steps = passes;
  while (seconds_to_step(flow, steps) < enough && steps < most) steps *= 2;
  return steps;
}

std::string size_of(int side) { return std::to_string(side) + " x " + std::to_string(side); }

constexpr int one_cell_in = 8;  // of a row, for the verdict on warps with cells of both kinds

// Figure 8 draws time against a "system ratio" that the paper does not define. It is taken to be the fraction of solid
// cells, which is how often the if-branch is taken: in rows, and spread so that every warp takes both branches.
StudyTable times_by_solid_share(Backend& backend, const StudyProgress& progress, std::vector<StudyPlot>& plots) {
  StudyTable table(
      "ratios", "Time per step against the share of solid cells",
      {column("size", "cells"), column("solid", "solid cells", "%"), column("unsplit_seconds", "unsplit", "s"),
       column("split_seconds", "split", "s"), column("gain", "gain of the split", "%")});
  table.note = "The flow: " + std::string(paper_flow_text()) +
               ". The solid cells are rows, one at the top and a wall that grows from the bottom, so that no warp has "
               "cells of both kinds; or also single cells spread over the other rows, so that every warp has both. The "
               "paper does not state where its solid cells are or how many, only that they make threads of a warp "
               "diverge. Medians of seven groups of 200 steps, run alternately. The dots and bars in the plot begin at "
               "the first unsplit time divided by one plus the gain in the paper, which is one number per size. The "
               "paper plots its own times without numbers. We assume that its system ratio is this share. It plots the "
               "time until the flow has converged; for that see --convergence.";
  for (const int side : {128, 256}) {
    const std::string size = size_of(side);
    StudyPlot plot = plot_of("Figure 8: " + size, {"Solid cells", "%"}, {"Time per step", "s"},
                             {{"unsplit", {}},
                              {"split", {}},
                              {"unsplit, single cells", {}},
                              {"split, single cells", {}},
                              paper_gain_line(size)});
    const auto measure = [&](const std::string& name, int percent, int one_in, std::size_t first_line) {
      const double share = percent_of(paper_walls(side, percent, one_in));
      progress(name + ", " + format_number(share, 3) + " % solid");
      const auto repeats = times_in_turns(backend, paper_flow(side, percent, one_in), {"unsplit", "split"}, 7, 200);
      const double unsplit = median_of(repeats[0]), split = median_of(repeats[1]);
      table.add({name, share, unsplit, split, 100 * (unsplit / split - 1)});
      plot.lines[first_line].add(share, unsplit);
      plot.lines[first_line + 1].add(share, split);
      if (percent == 0 && one_in == 0) plot.lines.back().points = {{share, unsplit / paper_gain(size)}};
    };
    for (const int percent : {0, 10, 20, 30, 40, 50}) measure(size, percent, 0, 0);
    for (const int one_in : {32, 16, 8, 4}) measure(size + ", single cells", 0, one_in, 2);
    plots.push_back(std::move(plot));
  }
  return table;
}

// One branching kernel compared with an if-kernel and an else-kernel, at the sizes of the paper's figure 8.
StudyResult split_or_not(Backend& backend, const Setup&, const StudyProgress& progress) {
  const PaperTable& paper = paper_table("lbm");
  const std::string flow = "Flow: " + std::string(paper_flow_text()) + ". ";
  StudyTable times("split", "Split against unsplit, the paper's experiment",
                   {column("size", "cells"), column("kernel"), column("seconds_per_step", "time per step", "s"),
                    column("longest_seconds_per_step", "at most", "s"), column("rate", "rate", "cell/s"),
                    column("speed_up", "speed over that of the unsplit")});
  StudyTable shapes("shapes", "Registers and occupancy of their parts",
                    {column("kernel"), column("part"), column("registers_per_thread", "registers"),
                     column("block", "threads of a block"), column("occupancy", "occupancy", "%", 4)});
  if (!backend.is_cuda()) {
    times.note = flow + "These kernels need CUDA. Nothing was measured on this backend.";
    return {{times}, {}};
  }
  std::vector<Finding> findings;
  for (const int side : {128, 256}) {
    const std::string size = size_of(side);
    progress(size);
    const Setup setup = paper_flow(side, 0);
    const std::vector<std::string> kernels = {"unsplit", "split", "fused"};
    constexpr int groups = 9, steps = 400;
    const auto repeats = times_in_turns(backend, setup, kernels, groups, steps);
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      const double seconds = median_of(repeats[k]);
      times.add({size, kernels[k], seconds, longest_of(repeats[k]), static_cast<double>(side) * side / seconds,
                 median_of(repeats[0]) / seconds});
    }
    findings.push_back({"the split kernels are faster than the unsplit, " + size, "figure 8", paper_gain(size),
                        repeats[1], repeats[0]});
    const auto of_cells =
        times_in_turns(backend, paper_flow(side, 0, one_cell_in), {"unsplit", "split"}, groups, steps);
    for (std::size_t k = 0; k < 2; ++k)
      times.add({size + ", single cells", kernels[k], median_of(of_cells[k]), longest_of(of_cells[k]),
                 static_cast<double>(side) * side / median_of(of_cells[k]),
                 median_of(of_cells[0]) / median_of(of_cells[k])});
    findings.push_back({"the split kernels are faster than the unsplit if threads of each warp diverge, " + size,
                        "figure 8", paper_gain(size), of_cells[1], of_cells[0]});
    StudyResult so_far;
    so_far.tables = {times};
    report_partial(progress, so_far);
  }
  times.note =
      flow + "Each wall is one row of cells. Single cells: also one solid cell in " + std::to_string(one_cell_in) +
      " of each other row, a share of ours, so that every warp has cells of both kinds. Medians of nine groups of 400 "
      "steps, run alternately. Launches per step: two of unsplit, three of split, one of fused. The boundary's kernel "
      "is one block of threads at these sizes: its occupancy cannot matter, so it is not timed by itself.";
  for (const PartShape& part : split_shapes(lbm_plain))
    shapes.add({part.kernel, part.part, part.shape.registers_per_thread,
                static_cast<double>(part.shape.block_x) * part.shape.block_y, 100 * part.shape.occupancy});
  const std::vector<Finding> of_shapes = shape_findings(split_shapes(lbm_plain));
  findings.insert(findings.end(), of_shapes.begin(), of_shapes.end());
  StudyResult result;
  const StudyTable ratios = times_by_solid_share(backend, progress, result.plots);
  result.tables = {times,
                   findings_table(findings, "The paper: " + paper.cited() +
                                                ". That its gain in percent is one of speed is our reading. A GPU that "
                                                "holds all cells of such a grid at once gains nothing from occupancy."),
                   ratios, shapes};
  return result;
}

bool starts_with(const std::string& word, const char* prefix) { return word.rfind(prefix, 0) == 0; }

// The given scene and an empty periodic box of its size, each without and with a force.
StudyResult walls_and_force(Backend& backend, const Setup& scene, const StudyProgress& progress) {
  Setup walled = scene;
  for (const char* id : {"storage", "force_x", "force_y"}) walled.parameters.erase(id);
  Setup empty = walled;
  std::erase_if(empty.parameters, [](const auto& p) { return starts_with(p.first, "boundary_"); });
  std::erase_if(empty.actions,
                [](const Action& a) { return starts_with(a.kind, "wall-") || starts_with(a.kind, "move-"); });
  const std::string name = "lbm/" + scene.preset;
  if (empty.parameters == walled.parameters && empty.actions.size() == walled.actions.size())
    throw InputError("{} has no walls or closed sides. Name a scene that has, such as lbm/cylinder.", name);
  const GridSize size = lbm_size_of(scene);

  StudyTable table("walls", "Cost of walls, sides and a force: " + name + ", " + format_size(size),
                   {column("kernel"), column("flow"), column("seconds_per_step", "time per step", "s"),
                    column("rate", "rate", "cell/s"), column("share", "of the empty box")},
                   "The empty box is periodic, with no force on the fluid. Each time is the best of seven.");
  for (const char* kernel : {"fused", "half", "in-place", "temporal"}) {
    double reference = 0;
    for (const Setup* setup : {&empty, &walled})
      for (const bool forced : {false, true}) {
        const std::string flow_name = (setup == &empty ? "empty box" : name) + (forced ? ", with a force" : "");
        progress(std::string(kernel) + ", " + flow_name);
        Setup made = *setup;
        if (forced) made.parameters["force_x"] = 1e-6;
        const auto flow = create(backend, made);
        flow->select_kernel(kernel);
        const double seconds = seconds_per_step(*flow, steps_of_a_group(*flow));
        if (reference == 0) reference = seconds;
        table.add(
            {kernel, flow_name, seconds, static_cast<double>(size.width) * size.height / seconds, reference / seconds});
      }
  }
  return {{table}, {}};
}

}  // namespace

std::vector<std::vector<double>> times_in_turns(Backend& backend, const Setup& setup,
                                                const std::vector<std::string>& kernels, int groups, int steps) {
  std::vector<std::unique_ptr<Simulation>> flows;
  for (const std::string& kernel : kernels) {
    flows.push_back(create(backend, setup));
    flows.back()->select_kernel(kernel);
    seconds_to_step(*flows.back(), steps);  // warms up
  }
  std::vector<std::function<void()>> works;
  for (const auto& flow : flows)
    works.push_back([&flow, steps] {
      flow->step(steps);
      flow->backend().synchronize();
    });
  auto repeats = interleaved_seconds(works, groups);
  for (std::vector<double>& of_kernel : repeats)
    for (double& seconds : of_kernel) seconds /= steps;
  return repeats;
}

std::vector<Study> lbm_studies() {
  return {
      {"split", "The paper's experiment: kernels split or not, with time, registers and occupancy (CUDA).", true,
       split_or_not},
      {"occupancy", "The paper's arithmetic of registers and occupancy, on its GPU, later ones and this one.", false,
       occupancy_study},
      {"convergence",
       "The paper's figure 8: the time until a channel's flow has converged, against the share that is solid.", false,
       [](Backend& backend, const Setup& scene, const StudyProgress& progress) {
         return convergence_study(backend, lbm_convergence_sides(backend.is_cuda(), scene), progress);
       }},
      {"splitting", "The paper's figures 1 and 2 as kernels: loops and branches, whole and split, with its worst case.",
       false, splitting_study},
      {"walls",
       "The scene (default: the cylinder between inlet and outlet) with and without a force, compared with an empty "
       "box.",
       false, walls_and_force}};
}

// ---- the paper's splitting of the boundary loop, and its statements on registers and occupancy: figures 4 to 7

std::vector<Finding> shape_findings(const std::vector<PartShape>& parts) {
  const auto shape = [&](const char* kernel, const char* part) {
    for (const PartShape& p : parts)
      if (p.kernel == kernel && p.part.starts_with(part)) return p.shape;
    return LaunchShape{};
  };
  const PaperTable& paper = paper_table("lbm");
  const LaunchShape together = shape("unsplit", "velocities"), of_if = shape("split", "if-kernel"),
                    of_else = shape("split", "else-kernel"), one = shape("unsplit", "boundary"),
                    two = shape("split", "boundary");
  const double full = paper.at("figure 7", "each kernel", "occupancy");
  constexpr double printed = 0.5;  // rounded to whole percentage points
  // The paper gives one number for both kernels, so that the lower one decides.
  Finding of_both = agreement("the occupancy of both split kernels, in percent (the lower one is compared)", "figure 7",
                              full, 100 * std::min(of_if.occupancy, of_else.occupancy), printed);
  of_both.measured =
      format_number(100 * of_if.occupancy, 3) + " % and " + format_number(100 * of_else.occupancy, 3) + " %";
  // The branching kernel needs the registers of the larger branch.
  return {
      std::move(of_both),
      with_measured(counted_finding("the kernel that branches has not all of the occupancy", "section 3.2", NAN,
                                    together.occupancy, 1),
                    100 * together.occupancy, "%"),
      counted_finding("the if-kernel's occupancy is higher than that of the kernel that branches", "figures 5, 7", NAN,
                      together.occupancy, of_if.occupancy),
      counted_finding("the else-kernel's occupancy is higher than that of the kernel that branches", "figures 5, 7",
                      NAN, together.occupancy, of_else.occupancy),
      // Its third condition for a kernel worth splitting; the first is that of the occupancy above, and the second, two
      // major branches, is how this kernel is written.
      counted_finding("the two branches need different numbers of registers", "section 2.3", NAN,
                      std::min(of_if.registers_per_thread, of_else.registers_per_thread),
                      std::max(of_if.registers_per_thread, of_else.registers_per_thread)),
      // The paper counts registers for base addresses alone, and a compiler reports all: there is no ratio to compare.
      counted_finding("two loops need fewer registers than one, of all registers", "figures 4, 6", NAN,
                      two.registers_per_thread, one.registers_per_thread),
      counted_finding("two loops have a higher occupancy than one", "section 4", NAN, one.occupancy, two.occupancy)};
}

}  // namespace perturb::lbm

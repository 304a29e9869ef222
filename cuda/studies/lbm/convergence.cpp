// The paper's figure 8 as drawn: the time until the flow has converged, against the system ratio.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/format.h"
#include "cuda/lbm/lbm.h"
#include "cuda/lbm/setup.h"
#include "cuda/studies/lbm/studies.h"
#include "cuda/studies/paper.h"

namespace perturb::lbm {

namespace {

// With one relaxation time walls lie half-way between solid and fluid cells at this viscosity alone:
// (tau - 1/2)² = 3/16. A channel of h cells relaxes in h²/(pi² viscosity) steps.
const double paper_flow_viscosity = std::sqrt(3.0) / 12;
constexpr double paper_flow_speed = 0.05;  // in the middle of a channel, after convergence
constexpr std::int64_t max_convergence_steps = 1'000'000;
constexpr int convergence_sides[] = {128, 256};      // the paper's sizes
constexpr int solid_shares[] = {0, 20, 40, 60, 80};  // percent

}  // namespace

const char* paper_flow_text() {
  return "a square channel between two walls of solid cells, periodic along the stream, with one relaxation time (BGK)";
}

namespace {

// Rows of solid cells: the top one and the others at the bottom.
int solid_rows(int side, int percent) { return std::max(2, static_cast<int>(std::lround(side * percent / 100.0))); }

}  // namespace

std::vector<std::uint8_t> paper_walls(int side, int percent, int one_in) {
  std::vector<std::uint8_t> walls;
  const int bottom = solid_rows(side, percent) - 1;
  for (int j = 0; j < side; ++j)
    for (int i = 0; i < side; ++i) {
      // Shifted in every other row: cells in one column would be walls that stop the stream less than single ones.
      const bool single = one_in > 0 && (i + (j % 2) * (one_in / 2)) % one_in == 0;
      walls.push_back(j < bottom || j == side - 1 || single ? 1 : 0);
    }
  return walls;
}

double percent_of(const std::vector<std::uint8_t>& walls) {
  return 100.0 * static_cast<double>(std::count(walls.begin(), walls.end(), 1)) / static_cast<double>(walls.size());
}

Setup paper_flow(int side, int percent, int one_in) {
  Setup setup;
  setup.simulation = "lbm";
  setup.width = setup.height = side;
  setup.parameters = {{"viscosity", paper_flow_viscosity},
                      {"collision", static_cast<double>(Collision::bgk)},
                      {"outlines", static_cast<double>(Outlines::cells)},
                      {"storage", 0}};
  setup.actions.push_back({"stream", {{"vx", paper_flow_speed}}, "", nullptr});
  GreyImage image{side, side, {}};
  for (const std::uint8_t wall : paper_walls(side, percent, one_in)) image.values.push_back(wall != 0 ? 0.f : 1.f);
  setup.actions.push_back({"wall-image", {}, "the paper's walls", std::make_shared<const GreyImage>(std::move(image))});
  return setup;
}

Setup convergence_setup(int side, int percent) {
  const double open = side - solid_rows(side, percent);
  Setup setup = paper_flow(side, percent);
  std::erase_if(setup.actions, [](const Action& action) { return action.kind == "stream"; });
  setup.parameters["force_x"] = 8 * paper_flow_viscosity * paper_flow_speed / (open * open);
  return setup;
}

namespace {

double kinetic_energy(Simulation& flow) {
  const Diagnostics d = flow.diagnostics({}, true);
  if (!d.finite) throw Error("The flow stopped early: {}", d.error);
  if (const Scalar* s = d.scalar("energy")) return s->value;
  throw Error("internal: the flow has no kinetic energy");
}

}  // namespace

std::int64_t steps_to_converge(Simulation& flow) {
  double speed = 0;
  for (std::int64_t steps = 0; steps < max_convergence_steps;) {
    flow.step(convergence_interval);
    steps += convergence_interval;
    const double now = std::sqrt(kinetic_energy(flow));
    if (std::abs(now - speed) <= convergence_change * now) return steps;
    speed = now;
  }
  return -1;
}

std::vector<int> lbm_convergence_sides(bool cuda, const Setup& scene) {
  const int largest = std::max(scene.width, scene.height);
  std::vector<int> sides = {convergence_sides[0]};
  if (cuda || study_request().long_too || (scene.width == scene.height && largest == convergence_sides[1]))
    sides.push_back(convergence_sides[1]);
  return sides;
}

double paper_gain(const std::string& size) {
  const PaperValue* gain = paper_table("lbm").find("figure 8", size, "gain of the split version");
  return gain ? 1 + gain->value / 100 : NAN;
}

StudyLine paper_gain_line(const std::string& size) {
  const double gain = 100 * (paper_gain(size) - 1);
  return {"reference: unsplit here with the paper's gain, " + format_number(gain) + " %, which is for the whole size",
          {},
          LineKind::reference};
}

StudyResult convergence_study(Backend& backend, const std::vector<int>& sides, const StudyProgress& progress) {
  const PaperTable& paper = paper_table("lbm");
  StudyTable table("convergence", "Time until a channel's flow has converged, against the system ratio",
                   {column("size", "cells"), column("solid", "solid cells", "%"), column("steps", "steps", 7),
                    column("unsplit_seconds", "unsplit", "s"), column("split_seconds", "split", "s"),
                    column("gain", "gain of the split", "%")});
  table.note =
      "The paper does not define its system ratio; it only states that the number of steps grows as the ratio falls. "
      "It does not state when a flow counts as converged. The flow: " +
      std::string(paper_flow_text()) +
      ", from rest, driven by a force of ours. We assume: the system ratio is the share of solid cells, in rows: one "
      "at the top, and a wall that grows from the bottom. The steps then grow as it falls, but with the open share "
      "they would fall with it: this choice makes the statement true, so that there is no verdict on it. With rows no "
      "warp has cells of both kinds. A flow is converged when its root mean square velocity changes by less than " +
      format_number(convergence_change) + " of itself in " + std::to_string(convergence_interval) +
      " steps. All kernels compute the same bits, so steps are counted once and multiplied by each kernel's time a "
      "step, run alternately." +
      (backend.is_cuda() ? "" : " The kernels need CUDA: only the steps are counted here.");
  std::string left_out;
  for (const int side : convergence_sides)
    if (std::find(sides.begin(), sides.end(), side) == sides.end())
      left_out += (left_out.empty() ? "" : ", ") + std::to_string(side) + " x " + std::to_string(side);
  table.note += left_out_note(left_out);
  StudyTable gains("gains", "What the split gains of that time",
                   {column("size", "cells"), column("gain", "one row for each wall", "%"),
                    column("least_gain", "least of all shares", "%"), column("most_gain", "most", "%"),
                    column("source_gain", "the paper's", "%")},
                   "The paper gives one number for a size and does not state its system ratio.");
  StudyResult result;
  std::vector<StudyPlot> plots;
  for (const int side : sides) {
    const std::string size = std::to_string(side) + " x " + std::to_string(side);
    StudyPlot plot = plot_of(
        "Figure 8: " + size, {"Solid cells", "%"},
        {backend.is_cuda() ? "Time to converge" : "Steps to converge", backend.is_cuda() ? "s" : ""}, {{"steps", {}}});
    if (backend.is_cuda()) plot.lines = {{"unsplit", {}}, {"split", {}}};
    const PaperValue* gain_of_paper = paper.find("figure 8", size, "gain of the split version");
    if (backend.is_cuda() && gain_of_paper) plot.lines.push_back(paper_gain_line(size));
    std::vector<double> gain_of_share;
    for (const int solid : solid_shares) {
      progress(size + ", " + std::to_string(solid) + " % solid");
      const double share = percent_of(paper_walls(side, solid));
      const Setup setup = convergence_setup(side, solid);
      const auto flow = create(backend, setup);
      const auto steps = static_cast<double>(steps_to_converge(*flow));
      std::vector<StudyValue> row = {
          size, share, steps < 0 ? StudyValue("not in " + std::to_string(max_convergence_steps)) : StudyValue(steps)};
      if (backend.is_cuda() && steps > 0) {
        auto repeats = times_in_turns(backend, setup, {"unsplit", "split"}, 7, 200);
        for (auto& of_kernel : repeats)
          for (double& seconds : of_kernel) seconds *= steps;
        const double unsplit = median_of(repeats[0]), split = median_of(repeats[1]);
        gain_of_share.push_back(100 * (unsplit / split - 1));
        row.insert(row.end(), {unsplit, split, gain_of_share.back()});
        plot.lines[0].add(share, unsplit);
        plot.lines[1].add(share, split);
        if (gain_of_paper && solid == 0) plot.lines[2].points = {{share, unsplit / paper_gain(size)}};
      } else {
        row.insert(row.end(), 3, "-");
        if (!backend.is_cuda() && steps > 0) plot.lines[0].add(share, steps);
      }
      table.add(std::move(row));
      result.tables = {table};
      result.plots = plots;
      result.plots.push_back(plot);
      report_partial(progress, result);
    }
    if (!gain_of_share.empty()) {
      const auto [least, most] = std::minmax_element(gain_of_share.begin(), gain_of_share.end());
      gains.add({size, gain_of_share.front(), *least, *most,
                 gain_of_paper ? paper.printed("figure 8", size, "gain of the split version") : StudyValue("-")});
    }
    plots.push_back(std::move(plot));
  }
  result.tables = {table};
  if (!gains.rows.empty()) result.tables.push_back(gains);
  result.tables.push_back(
      findings_table({},
                     "No verdict of its own: all kernels take the same steps, so that the verdict on the time per step "
                     "(--split) is also that on the time until the flow has converged. The paper: " +
                         paper.cited() + "."));
  result.plots = plots;
  return result;
}

}  // namespace perturb::lbm

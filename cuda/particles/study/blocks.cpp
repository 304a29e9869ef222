// The paper's figures 19 and 20: time of a step of all pairs by its own kernels against the threads per block, C1 of
// the loops over discs and collisions, C2 of the loop over pairs.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "cuda/core/bench/paper_table.h"
#include "cuda/core/bench/verdict.h"
#include "cuda/particles/particles.h"
#include "cuda/particles/study/studies.h"

namespace perturb::particles {

namespace {

constexpr int block_turns = 9;

struct LoopOfDiscs {
  const char *id, *label, *loop;
};
constexpr LoopOfDiscs loops_of_discs[] = {{"walls_seconds", "walls", "particles.check_walls"},
                                          {"settle_seconds", "settle", "particles.settle_collisions"},
                                          {"update_seconds", "update", "particles.update"}};

struct DiscBlocks {
  int discs, pairs;
};

// Seconds per step with each of these blocks, alternately, [blocks][turn]. One run continues throughout: blocks change
// no bit.
std::vector<std::vector<double>> seconds_in_blocks(Simulation& run, int steps, const std::vector<DiscBlocks>& blocks) {
  std::vector<std::function<void()>> works;
  for (const DiscBlocks& in : blocks)
    works.push_back([&run, steps, in] {
      particles_use_blocks(run, in.discs, in.pairs);
      run.step(steps);
      run.backend().synchronize();
    });
  for (const auto& work : works) work();  // loads the kernels
  std::vector<std::vector<double>> seconds = interleaved_seconds(works, block_turns);
  for (std::vector<double>& of_blocks : seconds)
    for (double& s : of_blocks) s /= steps;
  return seconds;
}

// Seconds per step of each loop over discs, timed separately.
std::vector<double> seconds_of_loops(Simulation& run, int steps, const DiscBlocks& in) {
  particles_use_blocks(run, in.discs, in.pairs);
  Backend& backend = run.backend();
  KernelStats& stats = backend.stats();
  const bool timing = stats.timing();
  backend.synchronize();
  stats.set_timing(true), stats.clear();
  run.step(steps);
  backend.synchronize();
  std::vector<double> seconds;
  for (const LoopOfDiscs& of : loops_of_discs) {
    seconds.push_back(0);
    for (const KernelTime& time : stats.table())
      if (time.label == of.loop) seconds.back() += time.seconds / steps;
  }
  stats.set_timing(timing), stats.clear();
  return seconds;
}

std::vector<double> gains_between(const std::vector<double>& from, const std::vector<double>& to) {
  std::vector<double> all;
  for (std::size_t k = 0; k < std::min(from.size(), to.size()); ++k) all.push_back(from[k] / to[k]);
  return all;
}

}  // namespace

int particles_paper_block(const char* figure, const char* kernels) {
  return static_cast<int>(paper_table("particles").at(figure, "runs", kernels));
}

StudyTable disc_blocks(Backend& backend, int count, int steps, StudyPlot& plot, std::vector<Finding>& findings) {
  const auto run = make_discs(backend, report_setup(count, {"", "all-pairs", false, true}), "all-pairs");
  const int pairs_block = particles_paper_block("figure 19", "C2"),
            discs_block = particles_paper_block("figure 20", "C1");
  std::vector<int> sizes;
  for (const CurvePoint& point : paper_table("particles").curve("section 9.1", "threads per block"))
    sizes.push_back(static_cast<int>(point.x));
  std::vector<DiscBlocks> blocks;
  for (const int size : sizes) blocks.push_back({size, pairs_block});
  // The ends of figure 20 are measured alternately with them, for findings that compare both.
  blocks.push_back({discs_block, sizes.front()});
  blocks.push_back({discs_block, sizes.back()});
  const std::vector<std::vector<double>> seconds = seconds_in_blocks(*run, steps, blocks);

  StudyTable table;
  table.id = "disc_blocks";
  table.title = "Time a step of all pairs against the block of the loops over discs, N = " + std::to_string(count) +
                ", blocks of " + std::to_string(pairs_block) + " over pairs";
  table.columns = {{"block", "threads", "", 6}, {"seconds", "a step", "s", 4}, {"most_seconds", "at most", "s", 4}};
  for (const LoopOfDiscs& of : loops_of_discs) table.columns.push_back({of.id, of.label, "s"});
  table.note =
      "Medians of " + std::to_string(block_turns) + " groups of " + std::to_string(steps) +
      " steps in turns, FP64, contraction; the loops timed by themselves. The source draws whole runs, without "
      "numbers, and sees no pattern.";
  plot.title = "Figure 19: the block of the loops over discs";
  plot.x_label = "Threads a block", plot.y_label = "Time a step", plot.y_unit = "s";
  plot.logarithmic_x = true;
  plot.lines = {{"a step", {}, false}};
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    const double x = sizes[k], step = median_of(seconds[k]);
    std::vector<StudyValue> row = {x, step, *std::max_element(seconds[k].begin(), seconds[k].end())};
    for (const double s : seconds_of_loops(*run, steps, blocks[k])) row.emplace_back(s);
    table.rows.push_back(std::move(row));
    plot.lines[0].points.push_back({x, step});
  }
  const std::size_t last = sizes.size() - 1;
  const std::string ends = std::to_string(sizes.front()) + " to " + std::to_string(sizes.back());
  findings.push_back(
      {"blocks from " + ends + " shorten a step less over discs than over pairs, N = " + std::to_string(count),
       "figures 19, 20", NAN, gains_between(seconds[0], seconds[last]),
       gains_between(seconds[last + 1], seconds[last + 2])});
  return table;
}

}  // namespace perturb::particles

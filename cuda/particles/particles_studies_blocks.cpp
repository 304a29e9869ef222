// The source's figure 19: blocks of the kernels that run over discs.
#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "cuda/core/parallel_for_blocks.h"
#include "cuda/core/source_table.h"
#include "cuda/core/verdict.h"
#include "cuda/particles/particles_all_pairs.h"
#include "cuda/particles/particles_settle.h"
#include "cuda/particles/particles_studies.h"
#include "cuda/particles/particles_studies_discs.h"

namespace perturb {

StudyTable particles_disc_blocks(Backend& backend, int count, StudyPlot& plot, DiscBlockTimes* ends) {
  const Setup setup = report_setup(count, {"", "grid", false, true});
  const StateDiscs discs(backend, setup, make_discs(backend, setup, "grid")->save());
  const DiscWorld<double>& world = discs.world();
  const Range1D all{world.count};
  const auto n = static_cast<std::size_t>(world.count);
  Array<std::int64_t> counter(backend, 1, "number of candidates");
  Array<Claim> claims(backend, n, "claims");
  Array<Disc<double>> next(backend, n, "discs");
  Array<std::uint32_t> walls(backend, n, "collisions"), pairs(backend, n, "collisions");
  Array<StepControl> control(backend, 1, "control block");
  counter.fill_zero(), walls.fill_zero(), pairs.fill_zero(), control.fill_zero();
  // Nobody collides: what is left is what every disc takes.
  claims.upload(std::vector<Claim>(n, claim_of(no_partner)));
  const CheckWalls<double, true> check{{world, nullptr, 0, counter.data()}};
  const SettleDiscs<double, true> settle{world, claims.data(), next.data(), walls.data(), pairs.data(), control.data(),
                                         1};

  StudyTable table;
  table.id = "disc_blocks", table.title = "The loops over discs against the block size, N = " + std::to_string(count);
  table.columns = {{"block", "threads", "", 6}, {"walls_seconds", "walls", "s"}, {"move_seconds", "move", "s"}};
  table.note =
      "Medians of nine groups of 100, FP64, contraction. The source draws whole runs, of which these loops are a "
      "small part, and sees no pattern.";
  plot.title = "Figure 19: the loops over discs";
  plot.x_label = "Threads a block", plot.y_label = "Time", plot.y_unit = "s";
  plot.logarithmic_x = true;
  plot.lines = {{"walls", {}, false}, {"move", {}, false}};
  for (const CurvePoint& point : source_table("particles").curve("section 9.1", "threads per block")) {
    const int block = static_cast<int>(point.x);
    constexpr int turns = 9, times = 100;
    const auto many = [&](const char* label, const auto& body) {
      return [&backend, &all, &body, label, block] {
        for (int k = 0; k < times; ++k) parallel_for_in_blocks(backend, label, all, block, body);
        backend.synchronize();
      };
    };
    const std::vector<std::function<void()>> works = {many("particles.blocks_walls", check),
                                                      many("particles.blocks_move", settle)};
    for (const auto& work : works) work();  // loads the kernels
    std::vector<StudyValue> row = {point.x};
    const std::vector<std::vector<double>> seconds = seconds_in_turns(works, turns);
    for (std::size_t k = 0; k < works.size(); ++k) {
      row.emplace_back(median_of(seconds[k]) / times);
      plot.lines[k].points.push_back({point.x, median_of(seconds[k]) / times});
    }
    table.rows.push_back(std::move(row));
    std::vector<double> together = seconds[0];
    for (std::size_t k = 0; k < together.size(); ++k) together[k] += seconds[1][k];
    if (ends != nullptr && ends->smallest.empty()) ends->smallest = together;
    if (ends != nullptr) ends->largest = together;
  }
  return table;
}

}  // namespace perturb

// The paper's sweep over chunk sizes (threads per block) for nine numbers of discs: its section 9.1.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuda/core/bench/paper.h"
#include "cuda/core/bench/timing_duration.h"
#include "cuda/particles/particles.h"
#include "cuda/particles/study/studies.h"

namespace perturb::particles {

namespace {

double seconds_in_blocks(Simulation& run, int discs_block, int pairs_block) {
  particles_use_blocks(run, discs_block, pairs_block);
  constexpr double enough = 0.01;  // seconds of a group
  const double once = seconds_to_step(run, 2) / 2;
  const int steps = std::clamp(static_cast<int>(timing_duration(enough) / once), 1, 500);
  double best = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 3; ++k) best = std::min(best, seconds_to_step(run, steps) / steps);
  return best;
}

// The largest time over the smallest.
double spread_of(const std::vector<double>& seconds) {
  return *std::max_element(seconds.begin(), seconds.end()) / *std::min_element(seconds.begin(), seconds.end());
}

}  // namespace

StudyResult chunks_study(Backend& backend, int most, const StudyProgress& progress) {
  const PaperTable& paper = paper_table("particles");
  StudyTable all, spreads;
  all.id = "chunks", all.title = "Time per step of all pairs for each pair of block sizes, FP64";
  all.columns = {{"discs", "N", "", 6},
                 {"contraction", "contraction", ""},
                 {"discs_block", "C1, over discs", ""},
                 {"pairs_block", "C2, over pairs", ""},
                 {"seconds", "a step", "s", 4}};
  spreads.id = "spreads", spreads.title = "Longest over shortest time of a step among the block sizes";
  spreads.columns = {{"discs", "N", "", 6},
                     {"contraction", "contraction", ""},
                     {"best_discs_block", "shortest at C1", ""},
                     {"best_pairs_block", "shortest at C2", ""},
                     {"over_discs", "over C1", "", 4},
                     {"over_pairs", "over C2", "", 4}};
  if (!backend.is_cuda()) {
    all.note = "Needs a CUDA device: not measured here. A processor has no blocks of threads.";
    return {{std::move(all)}, {}};
  }
  const int paper_discs = particles_paper_block("figure 20", "C1"),
            paper_pairs = particles_paper_block("figure 19", "C2");
  std::vector<int> sizes;
  for (const CurvePoint& point : paper.curve("section 9.1", "threads per block"))
    sizes.push_back(static_cast<int>(point.x));
  // Of the paper's numbers of discs, this sweep leaves out the smallest.
  std::vector<int> counts;
  for (const CurvePoint& point : paper.curve("section 5.2", "N"))
    if (point.x <= most) counts.push_back(static_cast<int>(point.x));
  if (counts.size() > 1) counts.erase(counts.begin());
  std::vector<double> over_discs, over_pairs, smallest, largest;
  for (const int count : counts)
    for (const bool contraction : {true, false}) {
      progress("N = " + std::to_string(count) + (contraction ? ", contraction" : ", no contraction"));
      const auto run = make_discs(backend, report_setup(count, {"", "all-pairs", false, contraction}), "all-pairs");
      run->step(1);  // allocates memory
      std::vector<double> along_discs, along_pairs;
      double best = std::numeric_limits<double>::infinity();
      int best_discs = 0, best_pairs = 0;
      for (const int discs_block : sizes)
        for (const int pairs_block : sizes) {
          backend.stop_point();
          const double seconds = seconds_in_blocks(*run, discs_block, pairs_block);
          all.rows.push_back({static_cast<double>(count), std::string(contraction ? "yes" : "no"),
                              static_cast<double>(discs_block), static_cast<double>(pairs_block), seconds});
          if (seconds < best) best = seconds, best_discs = discs_block, best_pairs = pairs_block;
          if (pairs_block == paper_pairs) along_discs.push_back(seconds);
          if (discs_block == paper_discs) along_pairs.push_back(seconds);
        }
      spreads.rows.push_back({static_cast<double>(count), std::string(contraction ? "yes" : "no"),
                              static_cast<double>(best_discs), static_cast<double>(best_pairs), spread_of(along_discs),
                              spread_of(along_pairs)});
      over_discs.push_back(spread_of(along_discs)), over_pairs.push_back(spread_of(along_pairs));
      smallest.push_back(along_pairs.front()), largest.push_back(along_pairs.back());
      report_partial(progress, {{spreads, all}, {}});
    }
  const std::string of = ", N = " + std::to_string(counts.front()) + " to " + std::to_string(counts.back());
  const std::string ends = "from " + std::to_string(sizes.front()) + " to " + std::to_string(sizes.back());
  all.note = "The best of three groups of steps.";
  spreads.note =
      "C1 with C2 as in figure 19, and C2 with C1 as in figure 20. \"Shortest\" is among all pairs of sizes.";
  std::vector<Finding> findings = {
      paired_finding("larger blocks over pairs make a step shorter, " + ends + of, "section 9.2", NAN, largest,
                     smallest),
      paired_finding("the block over discs changes a step less than the block over pairs" + of, "section 9.2", NAN,
                     over_discs, over_pairs)};
  return {{std::move(spreads), std::move(all),
           findings_table(findings, "The paper: " + paper.cited() +
                                        ". Each number of discs, with and without "
                                        "contraction, is one pair.")},
          {}};
}

}  // namespace perturb::particles

// The paper's sweep over chunk sizes (threads per block) for nine numbers of discs: its section 9.1.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "cuda/core/timing/timing_duration.h"
#include "cuda/particles/particles.h"
#include "cuda/studies/paper.h"
#include "cuda/studies/particles/studies.h"

namespace perturb::particles {

namespace {

// Seconds per step: the shortest and the longest of three groups.
struct Groups {
  double best = std::numeric_limits<double>::infinity(), worst = 0;
};
Groups seconds_in_blocks(Simulation& run, int discs_block, int pairs_block) {
  particles_use_blocks(run, discs_block, pairs_block);
  constexpr double enough = 0.01;  // seconds of a group
  const double once = seconds_to_step(run, 2) / 2;
  const int steps = std::clamp(static_cast<int>(timing_duration(enough) / once), 1, 500);
  Groups groups;
  for (int k = 0; k < 3; ++k) {
    const double seconds = seconds_to_step(run, steps) / steps;
    groups.best = std::min(groups.best, seconds);
    groups.worst = std::max(groups.worst, seconds);
  }
  return groups;
}

// Times along one of the two block sizes.
struct Along {
  std::vector<double> seconds;  // the best of three groups
  double repeats = 1;           // the largest spread of such groups
  void add(const Groups& groups) {
    seconds.push_back(groups.best);
    repeats = std::max(repeats, groups.worst / groups.best);
  }
};

}  // namespace

StudyResult chunks_study(Backend& backend, int most, const StudyProgress& progress) {
  const PaperTable& paper = paper_table("particles");
  StudyTable all("chunks", "Time per step of all pairs for each pair of block sizes, FP64",
                 {column("discs", "N", 6), column("contraction"), column("discs_block", "C1, over discs"),
                  column("pairs_block", "C2, over pairs"), column("seconds", "a step", "s", 4)});
  StudyTable spreads("spreads", "Longest over shortest time of a step among the block sizes",
                     {column("discs", "N", 6), column("contraction"), column("best_discs_block", "shortest at C1"),
                      column("best_pairs_block", "shortest at C2"), column("over_discs", "over C1", 4),
                      column("over_pairs", "over C2", 4), column("repeats_discs", "repeats, C1", 4),
                      column("repeats_pairs", "repeats, C2", 4)});
  if (!backend.is_cuda()) {
    all.note = "Needs a CUDA device: not measured here. A processor has no blocks of threads.";
    return {{std::move(all)}, {}};
  }
  const int paper_discs = paper_block("figure 20", "C1"), paper_pairs = paper_block("figure 19", "C2");
  const std::vector<int> sizes = paper.rows("section 9.1", "threads per block");
  // Of the paper's numbers of discs, this sweep leaves out the smallest.
  std::vector<int> counts = paper.rows("section 5.2", "N", most);
  if (counts.size() > 1) counts.erase(counts.begin());
  std::vector<double> over_discs, over_pairs, repeats_discs, repeats_pairs, smallest, largest;
  for (const int count : counts)
    for (const bool contraction : {true, false}) {
      progress("N = " + std::to_string(count) + (contraction ? ", contraction" : ", no contraction"));
      const auto run = make_discs(backend, report_setup(count, {"", "all-pairs", false, contraction}), "all-pairs");
      run->step(1);  // allocates memory
      Along along_discs, along_pairs;
      double best = std::numeric_limits<double>::infinity();
      int best_discs = 0, best_pairs = 0;
      for (const int discs_block : sizes)
        for (const int pairs_block : sizes) {
          backend.stop_point();
          const Groups groups = seconds_in_blocks(*run, discs_block, pairs_block);
          all.add({count, contraction ? "yes" : "no", discs_block, pairs_block, groups.best});
          if (groups.best < best) {
            best = groups.best;
            best_discs = discs_block;
            best_pairs = pairs_block;
          }
          if (pairs_block == paper_pairs) along_discs.add(groups);
          if (discs_block == paper_discs) along_pairs.add(groups);
        }
      spreads.add({count, contraction ? "yes" : "no", best_discs, best_pairs, spread_of(along_discs.seconds),
                   spread_of(along_pairs.seconds), along_discs.repeats, along_pairs.repeats});
      over_discs.push_back(spread_of(along_discs.seconds));
      over_pairs.push_back(spread_of(along_pairs.seconds));
      repeats_discs.push_back(along_discs.repeats);
      repeats_pairs.push_back(along_pairs.repeats);
      smallest.push_back(along_pairs.seconds.front());
      largest.push_back(along_pairs.seconds.back());
      report_partial(progress, {{spreads, all}, {}});
    }
  const std::string of = ", N = " + std::to_string(counts.front()) + " to " + std::to_string(counts.back());
  const std::string ends = "from " + std::to_string(sizes.front()) + " to " + std::to_string(sizes.back());
  all.note = "The best of three groups of steps.";
  spreads.note =
      "C1 with C2 as in figure 19, and C2 with C1 as in figure 20. \"Shortest\" is among all pairs of sizes. Repeats: "
      "the largest ratio of the longest to the shortest group of one size.";
  const auto alike = [&](const char* over, const std::vector<double>& sizes_differ,
                         const std::vector<double>& repeats_differ) {
    return with_measured(paired_finding(std::string("sizes of the block over ") + over +
                                            " change a step less than its repeats differ, " + ends + of,
                                        "section 9.2", NAN, sizes_differ, repeats_differ),
                         median_of(sizes_differ), "times, longest over shortest");
  };
  std::vector<Finding> findings = {alike("discs", over_discs, repeats_discs), alike("pairs", over_pairs, repeats_pairs),
                                   paired_finding("larger blocks over pairs make a step shorter, " + ends + of,
                                                  "section 9.2", NAN, largest, smallest)};
  return {{std::move(spreads), std::move(all),
           findings_table(findings,
                          "The paper: " + paper.cited() +
                              ". Each number of discs, with and without contraction, is one pair. Its \"little to no "
                              "variance (within the standard error)\" is tested as less than the repeats differ.")},
          {}};
}

}  // namespace perturb::particles

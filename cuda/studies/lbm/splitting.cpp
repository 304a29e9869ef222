// The paper's splitting of loops and branches on kernels of its figures 1 and 2, its worst case, and its conditions for
// a kernel worth splitting.
#include "cuda/studies/lbm/splitting.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/core/launch/occupancy.h"
#include "cuda/core/loops/loop_shape.h"
#include "cuda/core/loops/parallel_for.h"
#include "cuda/studies/lbm/studies.h"
#include "cuda/studies/paper.h"

namespace perturb::lbm {

namespace {

constexpr int turns = 9;

template <class Loop>
void launch(Backend& backend, int threads, const Loop& loop) {
  parallel_for(backend, "lbm.splitting", Range1D{threads}, loop);
}

void run_part(Backend& backend, BranchKind kind, BranchPart part, const BranchNumbers& n) {
  const auto of_kind = [&]<BranchKind of>() {
    if (part == BranchPart::both) launch(backend, n.threads, Branches<of, BranchPart::both>{n});
    if (part == BranchPart::only_if) launch(backend, n.threads, Branches<of, BranchPart::only_if>{n});
    if (part == BranchPart::only_else) launch(backend, n.threads, Branches<of, BranchPart::only_else>{n});
  };
  if (kind == BranchKind::different)
    of_kind.operator()<BranchKind::different>();
  else
    of_kind.operator()<BranchKind::equal>();
}

constexpr int threads_of_block = 256;  // of parallel_for

template <int sums>
LaunchShape shape_of_loops(const Backend& backend, bool split) {
  return split ? loop_shape<SumsOfLoops<true, sums>>(backend, threads_of_block)
               : loop_shape<SumsOfLoops<false, sums>>(backend, threads_of_block);
}

template <BranchKind kind>
LaunchShape shape_of_part(const Backend& backend, BranchPart part) {
  return part == BranchPart::both      ? loop_shape<Branches<kind, BranchPart::both>>(backend, threads_of_block)
         : part == BranchPart::only_if ? loop_shape<Branches<kind, BranchPart::only_if>>(backend, threads_of_block)
                                       : loop_shape<Branches<kind, BranchPart::only_else>>(backend, threads_of_block);
}
LaunchShape shape_of_branches(const Backend& backend, BranchKind kind, BranchPart part) {
  return kind == BranchKind::different ? shape_of_part<BranchKind::different>(backend, part)
                                       : shape_of_part<BranchKind::equal>(backend, part);
}

// Which threads take the else-branch.
enum MaskPattern { all_if, all_else, half_of_warps, few_warps, one_of_each_warp, mask_patterns };
const char* const mask_words[] = {"no thread", "all threads", "half of the warps", "one warp in 32",
                                  "one thread of each warp"};

std::uint8_t mask_of(MaskPattern pattern, int thread) {
  const int warp = thread / threads_of_warp;
  switch (pattern) {
    case all_else:
      return 1;
    case half_of_warps:
      return warp % 2 == 0 ? 0 : 1;
    case few_warps:
      return warp % threads_of_warp == 0 ? 1 : 0;
    case one_of_each_warp:
      return thread % threads_of_warp == 0 ? 1 : 0;
    default:
      return 0;
  }
}

void append_shape(std::vector<StudyValue>& row, const LaunchShape& shape) {
  const bool known = shape.block_x > 0;
  row.push_back(value_if(known, shape.registers_per_thread));
  row.push_back(value_if(known, 100 * shape.occupancy));
}

// Figure 1.
StudyTable loops_of_figure(Backend& backend, std::vector<Finding>& findings) {
  constexpr int length = 64;
  const int threads = backend.is_cuda() ? 1 << 20 : 1 << 11;
  const auto size = static_cast<std::size_t>(threads) * length;
  Array<float> one(backend, size, "numbers"), two(backend, size, "numbers"), three(backend, size, "numbers"),
      four(backend, size, "numbers"), result(backend, static_cast<std::size_t>(threads), "results");
  const std::vector<float> ones(size, 1);
  for (Array<float>* array : {&one, &two, &three, &four}) array->upload(std::span<const float>(ones));
  const LoopNumbers n{threads, length, one.data(), two.data(), three.data(), four.data(), result.data()};
  const auto repeated = [&](const auto& loop) {
    return [&backend, threads, loop](int times) {
      for (int k = 0; k < times; ++k) launch(backend, threads, loop);
    };
  };
  const std::vector<std::vector<double>> t =
      seconds_each(backend,
                   {repeated(SumsOfLoops<false>{n}), repeated(SumsOfLoops<true>{n}),
                    repeated(SumsOfLoops<false, many_sums>{n}), repeated(SumsOfLoops<true, many_sums>{n})},
                   turns);
  StudyTable table("figure_1", "Figure 1 as kernels: one loop and two",
                   {column("loops"), column("seconds", "time", "s"), column("longest_seconds", "at most", "s"),
                    column("registers_per_thread", "registers"), column("occupancy", "occupancy", "%", 4)});
  const std::string sums = ", " + std::to_string(many_sums) + " sums each";
  const std::string names[] = {"one", "two", "one" + sums, "two" + sums};
  const LaunchShape shapes[] = {shape_of_loops<1>(backend, false), shape_of_loops<1>(backend, true),
                                shape_of_loops<many_sums>(backend, false), shape_of_loops<many_sums>(backend, true)};
  for (std::size_t k = 0; k < t.size(); ++k) {
    std::vector<StudyValue> row = {names[k], median_of(t[k]), longest_of(t[k])};
    append_shape(row, shapes[k]);
    table.add(std::move(row));
  }
  table.note =
      "Medians of nine groups, run alternately, " + std::to_string(length) + " turns of " + std::to_string(threads) +
      " threads. The paper splits loops of kernels whose registers keep them from all of the occupancy. Figure 1 as it "
      "is has all of it on a current GPU, so that there is no verdict on its time; the same loops with " +
      std::to_string(many_sums) + " sums each need more registers.";
  const bool under_its_condition = !backend.is_cuda() || shapes[2].occupancy < 1;
  if (under_its_condition)
    findings.push_back({"two loops are faster than one whose registers keep the kernel from all of the occupancy",
                        "section 2.1", NAN, t[3], t[2]});
  else
    table.note += " Here they have all of the occupancy too: no verdict.";
  if (backend.is_cuda()) {
    const double freed = paper_table("lbm").at("figure 1", "loop split", "registers freed");
    const int one_loop = shapes[0].registers_per_thread, two_loops = shapes[1].registers_per_thread;
    // As many as stated count too.
    findings.push_back(
        with_measured(counted_finding("two loops need at least " + std::to_string(static_cast<int>(freed)) +
                                          " registers less than one, as kernels",
                                      "figure 1", NAN, two_loops + freed - 0.5, one_loop),
                      one_loop - two_loops, "registers"));
  } else {
    restrict_to_device(findings.back(), "processor");
  }
  return table;
}

// Seconds of the kernels with a pattern of branches: [kernel][turn].
struct PatternTimes {
  std::vector<double> together, split;
  // Gain of each turn: time in one kernel over that in two.
  std::vector<double> gains() const {
    std::vector<double> all;
    for (std::size_t k = 0; k < together.size(); ++k) all.push_back(together[k] / split[k]);
    return all;
  }
};

struct Nothing {
  PERTURB_HD void operator()(int) const {}
};

}  // namespace

void launch_nothing(Backend& backend) { launch(backend, 1, Nothing{}); }

Finding gain_finding(std::string claim, std::string place, std::vector<double> less, const std::vector<double>& more) {
  for (double& gain : less) gain = std::max(gain, 1.0);
  return with_measured({std::move(claim), std::move(place), NAN, std::move(less), more}, 100 * (median_of(more) - 1),
                       "%");
}

std::vector<float> lbm_branches(Backend& backend, BranchKind kind, bool split, int threads) {
  const auto size = static_cast<std::size_t>(threads);
  Array<std::uint8_t> mask(backend, size, "decision mask");
  Array<float> input(backend, size, "input"), result(backend, size, "results");
  std::vector<std::uint8_t> chosen(size);
  std::vector<float> numbers(size);
  for (int k = 0; k < threads; ++k) {
    chosen[static_cast<std::size_t>(k)] = k % 3 == 0 ? 1 : 0;
    numbers[static_cast<std::size_t>(k)] = 0.01f * static_cast<float>(k);
  }
  mask.upload(std::span<const std::uint8_t>(chosen));
  input.upload(std::span<const float>(numbers));
  result.fill_zero();
  const BranchNumbers n{threads, 2 * many_live * equal_live, mask.data(), input.data(), result.data()};
  if (split) {
    run_part(backend, kind, BranchPart::only_if, n);
    run_part(backend, kind, BranchPart::only_else, n);
  } else {
    run_part(backend, kind, BranchPart::both, n);
  }
  return result.download();
}

std::vector<float> lbm_sums(Backend& backend, bool split, bool many, int threads) {
  constexpr int length = many_sums;
  const std::size_t size = static_cast<std::size_t>(threads) * length;
  Array<float> numbers(backend, size, "numbers"), result(backend, static_cast<std::size_t>(threads), "results");
  std::vector<float> values(size);
  for (std::size_t k = 0; k < size; ++k) values[k] = 1 + 0.1f * static_cast<float>(k % 17);
  numbers.upload(std::span<const float>(values));
  const LoopNumbers n{threads, length, numbers.data(), numbers.data(), numbers.data(), numbers.data(), result.data()};
  if (split && many)
    launch(backend, threads, SumsOfLoops<true, many_sums>{n});
  else if (split)
    launch(backend, threads, SumsOfLoops<true>{n});
  else if (many)
    launch(backend, threads, SumsOfLoops<false, many_sums>{n});
  else
    launch(backend, threads, SumsOfLoops<false>{n});
  return result.download();
}

namespace {

const char* kind_word(BranchKind kind) {
  return kind == BranchKind::different ? "few and many registers" : "equally many registers";
}

// Figure 2.
StudyTable branches_of_figure(const Backend& backend) {
  StudyTable shapes("figure_2", "Figure 2 as kernels: registers and occupancy",
                    {column("branches"), column("kernel"), column("registers_per_thread", "registers"),
                     column("occupancy", "occupancy", "%", 4)});
  for (const BranchKind kind : {BranchKind::different, BranchKind::equal})
    for (const auto& [part, word] : {std::pair(BranchPart::both, "branching"), std::pair(BranchPart::only_if, "if"),
                                     std::pair(BranchPart::only_else, "else")}) {
      std::vector<StudyValue> row = {kind_word(kind), word};
      append_shape(row, shape_of_branches(backend, kind, part));
      shapes.add(std::move(row));
    }
  shapes.note = backend.is_cuda() ? "As the compiler reports them, 256 threads per block. The branches keep " +
                                        std::to_string(few_live) + " and " + std::to_string(many_live) + " or " +
                                        std::to_string(equal_live) +
                                        " numbers each at once, chosen so that they need few and many or equally many "
                                        "registers: that they do is no finding."
                                  : std::string("Registers and occupancy need a GPU: not measured here.");
  return shapes;
}

using MeasuredPatterns = std::map<std::pair<BranchKind, int>, PatternTimes>;

std::vector<Finding> divergence_findings(const Backend& backend, const MeasuredPatterns& measured) {
  const auto of = [&](BranchKind kind, MaskPattern pattern) -> const PatternTimes& {
    return measured.at({kind, pattern});
  };
  const PatternTimes& worst = of(BranchKind::different, one_of_each_warp);
  std::vector<double> of_both;
  for (std::size_t k = 0; k < worst.together.size(); ++k)
    of_both.push_back(worst.together[k] / (of(BranchKind::different, all_if).together[k] +
                                           of(BranchKind::different, all_else).together[k]));
  constexpr double about = 0.1;
  std::vector<Finding> findings = {
      {"the kernel that branches is slower if one thread of each warp takes the other branch than if as many whole "
       "warps do",
       "section 2.2", NAN, of(BranchKind::different, few_warps).together, worst.together},
      agreement("in the worst case the kernel that branches takes the time of both branches, to a tenth (their ratio)",
                "section 2.3", 1, std::move(of_both), about),
      {"in the worst case the split kernels are faster than the one that branches", "section 2.2", NAN, worst.split,
       worst.together},
      {"with half of the warps in each branch the split kernels are faster than the one that branches", "section 2.2",
       NAN, of(BranchKind::different, half_of_warps).split, of(BranchKind::different, half_of_warps).together},
      gain_finding("a split gains if the branches need different registers, and more than if they need equally many",
                   "section 2.3", of(BranchKind::equal, half_of_warps).gains(),
                   of(BranchKind::different, half_of_warps).gains()),
      gain_finding("a split gains if the if-branch takes nearly all of the threads, and more than if it takes half",
                   "section 2.3", of(BranchKind::different, half_of_warps).gains(),
                   of(BranchKind::different, few_warps).gains())};
  if (!backend.is_cuda()) restrict_to_device(findings, "processor");
  if (backend.is_cuda()) {
    const auto occupancy = [&](BranchPart part) {
      return shape_of_branches(backend, BranchKind::different, part).occupancy;
    };
    const double of_if = occupancy(BranchPart::only_if), of_else = occupancy(BranchPart::only_else),
                 of_both_branches = occupancy(BranchPart::both);
    constexpr double counted = 0.005;
    // Occupancy is a property of the compiled kernel: no thread has to take a branch.
    findings.push_back(agreement(
        "the kernel that branches has the lower occupancy of its branches, whichever its threads take (over that one)",
        "section 2.2", 1, of_both_branches / std::min(of_if, of_else), counted));
    const std::vector<double>& of_if_seconds = of(BranchKind::different, all_if).together;
    const std::vector<double>& of_else_seconds = of(BranchKind::different, all_else).together;
    std::vector<double> computed;  // the times of whole launches: their overhead is in them
    for (std::size_t k = 0; k < worst.together.size(); ++k)
      computed.push_back(
          split_speed_up({{of_if_seconds[k], of_if}, {of_else_seconds[k], of_else}}, of_both_branches, 0));
    findings.push_back(equation_finding(worst.gains(), computed));
  }
  return findings;
}

}  // namespace

StudyResult splitting_study(Backend& backend, const Setup&, const StudyProgress& progress) {
  const PaperTable& paper = paper_table("lbm");
  std::vector<Finding> findings;
  progress("the loops of figure 1");
  StudyResult result;
  result.tables.push_back(loops_of_figure(backend, findings));
  report_partial(progress, result);

  StudyTable shapes = branches_of_figure(backend);
  const int threads = backend.is_cuda() ? 1 << 20 : 1 << 11;
  const auto size = static_cast<std::size_t>(threads);
  constexpr int products = 2 * many_live * equal_live;
  Array<std::uint8_t> mask(backend, size, "decision mask");
  Array<float> input(backend, size, "input"), output(backend, size, "results");
  input.fill_zero();
  const BranchNumbers n{threads, products, mask.data(), input.data(), output.data()};
  StudyTable times(
      "divergence", "One kernel that branches against one kernel for each branch",
      {column("branches"), column("pattern", "take the else-branch"), column("together_seconds", "one kernel", "s"),
       column("split_seconds", "if-kernel and else-kernel", "s"), column("gain", "gain of the split", "%")});
  MeasuredPatterns measured;
  for (const BranchKind kind : {BranchKind::different, BranchKind::equal})
    for (int pattern = 0; pattern < mask_patterns; ++pattern) {
      progress(kind_word(kind) + std::string(", else-branch: ") + mask_words[pattern]);
      std::vector<std::uint8_t> chosen(size);
      for (int k = 0; k < threads; ++k)
        chosen[static_cast<std::size_t>(k)] = mask_of(static_cast<MaskPattern>(pattern), k);
      mask.upload(std::span<const std::uint8_t>(chosen));
      const auto repeated = [&](bool split) {
        return [&backend, kind, n, split](int count) {
          for (int k = 0; k < count; ++k) {
            if (split) {
              run_part(backend, kind, BranchPart::only_if, n);
              run_part(backend, kind, BranchPart::only_else, n);
            } else {
              run_part(backend, kind, BranchPart::both, n);
            }
          }
        };
      };
      std::vector<std::vector<double>> t = seconds_each(backend, {repeated(false), repeated(true)}, turns);
      PatternTimes& of = measured[{kind, pattern}];
      of = {std::move(t[0]), std::move(t[1])};
      const double together = median_of(of.together), split = median_of(of.split);
      times.add({kind_word(kind), mask_words[pattern], together, split, 100 * (together / split - 1)});
      report_partial(progress, {{result.tables[0], shapes, times}, {}});
    }
  times.note =
      "Medians of nine groups, run alternately. Both branches take equally many products: the if-branch of few "
      "registers one after the other. One thread of each warp is the paper's worst case: as many threads branch as "
      "with one warp in 32, but every warp takes the instructions of both branches.";

  const std::vector<Finding> of_branches = divergence_findings(backend, measured);
  findings.insert(findings.end(), of_branches.begin(), of_branches.end());
  result.tables.push_back(std::move(shapes));
  result.tables.push_back(std::move(times));
  result.tables.push_back(
      findings_table(findings, "The paper: " + paper.cited() +
                                   ". It gives figures 1 and 2 as pseudo-code without times. Of two gains the larger "
                                   "must be one: a split that loses less than another does not gain."));
  return result;
}

}  // namespace perturb::lbm

// The paper's sweeps: time against the number of discs, the block size, precision and contraction.
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "cuda/core/simulation/format.h"
#include "cuda/core/timing/timing_duration.h"
#include "cuda/particles/particles.h"
#include "cuda/studies/paper.h"
#include "cuda/studies/particles/studies.h"

namespace perturb::particles {

namespace {

// A measurement that would take longer is omitted.
constexpr double longest_step = 2;

// A column of a sweep.
struct SweepVariant {
  const char* id;
  Variant variant;
};

StudyTable sweep_table(const char* id, const std::string& title, StudyColumn x,
                       const std::vector<SweepVariant>& variants) {
  StudyTable table(id, title, {std::move(x)});
  for (const SweepVariant& of : variants) table.columns.push_back(column(of.id, of.variant.label, "s"));
  return table;
}

StudyPlot plot_of_numbers(const StudyTable& table) {
  return plot_of("Time per step, the paper's numbers", {"N", "", Scale::logarithmic},
                 {"Time per step", "s", Scale::logarithmic}, table.lines("discs"));
}

StudyTable sweep_numbers(Backend& backend, const std::vector<int>& counts, const StudyProgress& progress) {
  const std::vector<SweepVariant> variants = {
      {"grid_fp64", {"grid, FP64", "grid", false, false}},
      {"grid_fp64_contraction", {"grid, FP64, contraction", "grid", false, true}},
      {"grid_fp32", {"grid, FP32", "grid", true, false}},
      {"all_pairs_fp64", {"all pairs, FP64", "all-pairs", false, false}},
      {"all_pairs_fp64_contraction", {"all pairs, FP64, contraction", "all-pairs", false, true}},
      {"all_pairs_fp32", {"all pairs, FP32", "all-pairs", true, false}},
      {"all_pairs_fp32_contraction", {"all pairs, FP32, contraction", "all-pairs", true, true}}};
  StudyTable table =
      sweep_table("numbers", "Time per step against N, the paper's numbers", column("discs", "N", 6), variants);
  std::vector<double> last(variants.size(), 0);
  double last_count = 1;
  for (const int count : counts) {
    const double pairs = count / last_count * count / last_count;
    last_count = count;
    progress("N = " + std::to_string(count));
    std::vector<StudyValue> row = {count};
    for (std::size_t v = 0; v < variants.size(); ++v) {
      if (pairs * last[v] > longest_step) {
        last[v] *= pairs;
        row.emplace_back("left out");
        continue;
      }
      const auto run = make_discs(backend, report_setup(count, variants[v].variant), variants[v].variant.kernel);
      last[v] = seconds_per_step(*run);
      row.emplace_back(last[v]);
    }
    table.add(std::move(row));
    report_partial(progress, {{table}, {plot_of_numbers(table)}});
  }
  const PaperTable& paper = paper_table("particles");
  const auto value_of = [&](const char* what) { return format_number(paper.at("section 5.2", "default", what), 9); };
  const double fastest = disc_parameter(report_setup(counts.front(), variants[0].variant), "velocity_max");
  table.note = "Boxes of side " + value_of("L") + ", radius " + value_of("r") + "; velocities to " +
               format_number(fastest) + ", which is a guess. All pairs: blocks of " +
               format_number(paper.at("section 3.4", "kernels", "threads per block")) +
               ", order and filter on the host as in the paper, but by std::sort instead of qsort.";
  return table;
}

StudyTable sweep_blocks(Backend& backend, int count, const StudyProgress& progress) {
  const std::vector<SweepVariant> variants = {{"fp64", {"FP64", "", false, false}},
                                              {"fp64_contraction", {"FP64, contraction", "", false, true}},
                                              {"fp32", {"FP32", "", true, false}},
                                              {"fp32_contraction", {"FP32, contraction", "", true, true}}};
  StudyTable table =
      sweep_table("blocks", "Time per step of all pairs against the block size, N = " + std::to_string(count),
                  column("block", "threads", 6), variants);
  const int discs_block = paper_block("figure 20", "C1");
  table.note = "The paper's kernels, in blocks of " + std::to_string(discs_block) +
               " over discs as in its figure 20, which it draws without numbers.";
  for (const int block : paper_table("particles").rows("section 9.1", "threads per block")) {
    progress("blocks of " + std::to_string(block));
    std::vector<StudyValue> row = {block};
    for (const SweepVariant& of : variants) {
      const auto run = make_discs(backend, report_setup(count, of.variant), "all-pairs");
      particles_use_blocks(*run, discs_block, block);
      row.emplace_back(seconds_per_step(*run));
    }
    table.add(std::move(row));
  }
  return table;
}

// Share of each kernel in a step.
StudyTable sweep_shares(Backend& backend, int count, const StudyProgress& progress) {
  StudyTable table("shares", "The share of each kernel, N = " + std::to_string(count) + ", FP64, contraction",
                   {column("kernel"), column("loop"), column("launches_per_step", "launches per step"),
                    column("seconds_per_step", "time per step", "s"), column("share", "share", "%")});
  for (const char* kernel : {"grid", "all-pairs"}) {
    progress(std::string("shares of ") + kernel);
    const auto run = make_discs(backend, report_setup(count, {"", kernel, false, true}), kernel);
    const int steps = backend.is_cuda() ? 64 : 8;
    run->step(4);
    const std::vector<KernelTime> times = kernel_times(backend, [&] { run->step(steps); });
    double all = 0;
    for (const KernelTime& time : times) all += time.seconds;
    for (const KernelTime& time : times)
      table.add({kernel, time.label, static_cast<double>(time.launches) / steps, time.seconds / steps,
                 all > 0 ? 100 * time.seconds / all : 0});
  }
  table.note = "Each loop is timed separately, which adds a few microseconds to each launch on CUDA.";
  return table;
}

// Seconds of the same number of steps of each run, alternately, [run][turn].
std::vector<std::vector<double>> alternately(const std::vector<std::unique_ptr<Simulation>>& runs, int turns) {
  const double group = timing_duration(0.05);
  const int steps = std::clamp(static_cast<int>(group / seconds_per_step(*runs[0])), 1, 1000);
  std::vector<std::function<void()>> works;
  for (const auto& run : runs) {
    works.emplace_back([&run, steps] {
      run->step(steps);
      run->backend().synchronize();
    });
    works.back()();  // allocates memory
  }
  return interleaved_seconds(works, turns);
}

// Section 10.1. The paper did not find it significant: no difference is what it says.
Finding preference_for_cache(const std::vector<double>& with, const std::vector<double>& without, int count) {
  const auto gain = [](const char* end) {
    return format_number(paper_table("particles").at("section 10.1", "L1 preferred", end));
  };
  return {"a preference for the cache makes a step about " + gain("smallest gain") + " to " + gain("largest gain") +
              " % faster, not significantly, FP64, contraction, N = " + std::to_string(count),
          "section 10.1", NAN, with, without};
}

// The paper's findings from these sweeps, tested with its method (all pairs).
StudyTable sweep_findings(Backend& backend, int count, const StudyTable& numbers, const StudyProgress& progress) {
  constexpr int turns = 9;
  const PaperTable& paper = paper_table("particles");
  // Only CUDA has a block size.
  std::vector<Variant> variants = {{"", "all-pairs", false, false},
                                   {"", "all-pairs", false, true},
                                   {"", "all-pairs", true, false},
                                   {"", "all-pairs", true, true}};
  if (backend.is_cuda()) {
    variants.push_back({"", "all-pairs", false, true});  // in the paper's largest blocks
    variants.push_back({"", "all-pairs", false, true});  // in the paper's smallest blocks
    variants.push_back({"", "all-pairs-l1", false, true});
    variants.push_back({"", "all-pairs-rows", false, true});
  }
  const std::string of = ", N = " + std::to_string(count);
  progress("findings" + of);
  std::vector<std::unique_ptr<Simulation>> runs;
  for (const Variant& variant : variants)
    runs.push_back(make_discs(backend, report_setup(count, variant), variant.kernel));
  const int largest_block = static_cast<int>(paper.curve("section 9.1", "threads per block").back().x),
            smallest_block = static_cast<int>(paper.curve("section 9.1", "threads per block").front().x);
  if (backend.is_cuda()) {
    const int discs_block = paper_block("figure 20", "C1");
    particles_use_blocks(*runs[4], discs_block, largest_block);
    particles_use_blocks(*runs[5], discs_block, smallest_block);
  }
  const std::vector<std::vector<double>> t = alternately(runs, turns);
  std::vector<Finding> findings = {{"contraction makes a step shorter, FP64" + of, "figure 9", NAN, t[1], t[0]}};
  add_gain_finding(findings, "FP32", ", with contraction" + of, "figure 17", t[3], t[1]);
  add_gain_finding(findings, "FP32", ", without contraction" + of, "figure 18", t[2], t[0]);
  add_square_finding(findings, "the time of a step, FP64", "figure 8", numbers.line("discs", "all_pairs_fp64").points);
  add_square_finding(findings, "the time of a step, FP64, contraction", "figure 8",
                     numbers.line("discs", "all_pairs_fp64_contraction").points);
  if (backend.is_cuda()) {
    findings.push_back({"blocks of " + std::to_string(largest_block) +
                            " over pairs make a step shorter than blocks of " + std::to_string(smallest_block) +
                            ", FP64, contraction" + of,
                        "figure 20", NAN, t[4], t[5]});
    findings.push_back(preference_for_cache(t[6], t[1], count));
    for (const int smaller : {count / 2, count / 4}) {
      progress("cache preference, N = " + std::to_string(smaller));
      std::vector<std::unique_ptr<Simulation>> both;
      for (const std::size_t v : {std::size_t{6}, std::size_t{1}})
        both.push_back(make_discs(backend, report_setup(smaller, variants[v]), variants[v].kernel));
      const std::vector<std::vector<double>> seconds = alternately(both, turns);
      findings.push_back(preference_for_cache(seconds[0], seconds[1], smaller));
    }
    findings.push_back({"the folded triangle makes a step shorter than a row of pairs a block, FP64, contraction" + of,
                        "section 3.4", NAN, t[1], t[7]});
  }
  // The paper's steps are those of its GPU, except for figure 8, where its OpenMP program grows in the same way.
  if (!backend.is_cuda())
    for (Finding& finding : findings)
      if (finding.place != "figure 8") restrict_to_device(finding, "processor");
  return findings_table(findings, "The paper: " + paper.cited() + ". Steps run alternately, nine groups each.");
}

}  // namespace

StudyResult sweeps_study(Backend& backend, int most, const StudyProgress& progress) {
  StudyResult result;
  const int count = backend.is_cuda() ? most : std::min(most, 4000);  // where one number must suffice
  const std::vector<int> counts = paper_table("particles").rows("section 5.2", "N", most);
  result.tables.push_back(sweep_numbers(backend, counts, progress));
  result.tables.back().note += particles_left_out(most);
  result.plots.push_back(plot_of_numbers(result.tables.back()));
  report_partial(progress, result);
  if (backend.is_cuda()) {
    result.tables.push_back(sweep_blocks(backend, most, progress));
    result.plots.push_back(plot_of("All pairs, N = " + std::to_string(most),
                                   {"Threads per block", "", Scale::logarithmic}, {"Time per step", "s"},
                                   result.tables.back().lines("block")));
    report_partial(progress, result);
  }
  result.tables.push_back(sweep_shares(backend, count, progress));
  report_partial(progress, result);
  StudyTable findings = sweep_findings(backend, count, result.tables.front(), progress);
  result.tables.push_back(std::move(findings));
  return result;
}

}  // namespace perturb::particles

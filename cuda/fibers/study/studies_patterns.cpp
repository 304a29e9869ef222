// Patterns of memory access by threads, good and bad: the paper's figures 5.7 to 5.10 and its section 5.7.4.
#include <cmath>
#include <string>

#include "cuda/core/backend/field.h"
#include "cuda/core/bench/occupancy.h"
#include "cuda/core/bench/paper_studies.h"
#include "cuda/core/bench/paper_table.h"
#include "cuda/core/bench/verdict.h"
#include "cuda/fibers/model/extension.h"
#include "cuda/fibers/study/patterns.h"
#include "cuda/fibers/study/studies.h"

namespace perturb::fibers {

namespace {

constexpr int pattern_repeats = 7;

// A warm-up of each, which allocates memory and loads kernels.
std::vector<std::vector<double>> pattern_seconds(const std::vector<std::function<void()>>& works) {
  for (const auto& work : works) work();
  return interleaved_seconds(works, pattern_repeats);
}

// Times of patterns in the order of their table, given by the axis label.
StudyPlot plot_of_patterns(const char* title, const char* patterns, const std::vector<std::vector<double>>& seconds) {
  StudyPlot plot;
  plot.title = title, plot.x_label = patterns, plot.y_label = "time", plot.y_unit = "s", plot.logarithmic_y = true;
  plot.lines = {{"here", {}, false}};
  for (std::size_t k = 0; k < seconds.size(); ++k)
    plot.lines[0].points.push_back({static_cast<double>(k + 1), median_of(seconds[k])});
  return plot;
}

void add_global_patterns(Backend& backend, const StudyProgress& progress, StudyResult& result,
                         std::vector<Finding>& findings) {
  GlobalTraffic traffic;
  traffic.blocks = backend.is_cuda() ? 8192 : 512;
  Array<double> from(backend, traffic.size(), "numbers"), to(backend, traffic.size(), "numbers");
  constexpr GlobalPattern all[] = {GlobalPattern::padded, GlobalPattern::packed, GlobalPattern::own};
  std::vector<std::function<void()>> works;
  for (const GlobalPattern pattern : all)
    works.emplace_back([&, pattern] {
      move_numbers(backend, pattern, traffic, from.data(), to.data());
      backend.synchronize();
    });
  progress("patterns in memory");
  const auto seconds = pattern_seconds(works);
  StudyTable table;
  table.id = "global", table.title = "Global memory: numbers moved by blocks of 128 threads, of which 120 have work";
  table.columns = {{"pattern", "where a thread's numbers lie", ""},
                   {"figure", "figure", ""},
                   {"seconds", "time", "s"},
                   {"rate", "read and written", "B/s"}};
  table.note =
      "36 numbers in double precision a thread, as the source's inner integrals. On a processor's core the "
      "threads of a block come one after the other, so that what is good for a GPU need not be good there.";
  const char* const figures[] = {"5.8", "5.7", "-"};
  for (std::size_t k = 0; k < 3; ++k) {
    const double median = median_of(seconds[k]);
    table.rows.push_back({std::string(name_of(all[k])), std::string(figures[k]), median, traffic.bytes() / median});
  }
  result.tables.push_back(table);
  result.plots.push_back(
      plot_of_patterns("Figures 5.7 and 5.8: global memory", "pattern: padded, packed, a thread's own", seconds));
  if (!backend.is_cuda()) return;  // the paper's findings on a GPU's segments do not apply to a processor's caches
  findings.push_back({"blocks that begin with a whole segment are quicker than packed ones", "figures 5.7, 5.8", NAN,
                      seconds[0], seconds[1]});
  findings.push_back({"numbers beside those of the neighbours are quicker than a thread's own side by side",
                      "section 4.5.3", NAN, seconds[0], seconds[2]});
}

void add_shared_patterns(Backend& backend, const StudyProgress& progress, StudyResult& result,
                         std::vector<Finding>& findings) {
  constexpr int blocks = 4096, turns = 2000;
  constexpr SharedPattern all[] = {SharedPattern::rows, SharedPattern::one_bank, SharedPattern::rows_double,
                                   SharedPattern::halves, SharedPattern::own_double};
  Array<double> results(backend, static_cast<std::size_t>(blocks) * GlobalTraffic::block, "results");
  std::vector<std::function<void()>> works;
  for (const SharedPattern pattern : all)
    works.emplace_back([&, pattern] {
      run_shared_pattern(backend, pattern, blocks, turns, results.data());
      backend.synchronize();
    });
  progress("patterns in shared memory");
  const auto seconds = pattern_seconds(works);
  StudyTable table;
  table.id = "shared", table.title = "Shared memory: a recursion over six numbers of each thread";
  table.columns = {
      {"pattern", "where they lie", ""}, {"figure", "figure", ""}, {"seconds", "time", "s"}, {"rate", "turns", "1/s"}};
  table.note =
      "A turn reads two numbers and writes one. The source's GPU has 16 banks and asks for half a warp at once, "
      "later ones 32 banks for a whole one, where rows of doubles are in order.";
  const char* const figures[] = {"5.9", "-", "5.10", "5.9, halves", "-"};
  for (std::size_t k = 0; k < 5; ++k) {
    const double median = median_of(seconds[k]);
    table.rows.push_back({std::string(name_of(all[k])), std::string(figures[k]), median,
                          static_cast<double>(results.size()) * turns / median});
  }
  result.tables.push_back(table);
  result.plots.push_back(plot_of_patterns("Figures 5.9 and 5.10: shared memory",
                                          "pattern: rows, one bank, rows of doubles, halves, a thread's own", seconds));
  findings.push_back(
      {"rows are quicker than one bank, single precision", "figures 5.9, 5.10", NAN, seconds[0], seconds[1]});
  findings.push_back(
      {"doubles in one buffer are quicker than in halves", "section 5.7.4", NAN, seconds[2], seconds[3]});
}

// Resources of the kernel here compared with the paper's.
StudyTable extension_resources(const Backend& backend) {
  const PaperTable& paper = paper_table("fibers");
  const int paper_capability =
      static_cast<int>(std::lround(10 * paper.at("table A.2", "GeForce GTX 260", "compute capability")));
  const LaunchShape shape = fiber_extension_shape(backend);
  const auto paper_value = [&](const char* what) { return paper.at("section 5.7.6", "kernel", what); };
  const bool here = backend.is_cuda();
  const StudyValue none = std::string("-");
  // Warps per multiprocessor: on the paper's GPU, and on the device.
  const auto most_warps = [](const GpuRules* rules) { return rules ? rules->most_threads / threads_of_warp : 0; };
  const int its_warps = most_warps(gpu_rules(paper_capability));
  const int warps = here ? most_warps(gpu_rules(cuda_status().compute_capability)) : 0;
  StudyTable table;
  table.id = "needs", table.title = "The kernel in the source's form: a thread for each pair and outer point";
  table.columns = {{"number", "number", ""}, {"here", "here", "", 4}, {"source", "the source", "", 4}};
  table.rows = {
      {std::string("threads of a block"), static_cast<double>(PaperGrid::block), paper_value("threads per block")},
      {std::string("registers of a thread"), here ? StudyValue{static_cast<double>(shape.registers_per_thread)} : none,
       paper_value("registers per thread")},
      {std::string("warps of a multiprocessor"), warps > 0 ? StudyValue{shape.occupancy * warps} : none,
       paper_value("warps per multiprocessor")},
      {std::string("occupancy, %"), here ? StudyValue{100 * shape.occupancy} : none,
       100 * paper_value("warps per multiprocessor") / its_warps}};
  table.note = "The source: " + paper.cited() + ", section 5.7.6, on compute capability 1.3.";
  return table;
}

}  // namespace

StudyResult patterns_study(Backend& backend, const Setup&, const StudyProgress& progress) {
  StudyResult result;
  std::vector<Finding> findings;
  add_global_patterns(backend, progress, result, findings);
  report_partial(progress, result);
  if (backend.is_cuda()) add_shared_patterns(backend, progress, result, findings);
  report_partial(progress, result);
  result.tables.push_back(extension_resources(backend));
  result.tables.push_back(findings_table(
      findings, backend.is_cuda() ? ""
                                  : "Needs a GPU: patterns in shared memory are not measured here, and the times of "
                                    "those in global memory are a processor's, of which the source says nothing."));
  return result;
}

}  // namespace perturb::fibers

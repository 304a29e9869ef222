// The paper's first profiles: its tables 2.1 and 2.2, at their own time step and number of steps.
#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "cuda/core/backend/check.h"
#include "cuda/core/bench/paper_studies.h"
#include "cuda/core/bench/paper_table.h"
#include "cuda/core/bench/verdict.h"
#include "cuda/fibers/fibers.h"
#include "cuda/fibers/study/studies.h"

namespace perturb::fibers {

namespace {

// Counterpart of a function of the paper and of those that only it calls. The paper's `assemble` calls `greendotleg1`,
// `tprod` and `tsum`, and that `greenint`: all of them are one kernel here.
struct PaperFunction {
  const char *name, *here;
  bool whole;  // its total time counts, else its own
};
constexpr std::array<PaperFunction, 3> paper_functions = {{{"assemble", "interaction and assembly", true},
                                                           {"velocity", "products and solve", false},
                                                           {"advect", "motion, step", false}}};
// Functions that `assemble` calls; with its own time these are its total.
constexpr std::array<const char*, 4> within_assemble = {"greendotleg1", "greenint", "tprod", "tsum"};

int function_of(const std::string& part) {
  return part == "interaction" || part == "assembly" ? 0 : part == "rest" ? 2 : 1;
}

}  // namespace

StudyResult calls_study(Backend& backend, int steps, const StudyProgress& progress) {
  const PaperTable& paper = paper_table("fibers");
  PaperRun profile = fiber_paper_profile();
  profile.end = steps * profile.time_step;
  StudyResult result;
  StudyPlot plot;
  plot.title = "Tables 2.1 and 2.2: shares of a run", plot.x_label = "fibers", plot.y_label = "share";
  plot.y_unit = "%";
  plot.lines = {{"assemble", {}, false},
                {"velocity", {}, false},
                {"the source, assemble", {}, true},
                {"the source, velocity", {}, true}};
  StudyTable table;
  table.id = "calls", table.title = "Calls and times by part, " + profile.text() + ", FP64";
  table.columns = {{"fibers", "fibers", "", 6},
                   {"source_function", "of the source", ""},
                   {"part", "here", ""},
                   {"source_calls", "its calls", "", 8},
                   {"calls", "launches here", "", 8},
                   {"source_seconds", "its time", "s", 7},
                   {"seconds", "time here", "s"},
                   {"source_share", "its share", "%"},
                   {"share", "share here", "%"}};
  table.note = "The source: " + paper.cited() +
               ", tables 2.1 and 2.2; `assemble` with all that it calls, which the rows below it tell by themselves; "
               "`velocity` and "
               "`advect` without what they call. Launches here: of kernels or loops, by the "
               "kernel stable; a call of the source's function is many of them where its iterations are, so that the "
               "two columns count unlike things. Timing waits for each. Starts are drawn by other random numbers.";
  Finding finding;
  // One call per fiber and evaluation.
  const auto fibers_of = [&](const char* place) {
    return static_cast<int>(paper.at(place, "greenint", "calls") / paper.at(place, "velocity", "calls"));
  };
  finding.claim = "the share of `assemble` falls from " + std::to_string(fibers_of("table 2.1")) + " to " +
                  format_fiber_count(fibers_of("table 2.2"));
  finding.place = "tables 2.1, 2.2";
  const auto share_of_paper = [&](const char* place) {
    return paper.at(place, "assemble", "total time") / paper.at(place, "advect", "total time");
  };
  finding.paper = share_of_paper("table 2.1") / share_of_paper("table 2.2");
  for (const char* place : {"table 2.1", "table 2.2"}) {
    const int fibers = fibers_of(place);
    progress(format_fiber_count(fibers));
    cloud_of_paper(backend, 64, FiberPrecision::fp64, profile.time_step)->step(1);  // loads the kernels
    const auto run = cloud_of_paper(backend, fibers, FiberPrecision::fp64, profile.time_step);
    run->select_kernel("stable");
    std::array<double, 3> seconds{}, calls{};
    std::vector<double>& shares = finding.more.empty() ? finding.more : finding.less;
    backend.stats().set_timing(true);
    for (int step = 0; step < steps; ++step) {
      backend.stats().clear();
      run->step(1);  // the first one with the start's own evaluation
      std::array<double, 3> now{};
      for (const KernelTime& time : backend.stats().table()) {
        const auto part = static_cast<std::size_t>(function_of(fiber_part_of(time.label)));
        now[part] += time.seconds, calls[part] += static_cast<double>(time.launches);
      }
      for (std::size_t k = 0; k < now.size(); ++k) seconds[k] += now[k];
      if (step % std::max(1, steps / 10) == 0) shares.push_back(100 * now[0] / (now[0] + now[1] + now[2]));
    }
    backend.stats().set_timing(false);
    const Diagnostics d = run->diagnostics({}, true);
    if (!d.finite) throw Error("The profile of " + format_fiber_count(fibers) + " did not end: " + d.error);
    const double all = seconds[0] + seconds[1] + seconds[2], paper_all = paper.at(place, "advect", "total time");
    for (std::size_t k = 0; k < paper_functions.size(); ++k) {
      const PaperFunction& function = paper_functions[k];
      const double paper_seconds = paper.at(place, function.name, function.whole ? "total time" : "self time");
      table.rows.push_back({static_cast<double>(fibers), std::string(function.name), std::string(function.here),
                            paper.at(place, function.name, "calls"), calls[k], paper_seconds, seconds[k],
                            100 * paper_seconds / paper_all, 100 * seconds[k] / all});
      if (k < 2) {  // `advect` is negligible in comparison
        plot.lines[k].points.push_back({static_cast<double>(fibers), 100 * seconds[k] / all});
        plot.lines[2 + k].points.push_back({static_cast<double>(fibers), 100 * paper_seconds / paper_all});
      }
      if (!function.whole) continue;
      const StudyValue none = std::string("-");
      for (const char* called : within_assemble) {
        const double its_own = paper.at(place, called, "self time");
        table.rows.push_back({static_cast<double>(fibers), std::string(called), std::string("within `assemble`"),
                              paper.at(place, called, "calls"), none, its_own, none, 100 * its_own / paper_all, none});
      }
    }
    result.tables = {table}, result.plots = {plot};
    report_partial(progress, result);
  }
  if (backend.is_cuda()) restrict_to_device(finding, "GPU");  // the paper's profiles are of its program on the CPU
  result.tables = {table, findings_table({finding}, "Shares of ten steps each, spread over the run.")};
  return result;
}

}  // namespace perturb::fibers

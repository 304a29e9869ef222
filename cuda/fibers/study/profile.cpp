// Time of a step by part, after the paper's table 6.3.
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "cuda/core/backend/check.h"
#include "cuda/core/bench/paper_studies.h"
#include "cuda/core/bench/paper_table.h"
#include "cuda/core/bench/peak_rates.h"
#include "cuda/core/bench/roofline.h"
#include "cuda/core/bench/verdict.h"
#include "cuda/core/simulation/format.h"
#include "cuda/fibers/fibers.h"
#include "cuda/fibers/kernels/plan.h"
#include "cuda/fibers/study/studies.h"

namespace perturb::fibers {

StudyResult profile_study(Backend& backend, const std::vector<int>& sizes, const StudyProgress& progress) {
  using Clock = std::chrono::steady_clock;
  StudyTable table;
  table.id = "profile", table.title = "A step by part: balls of radius " + format_number(fiber_paper_run().radius) +
                                      ", time step " + format_number(fiber_paper_run().time_step);
  table.columns = {{"fibers", "fibers", "", 6},
                   {"precision", "numbers", ""},
                   {"kernel", "kernel", ""},
                   {"seconds_per_step", "a step", "s"},
                   {"interaction", "interaction and assembly", "s"},
                   {"products", "matrix-vector products", "s"},
                   {"solve", "rest of the solve", "s"},
                   {"rest", "motion, step", "s"},
                   {"share", "share of the interaction", "%"},
                   {"source_share", "the source's", "%"},
                   {"iterations", "iterations", ""},
                   {"flop_share", "interaction, % of peak", ""},
                   {"memory_share", "products, % of copy", ""}};
  table.note =
      "Timing waits for each kernel, so the parts together take longer than the step. Peak: the device's FP64 or FP32 "
      "rate by its specification; copy: measured here. Iterations and their products: the mean over ten steps, those "
      "of GMRES where fibers interpenetrate included. The source's share: of `greendotleg1` and `greenint` in a "
      "whole run on its CPU, table 6.3.";
  const PaperTable& paper = paper_table("fibers");
  std::vector<Finding> findings;
  StudyPlot plot;
  plot.title = "Table 6.3: the interaction's share", plot.x_label = "fibers", plot.y_label = "share", plot.y_unit = "%";
  StudyLine paper_values{"the source, of its run on the CPU", {}, true};
  for (const CurvePoint& p : paper.curve("table 6.3", "portion"))
    if (p.x <= sizes.back()) paper_values.points.push_back(p);
  const PeakRates peak = peak_rates(backend);
  progress("the machine's bandwidth");
  const Roofline roof = measure_roofline(backend);
  for (const FiberPrecision precision : {FiberPrecision::fp64, FiberPrecision::fp32})
    for (const FiberKernel kernel : {FiberKernel::stable, FiberKernel::recursion, FiberKernel::nodes}) {
      // In single precision the published starts lose their digits: `accuracy` has them.
      if (kernel == FiberKernel::recursion && precision == FiberPrecision::fp32) continue;
      plot.lines.push_back({Method{kernel, precision}.text(), {}, false});
      for (const int fibers : sizes) {
        progress(format_fiber_count(fibers) + ", " + fiber_word(kernel) + ", " + fiber_word(precision));
        const auto run = cloud_of_paper(backend, fibers, precision, fiber_paper_run().time_step);
        run->select_kernel(fiber_word(kernel));
        run->step(2);
        const int steps = 10;
        backend.synchronize();
        const auto start = Clock::now();
        run->step(steps);
        backend.synchronize();
        const double plain = std::chrono::duration<double>(Clock::now() - start).count() / steps;
        backend.stats().set_timing(true);
        std::map<std::string, double> parts;
        std::vector<double> shares;  // of each step
        double products = 0;
        for (int k = 0; k < steps; ++k) {
          backend.stats().clear();
          run->step(1);
          double inner = 0, all = 0;
          for (const KernelTime& time : backend.stats().table()) {
            const std::string part = fiber_part_of(time.label);
            parts[part] += time.seconds / steps, all += time.seconds;
            if (part == "interaction" || part == "assembly") inner += time.seconds;
            if (part == "products") products += static_cast<double>(time.launches) / steps;
          }
          shares.push_back(100 * inner / all);
        }
        backend.stats().set_timing(false);
        const Diagnostics d = run->diagnostics({}, true);
        if (!d.finite) throw Error("The profile of " + format_fiber_count(fibers) + " did not end: " + d.error);
        FiberParameters p;
        p.precision = precision;
        const FiberWork once = fiber_work(fibers, p, FiberKernel::stable, true, 0),
                        twice = fiber_work(fibers, p, FiberKernel::stable, true, 1);
        const bool matrix = kernel != FiberKernel::nodes;
        const double rate = precision == FiberPrecision::fp64 ? peak.fp64 : peak.fp32;
        const StudyValue none = std::string("-");
        const double inner = parts["interaction"] + parts["assembly"];
        table.rows.push_back(
            {static_cast<double>(fibers), std::string(fiber_word(precision)), std::string(fiber_word(kernel)), plain,
             inner, parts["products"], parts["solve"], parts["rest"], median_of(shares),
             paper.at("table 6.3", std::to_string(fibers), "portion"), products - 2,
             matrix ? StudyValue{100 * once.flops / inner / rate} : none,
             matrix
                 ? StudyValue{100 * products * (twice.bytes - once.bytes) / parts["products"] / roof.bytes_per_second}
                 : none});
        const auto portion = [&](int of) { return paper.at("table 6.3", std::to_string(of), "portion"); };
        if (sizes.size() > 1 && fibers == sizes.front())
          findings.push_back({std::string("the interaction's share falls from ") + std::to_string(sizes.front()) +
                                  " to " + format_fiber_count(sizes.back()) + ", " + fiber_word(kernel) + ", " +
                                  fiber_word(precision),
                              "table 6.3",
                              portion(sizes.front()) / portion(sizes.back()),
                              {},
                              shares});
        else if (sizes.size() > 1 && fibers == sizes.back())
          findings.back().less = shares;
        plot.lines.back().points.push_back({static_cast<double>(fibers), median_of(shares)});
        report_partial(progress, {{table}, {plot}});
      }
    }
  plot.lines.push_back(std::move(paper_values));
  if (backend.is_cuda()) restrict_to_device(findings, "GPU");  // the paper's shares are of its run on the CPU
  StudyResult result;
  result.tables = {table, findings_table(findings, "Shares of ten steps each, of a run on this machine alone.")};
  result.plots = {std::move(plot)};
  return result;
}

}  // namespace perturb::fibers

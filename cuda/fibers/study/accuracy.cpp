// Cost of single precision and of the kernels in digits, for one evaluation; for long runs: study/drift.cpp.
#include <algorithm>
#include <cmath>

#include "cuda/core/bench/paper_studies.h"
#include "cuda/core/bench/paper_table.h"
#include "cuda/core/bench/verdict.h"
#include "cuda/core/simulation/format.h"
#include "cuda/fibers/fibers.h"
#include "cuda/fibers/kernels/evaluate.h"
#include "cuda/fibers/study/studies.h"

namespace perturb::fibers {

namespace {

constexpr Method accuracy_ways[] = {{FiberKernel::stable, FiberPrecision::fp32},
                                    {FiberKernel::recursion, FiberPrecision::fp64},
                                    {FiberKernel::recursion, FiberPrecision::fp32},
                                    {FiberKernel::nodes, FiberPrecision::fp64},
                                    {FiberKernel::nodes, FiberPrecision::fp32}};

StudyTable accuracy_of_one(Backend& backend, const std::vector<int>& sizes, const StudyProgress& progress) {
  StudyTable table;
  table.id = "evaluation", table.title = "Velocities of one evaluation against stable, fp64: balls of radius " +
                                         format_number(fiber_paper_run().radius);
  table.columns = {{"fibers", "fibers", "", 6},
                   {"kernel", "kernel", ""},
                   {"precision", "numbers", ""},
                   {"tolerance", "tolerance", ""},
                   {"largest_error", "largest error", ""},
                   {"root_mean_square_error", "root mean square", ""},
                   {"not_finite", "not finite", ""}};
  table.note = "Errors over the largest velocity. Numbers that are not finite are counted and left out.";
  for (const int fibers : sizes) {
    const Placement placement = fiber_cloud(fibers, paper_ball_radius(fibers), 0.04, 1);
    FiberParameters p = precise_fibers();
    progress(format_fiber_count(fibers) + ", stable, fp64");
    const std::vector<double> exact = evaluate_fibers(backend, placement, p).velocity;
    const auto add = [&](const Method& way, double tolerance) {
      p.precision = way.precision, p.tolerance = tolerance;
      const std::vector<double> v = evaluate_fibers(backend, placement, p, way.kernel).velocity;
      double most = 0, sum = 0, scale = 0, bad = 0;
      for (std::size_t k = 0; k < v.size(); ++k) {
        scale = std::max(scale, std::abs(exact[k]));
        if (!std::isfinite(v[k])) {
          ++bad;
          continue;
        }
        const double difference = std::abs(v[k] - exact[k]);
        most = std::max(most, difference), sum += difference * difference;
      }
      table.rows.push_back({static_cast<double>(fibers), std::string(fiber_word(way.kernel)),
                            std::string(fiber_word(way.precision)), tolerance, most / scale,
                            std::sqrt(sum / static_cast<double>(v.size())) / scale, bad});
    };
    add({FiberKernel::stable, FiberPrecision::fp64}, 1e-6);
    for (const Method& way : accuracy_ways) {
      progress(format_fiber_count(fibers) + ", " + way.text());
      add(way, 1e-11);
    }
  }
  return table;
}

// Cost of single precision with the published formulas: clouds of several seeds are the repeats. A velocity that is not
// a number counts as entirely wrong.
StudyTable accuracy_of_published(Backend& backend, const StudyProgress& progress) {
  constexpr int fibers = 100, clouds = 6;
  const double radius = paper_ball_radius(fibers);
  const auto largest_error = [&](int seed, FiberPrecision precision, const std::vector<double>& exact) {
    FiberParameters p = precise_fibers();
    p.precision = precision;
    const std::vector<double> v =
        evaluate_fibers(backend, fiber_cloud(fibers, radius, 0.04, seed), p, FiberKernel::recursion).velocity;
    double most = 0, scale = 0;
    for (std::size_t k = 0; k < v.size(); ++k) {
      scale = std::max(scale, std::abs(exact[k]));
      most = std::max(most, std::isfinite(v[k]) ? std::abs(v[k] - exact[k]) : std::abs(exact[k]));
    }
    return most / scale;
  };
  Finding finding;
  finding.claim = "the published formulas are less exact in single precision than in double";
  finding.place = "section 5.6", finding.paper = NAN;
  for (int seed = 1; seed <= clouds; ++seed) {
    progress("published formulas, cloud " + std::to_string(seed) + " of " + std::to_string(clouds));
    const std::vector<double> exact =
        evaluate_fibers(backend, fiber_cloud(fibers, radius, 0.04, seed), precise_fibers()).velocity;
    finding.less.push_back(largest_error(seed, FiberPrecision::fp64, exact));
    finding.more.push_back(largest_error(seed, FiberPrecision::fp32, exact));
  }
  return findings_table({finding}, "Largest error of one evaluation's velocities against stable, fp64, in " +
                                       std::to_string(clouds) + " balls of " + format_fiber_count(fibers) + ".");
}

}  // namespace

StudyResult accuracy_study(Backend& backend, const std::vector<int>& sizes, double end, const StudyProgress& progress) {
  StudyResult result;
  result.tables = {accuracy_of_one(backend, sizes, progress), accuracy_of_published(backend, progress)};
  report_partial(progress, result);
  add_fiber_drift(backend, end, progress, result);
  report_partial(progress, result);
  add_fiber_drift_causes(backend, end / 4, progress, result);
  return result;
}

}  // namespace perturb::fibers

// What single precision and the kernels cost in digits, at once and in the long run: after the source's figures 5.5 and
// 5.6.
#include <algorithm>
#include <cmath>

#include "cuda/core/source_table.h"
#include "cuda/core/verdict.h"
#include "cuda/fibers/fibers.h"
#include "cuda/fibers/fibers_evaluate.h"
#include "cuda/fibers/fibers_studies.h"

namespace perturb {

namespace {

struct AccuracyWay {
  FiberKernel kernel;
  FiberPrecision precision;
  std::string words() const { return std::string(fiber_word(kernel)) + ", " + fiber_word(precision); }
};
constexpr AccuracyWay accuracy_ways[] = {{FiberKernel::stable, FiberPrecision::fp32},
                                         {FiberKernel::recursion, FiberPrecision::fp64},
                                         {FiberKernel::recursion, FiberPrecision::fp32},
                                         {FiberKernel::nodes, FiberPrecision::fp64},
                                         {FiberKernel::nodes, FiberPrecision::fp32}};

StudyTable accuracy_of_one(Backend& backend, const StudyProgress& progress) {
  StudyTable table;
  table.id = "evaluation", table.title = "Velocities of one evaluation against stable, fp64: balls of radius 6";
  table.columns = {{"fibers", "fibers", "", 6},
                   {"kernel", "kernel", ""},
                   {"precision", "numbers", ""},
                   {"tolerance", "tolerance", ""},
                   {"largest_error", "largest error", ""},
                   {"root_mean_square_error", "root mean square", ""},
                   {"not_finite", "not finite", ""}};
  table.note = "Errors over the largest velocity. Numbers that are not finite are counted and left out.";
  for (const int fibers : {100, 300, 1000}) {
    if (!backend.is_cuda() && fibers > 300) continue;
    const FiberPlacement placement = fiber_cloud(fibers, 6, 0.04, 1);
    FiberParameters p = precise_fibers();
    progress(fibers_in_words(fibers) + ", stable, fp64");
    const std::vector<double> exact = evaluate_fibers(backend, placement, p).velocity;
    const auto add = [&](const AccuracyWay& way, double tolerance) {
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
    for (const AccuracyWay& way : accuracy_ways) {
      progress(fibers_in_words(fibers) + ", " + way.words());
      add(way, 1e-11);
    }
  }
  return table;
}

// What single precision costs with the published formulas: clouds of several seeds are the repeats. A velocity that is
// no number counts as wrong altogether.
StudyTable accuracy_of_published(Backend& backend, const StudyProgress& progress) {
  constexpr int fibers = 100, clouds = 6;
  const auto largest_error = [&](int seed, FiberPrecision precision, const std::vector<double>& exact) {
    FiberParameters p = precise_fibers();
    p.precision = precision;
    const std::vector<double> v =
        evaluate_fibers(backend, fiber_cloud(fibers, 6, 0.04, seed), p, FiberKernel::recursion).velocity;
    double most = 0, scale = 0;
    for (std::size_t k = 0; k < v.size(); ++k) {
      scale = std::max(scale, std::abs(exact[k]));
      most = std::max(most, std::isfinite(v[k]) ? std::abs(v[k] - exact[k]) : std::abs(exact[k]));
    }
    return most / scale;
  };
  Finding finding;
  finding.claim = "the published formulas are less exact in single precision than in double";
  finding.place = "section 5.6", finding.source = NAN;
  for (int seed = 1; seed <= clouds; ++seed) {
    progress("published formulas, cloud " + std::to_string(seed) + " of " + std::to_string(clouds));
    const std::vector<double> exact =
        evaluate_fibers(backend, fiber_cloud(fibers, 6, 0.04, seed), precise_fibers()).velocity;
    finding.less.push_back(largest_error(seed, FiberPrecision::fp64, exact));
    finding.more.push_back(largest_error(seed, FiberPrecision::fp32, exact));
  }
  return findings_table({finding}, "Largest error of one evaluation's velocities against stable, fp64, in " +
                                       std::to_string(clouds) + " balls of " + fibers_in_words(fibers) + ".");
}

// Five fibers for a long time, after the source's figure 5.5: steps of 0.04, a quarter of its time.
constexpr int drift_fibers = 5, drift_samples = 20, drift_steps = 250;
constexpr double drift_dt = 0.04;
using DriftPath = std::vector<std::vector<double>>;  // places at each sample

// `rounded`: from a start whose places and directions are rounded to single precision.
DriftPath drift_path(Backend& backend, const AccuracyWay& way, std::uint32_t seed, int samples, bool rounded) {
  Setup setup;
  setup.simulation = "fibers", setup.width = drift_fibers, setup.seed = seed;
  setup.parameters = {{"radius", 1.5},
                      {"min_distance", 0.3},
                      {"time_step", drift_dt},
                      {"tolerance", 1e-11},
                      {"precision", static_cast<double>(way.precision)}};
  const auto run = fibers_simulation().create(backend, setup);
  run->select_kernel(fiber_word(way.kernel));
  if (rounded) {
    State state = run->save();
    for (const char* derived : {"velocity", "spin", "force_coefficients"}) state.datasets.erase(derived);
    for (const char* name : {"position", "tangent"}) {
      std::vector<double> values = state.get<double>(name, {drift_fibers, 3});
      for (double& value : values) value = static_cast<float>(value);
      state.put<double>(name, {drift_fibers, 3}, "", values);
    }
    run->load(state);
  }
  DriftPath places;
  for (int k = 0; k < samples; ++k) {
    run->step(drift_steps * (drift_samples / samples));
    places.push_back(run->save().get<double>("position", {drift_fibers, 3}));
  }
  return places;
}

// The mean over the fibers of |x - x'| / |x'|.
double drift_between(const std::vector<double>& places, const std::vector<double>& exact) {
  double sum = 0;
  for (std::size_t m = 0; m < drift_fibers; ++m) {
    double difference = 0, size = 0;
    for (std::size_t c = 3 * m; c < 3 * m + 3; ++c)
      difference += std::pow(places[c] - exact[c], 2), size += std::pow(exact[c], 2);
    sum += std::sqrt(difference / size) / drift_fibers;
  }
  return sum;
}

constexpr AccuracyWay source_program{FiberKernel::recursion, FiberPrecision::fp64},
    source_kernel{FiberKernel::recursion, FiberPrecision::fp32};

void add_drift(Backend& backend, const StudyProgress& progress, StudyResult& result) {
  constexpr std::uint32_t seed = 3;
  StudyTable table;
  table.id = "drift", table.title = "Five fibers, dt = 0.04: mean of |x - x'| / |x'| against stable, fp64";
  table.columns = {{"time", "time", "", 5}};
  table.note =
      "After the source's figures 5.5 and 5.6 (" + source_table("fibers").cited() +
      "), to a quarter of its time and from a start of our own. Rounded start: places and directions rounded "
      "to single precision, and then double precision. The motion is chaotic: whatever differs at first grows.";
  StudyPlot plot;
  plot.title = "Five fibers: what the numbers cost", plot.x_label = "time",
  plot.y_label = "mean relative error of places";
  plot.logarithmic_y = true;
  const auto path = [&](const AccuracyWay& way, bool rounded) {
    progress("five fibers, " + way.words() + (rounded ? ", rounded start" : ""));
    return drift_path(backend, way, seed, drift_samples, rounded);
  };
  const DriftPath exact = path({FiberKernel::stable, FiberPrecision::fp64}, false);
  for (int k = 1; k <= drift_samples; ++k) table.rows.push_back({k * drift_steps * drift_dt});
  const auto add = [&](const AccuracyWay& way, bool rounded) {
    const DriftPath places = path(way, rounded);
    const std::string words = way.words() + (rounded ? ", rounded start" : "");
    table.columns.push_back(
        {std::string(fiber_word(way.kernel)) + "_" + fiber_word(way.precision) + (rounded ? "_rounded_start" : ""),
         words, "", 3});
    StudyLine line{words, {}, rounded};
    for (std::size_t k = 0; k < drift_samples; ++k) {
      const double drift = drift_between(places[k], exact[k]);
      table.rows[k].push_back(drift);
      line.points.push_back({static_cast<double>((k + 1) * drift_steps) * drift_dt, drift});
    }
    plot.lines.push_back(line);
  };
  for (const AccuracyWay& way : accuracy_ways) add(way, false);
  add(source_program, true);
  result.tables.push_back(table), result.plots.push_back(plot);
}

// Whether rounding the start alone leads as far astray as computing in single precision: starts of several seeds are
// the repeats.
StudyTable drift_of_rounded_starts(Backend& backend, const StudyProgress& progress) {
  constexpr int starts = 6;
  Finding finding;
  finding.claim = "the kernel in single precision drifts no farther than a start rounded to it";
  finding.place = "figure 5.6", finding.source = NAN;
  for (std::uint32_t seed = 1; seed <= starts; ++seed) {
    progress("rounded starts, " + std::to_string(seed) + " of " + std::to_string(starts));
    const std::vector<double> exact = drift_path(backend, source_program, seed, 1, false).back();
    finding.less.push_back(drift_between(drift_path(backend, source_kernel, seed, 1, false).back(), exact));
    finding.more.push_back(drift_between(drift_path(backend, source_program, seed, 1, true).back(), exact));
  }
  return findings_table({finding}, "Drift of five fibers at t = 200 against the recursion in double precision, from " +
                                       std::to_string(starts) +
                                       " starts. The source finds both alike, which a verdict that cannot be told "
                                       "from the noise would be here too.");
}

}  // namespace

StudyResult fiber_accuracy_study(Backend& backend, const Setup&, const StudyProgress& progress) {
  StudyResult result;
  result.tables = {accuracy_of_one(backend, progress), accuracy_of_published(backend, progress)};
  add_drift(backend, progress, result);
  result.tables.push_back(drift_of_rounded_starts(backend, progress));
  return result;
}

}  // namespace perturb

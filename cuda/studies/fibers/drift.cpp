// Cost of single precision in long runs, and its cause: after the paper's figures 5.5 and 5.6, and its section 5.6. For
// one evaluation, the cost of single precision and of the kernels in digits.
#include <algorithm>
#include <cmath>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/format.h"
#include "cuda/fibers/fibers.h"
#include "cuda/fibers/kernels/evaluate.h"
#include "cuda/studies/fibers/studies.h"
#include "cuda/studies/paper.h"

namespace perturb::fibers {

namespace {

using DriftPath = std::vector<std::vector<double>>;  // positions at each sample

constexpr Method published_double{Kernel::recursion, Precision::fp64},
    published_single{Kernel::recursion, Precision::fp32};
constexpr int drift_samples = 20;

// The paper's numbers of its run.
struct DriftRun {
  std::size_t fibers;
  double time_step;
  int steps;  // from one sample to the next
  int samples;
};
DriftRun drift_run(double end, int samples) {
  const PaperTable& paper = paper_table("fibers");
  const double dt = paper.at("figure 5.5", "run", "time step");
  return {static_cast<std::size_t>(paper.at("figure 5.5", "run", "fibers")), dt,
          static_cast<int>(std::lround(end / dt / samples)), samples};
}

// `rounded`: from a start whose places and directions are rounded to single precision.
DriftPath drift_path(Backend& backend, const DriftRun& of, const Method& way, std::uint32_t seed, bool rounded) {
  Setup setup;
  setup.simulation = "fibers";
  setup.width = static_cast<int>(of.fibers);
  setup.seed = seed;
  setup.parameters = {{"radius", 1.5},
                      {"min_distance", 0.3},
                      {"time_step", of.time_step},
                      {"tolerance", 1e-11},
                      {"precision", static_cast<double>(way.precision)}};
  const auto run = fibers_simulation().create(backend, setup);
  run->select_kernel(id_of(way.kernel));
  if (rounded) {
    State state = run->save();
    for (const char* derived : {"velocity", "spin", "force_coefficients"}) state.datasets.erase(derived);
    for (const char* name : {"position", "tangent"}) {
      std::vector<double> values = state.get<double>(name, {of.fibers, 3});
      for (double& value : values) value = static_cast<float>(value);
      state.put<double>(name, {of.fibers, 3}, "", values);
    }
    run->load(state);
  }
  DriftPath poses;
  for (int k = 0; k < of.samples; ++k) {
    run->step(of.steps);
    if (run->steps() < (k + 1) * of.steps) run->step(1);  // throws the error that stopped it
    poses.push_back(run->save().get<double>("position", {of.fibers, 3}));
  }
  return poses;
}

// The mean over the fibers of |x - x'| / |x'|.
double drift_between(const std::vector<double>& poses, const std::vector<double>& exact) {
  double sum = 0;
  for (std::size_t m = 0; m < exact.size(); m += 3) {
    double difference = 0, size = 0;
    for (std::size_t c = m; c < m + 3; ++c) {
      difference += std::pow(poses[c] - exact[c], 2);
      size += std::pow(exact[c], 2);
    }
    sum += std::sqrt(difference / size);
  }
  return 3 * sum / static_cast<double>(exact.size());
}

struct DriftLine {
  const char *id, *words;
  Method way;
  bool rounded, on_device;
};
constexpr DriftLine drift_lines[] = {
    {"recursion_fp32", "the published formulas in single precision (figure 5.5)", published_single, false, true},
    {"recursion_fp64_rounded_start", "in double precision from a rounded start (figure 5.6), one CPU thread",
     published_double, true, false},
    {"stable_fp32", "stable, single, one CPU thread", {Kernel::stable, Precision::fp32}, false, false},
    {"nodes_fp32", "nodes, single, one CPU thread", {Kernel::nodes, Precision::fp32}, false, false},
    {"stable_fp64", "stable, double, one CPU thread", {Kernel::stable, Precision::fp64}, false, false}};

// For notes: which columns are of the device that the study runs on.
constexpr const char* drift_devices =
    " Only the published formulas in single precision run on the device of the study. The others, and the reference, "
    "run on one thread of the CPU, also with CUDA.";

}  // namespace

void add_fiber_drift(Backend& backend, double end, const StudyProgress& progress, StudyResult& result) {
  constexpr std::uint32_t seed = 3;
  const StudyCpu cpu(progress, 1);
  const DriftRun of = drift_run(end, drift_samples);
  StudyTable table(
      "drift",
      std::to_string(of.fibers) + " fibers: mean of |x - x'| / |x'| against the published formulas in double precision",
      {column("time", "time", 5)});
  table.note = "After the paper's figures 5.5 and 5.6 (" + paper_table("fibers").cited() +
               "), from a start of our own. Rounded start: places and directions rounded once to single precision, and "
               "then double precision. The motion is chaotic: whatever differs at first grows." +
               drift_devices;
  StudyPlot plot = plot_of("Five fibers: the effect of precision", {"time"},
                           {"mean relative error of positions", "", Scale::logarithmic});
  progress("five fibers, " + published_double.text());
  const DriftPath exact = drift_path(*cpu, of, published_double, seed, false);
  for (int k = 1; k <= of.samples; ++k) table.add({k * of.steps * of.time_step});
  for (const DriftLine& drawn : drift_lines) {
    progress(std::string("five fibers, ") + drawn.words);
    const DriftPath poses = drift_path(drawn.on_device ? backend : *cpu, of, drawn.way, seed, drawn.rounded);
    table.columns.push_back(column(drawn.id, drawn.words));
    StudyLine line{std::string(drawn.rounded ? "reference: " : "") + drawn.words,
                   {},
                   drawn.rounded ? LineKind::reference : LineKind::measured};
    for (std::size_t k = 0; k < poses.size(); ++k) {
      const double drift = drift_between(poses[k], exact[k]);
      line.add(std::get<double>(table.rows[k][0]), drift);
      table.rows[k].push_back(drift);
    }
    plot.lines.push_back(line);
  }
  result.tables.push_back(table);
  result.plots.push_back(plot);
}

void add_fiber_drift_causes(Backend& backend, double end, const StudyProgress& progress, StudyResult& result) {
  constexpr int starts = 12;
  const StudyCpu cpu(progress, 1);
  const DriftRun of = drift_run(end, 2);  // half of the way, and all of it
  std::vector<double> drifts[std::size(drift_lines)], at_half;
  int lost = 0;
  for (std::uint32_t seed = 1; seed <= starts; ++seed) {
    progress("start " + std::to_string(seed) + " of " + std::to_string(starts));
    // In single precision the published formulas can lose a run: u + r is zero, to its digits, for a fiber on another's
    // axis, and its logarithm is not a number. Such a start has no pair to compare.
    std::vector<DriftPath> paths;
    const DriftPath exact = drift_path(*cpu, of, published_double, seed, false);
    try {
      for (const DriftLine& way : drift_lines)
        paths.push_back(drift_path(way.on_device ? backend : *cpu, of, way.way, seed, way.rounded));
    } catch (const NonFiniteError&) {
      ++lost;
      continue;
    }
    for (std::size_t k = 0; k < std::size(drift_lines); ++k)
      drifts[k].push_back(drift_between(paths[k].back(), exact.back()));
    at_half.push_back(drift_between(paths[0].front(), exact.front()));
  }
  if (at_half.empty()) throw NonFiniteError("Cannot compare: the forces could not be solved in any of the starts.");
  const std::string until = format_number(2 * of.steps * of.time_step);
  const double paper_end = paper_table("fibers").at("figure 5.5", "run", "end");
  StudyTable table(
      "causes",
      "Drift at t = " + until + " from " + std::to_string(at_half.size()) + " starts: which rounding causes the drift",
      {column("way"), column("least"), column("median"), column("most")});
  for (std::size_t k = 0; k < std::size(drift_lines); ++k)
    table.add({drift_lines[k].words, shortest_of(drifts[k]), median_of(drifts[k]), longest_of(drifts[k])});
  table.note =
      "Compared with the published formulas in double precision. At t = " + until +
      ", while figures 5.5 and 5.6 end at t = " + format_number(paper_end) +
      ". Section 5.6 of the paper says that the simulator is sensitive to rounding, and that the recursive formula has "
      "this sensitivity. Then kernels without its start values would drift less in single precision." +
      drift_devices;
  if (lost > 0)
    table.note += " Left out of the starts: " + std::to_string(lost) + ", in which single precision found no forces.";
  result.tables.push_back(table);
  std::vector<Finding> findings = {growing_drift(format_number(of.steps * of.time_step), until, at_half, drifts[0])};
  const std::vector<Finding> causes = drift_findings(until, drifts[0], drifts[1], drifts[2], drifts[3]);
  findings.insert(findings.end(), causes.begin(), causes.end());
  result.tables.push_back(
      findings_table(findings,
                     "Each start is run with every method, and the ratio is taken for each pair. The paper shows in a "
                     "figure that the kernel in single precision and the perturbed input behave alike. Here they count "
                     "as alike within a factor of ten, which is our choice: paths diverge by a factor at every "
                     "encounter. Measured is the median of the larger drift over the smaller."));
}

Finding growing_drift(const std::string& half, const std::string& whole, const std::vector<double>& at_half,
                      const std::vector<double>& at_whole) {
  return paired_finding("the error of single precision grows in the long run, t = " + half + " to " + whole,
                        "figure 5.5", NAN, at_half, at_whole);
}

std::vector<Finding> drift_findings(const std::string& end, const std::vector<double>& single,
                                    const std::vector<double>& rounded_start, const std::vector<double>& stable,
                                    const std::vector<double>& nodes) {
  constexpr double alike = 10;
  std::vector<double> factors;  // the larger drift over the smaller
  for (std::size_t k = 0; k < single.size(); ++k) {
    const double factor = single[k] / rounded_start[k];
    factors.push_back(std::max(factor, 1 / factor));
  }
  const std::vector<double> bound(factors.size(), alike);
  const std::string at = ", t = " + end, sensitive = "the recursive formula is sensitive to rounding: the kernel `",
                    less = "` drifts less in single precision" + at;
  return {with_measured(paired_finding("with perturbed input double precision drifts like the kernel in single "
                                       "precision, within a factor of ten either way" +
                                           at,
                                       "figure 5.6", NAN, factors, bound),
                        median_of(factors), "times"),
          paired_finding(sensitive + "stable" + less, "section 5.6", NAN, stable, single),
          paired_finding(sensitive + "nodes" + less, "section 5.6", NAN, nodes, single)};
}

// ---- digits of one evaluation

namespace {

constexpr Method accuracy_ways[] = {{Kernel::stable, Precision::fp32},
                                    {Kernel::recursion, Precision::fp64},
                                    {Kernel::recursion, Precision::fp32},
                                    {Kernel::nodes, Precision::fp64},
                                    {Kernel::nodes, Precision::fp32}};

StudyTable accuracy_of_one(Backend& backend, const std::vector<int>& sizes, const StudyProgress& progress) {
  StudyTable table(
      "evaluation",
      "Velocities of one evaluation against stable, fp64: balls of radius " + format_number(fiber_paper_run().radius),
      {column("fibers", "fibers", 6), column("kernel"), column("precision", "numbers"), column("tolerance"),
       column("largest_error", "largest error"), column("root_mean_square_error", "root mean square"),
       column("not_finite", "not finite")},
      "Errors over the largest velocity. Numbers that are not finite are counted and left out.");
  for (const int fibers : sizes) {
    const Placement placement = fiber_cloud(fibers, paper_ball_radius(fibers), 0.04, 1);
    Parameters p = precise_fibers();
    progress(format_fiber_count(fibers) + ", stable, fp64");
    const std::vector<double> exact = evaluate_fibers(backend, placement, p).velocity;
    const auto add = [&](const Method& way, double tolerance) {
      p.precision = way.precision;
      p.tolerance = tolerance;
      const std::vector<double> v = evaluate_fibers(backend, placement, p, way.kernel).velocity;
      double most = 0, sum = 0, scale = 0, bad = 0;
      for (std::size_t k = 0; k < v.size(); ++k) {
        scale = std::max(scale, std::abs(exact[k]));
        if (!std::isfinite(v[k])) {
          ++bad;
          continue;
        }
        const double difference = std::abs(v[k] - exact[k]);
        most = std::max(most, difference);
        sum += difference * difference;
      }
      table.add({fibers, id_of(way.kernel), id_of(way.precision), tolerance, most / scale,
                 std::sqrt(sum / static_cast<double>(v.size())) / scale, bad});
    };
    add({Kernel::stable, Precision::fp64}, 1e-6);
    for (const Method& way : accuracy_ways) {
      progress(format_fiber_count(fibers) + ", " + way.text());
      add(way, 1e-11);
    }
  }
  return table;
}

}  // namespace

StudyResult accuracy_study(Backend& backend, const std::vector<int>& sizes, double end, const StudyProgress& progress) {
  StudyResult result;
  result.tables = {accuracy_of_one(backend, sizes, progress)};
  report_partial(progress, result);
  add_fiber_drift(backend, end, progress, result);
  report_partial(progress, result);
  add_fiber_drift_causes(backend, end / 4, progress, result);
  return result;
}

}  // namespace perturb::fibers

// The paper's complete run: its table B.1.
#include <algorithm>
#include <chrono>
#include <cmath>

#include "cuda/core/backend/check.h"
#include "cuda/core/bench/paper_studies.h"
#include "cuda/core/bench/paper_table.h"
#include "cuda/core/bench/verdict.h"
#include "cuda/core/simulation/format.h"
#include "cuda/fibers/fibers.h"
#include "cuda/fibers/study/studies.h"

namespace perturb::fibers {

namespace {

using Clock = std::chrono::steady_clock;

// Seconds of a whole run, and how it ended.
double seconds_of_run(Backend& backend, int fibers, Diagnostics* end) {
  const auto run = cloud_of_paper(backend, fibers, FiberPrecision::fp64, fiber_paper_run().time_step);
  backend.synchronize();
  const auto start = Clock::now();
  run->step(fiber_paper_run().steps());
  backend.synchronize();
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  const Diagnostics d = run->diagnostics({}, true);
  if (!d.finite) throw Error("The run of " + std::to_string(fibers) + " fibers did not reach its end: " + d.error);
  if (end != nullptr) *end = d;
  return seconds;
}

double iterations_of(const Diagnostics& d) {
  for (const Scalar& s : d.scalars)
    if (s.id == "iterations") return s.value;
  return NAN;
}

// Alternately, so that a machine that slows down does so for both; with as many fibers as a processor can run in that
// time.
StudyTable with_gpu_or_without(Backend& backend, int most, const StudyProgress& progress, const PaperTable& paper) {
  constexpr int repeats = 5;
  constexpr double longest_run = 8;  // seconds on the processor
  const auto cpu = Backend::make_cpu();
  std::vector<Finding> findings;
  std::string left_out;
  double run = 0, before = 0;
  for (const CurvePoint& p : paper.curve("table B.1", "CPU-only")) {
    const int fibers = static_cast<int>(p.x);
    if (fibers > most) break;
    // Time grows as the square of the number of fibers, or somewhat faster.
    if (before > 0 && run * std::pow(p.x / before, 2) > longest_run) {
      left_out += (left_out.empty() ? " Left out, for their time on the CPU: " : ", ") + std::to_string(fibers);
      continue;
    }
    Finding finding;
    finding.claim = "a run with the GPU is shorter than on the CPU alone, " + std::to_string(fibers) + " fibers";
    finding.place = "table B.1";
    const std::string row = std::to_string(fibers);
    finding.paper = paper.at("table B.1", row, "CPU-only") / paper.at("table B.1", row, "GPU-extension");
    for (int k = 0; k < repeats; ++k) {
      progress("CPU beside GPU, " + format_fiber_count(fibers) + ", " + std::to_string(k + 1) + " of " +
               std::to_string(repeats));
      finding.more.push_back(seconds_of_run(*cpu, fibers, nullptr));
      finding.less.push_back(seconds_of_run(backend, fibers, nullptr));
    }
    run = median_of(finding.more), before = p.x;
    findings.push_back(std::move(finding));
  }
  return findings_table(findings, "CPU: " + cpu->device_name() + ", " + std::to_string(cpu->threads()) +
                                      " threads, by its own fastest kernel, as the GPU." +
                                      (left_out.empty() ? "" : left_out + " fibers."));
}

}  // namespace

int PaperRun::steps() const { return static_cast<int>(std::lround(end / time_step)); }

std::string PaperRun::text() const {
  return "t = 0 .. " + format_number(end) + " in " + std::to_string(steps()) + " steps of " + format_number(time_step) +
         " (" + std::to_string(steps() + 1) + " evaluations)";
}

PaperRun fiber_paper_run() {
  const PaperTable& paper = paper_table("fibers");
  const auto paper_value = [&](const char* what) { return paper.at("chapter 6", "run", what); };
  return {paper_value("time step"), paper_value("end"), paper_value("radius")};
}

PaperRun fiber_paper_profile() {
  const PaperTable& paper = paper_table("fibers");
  const auto paper_value = [&](const char* what) { return paper.at("section 2.3.1", "profile", what); };
  return {paper_value("time step"), paper_value("end"), fiber_paper_run().radius};
}

double paper_ball_radius(int fibers) {
  static const double largest = paper_table("fibers").curve("table B.1", "CPU-only").back().x;
  static const double radius = fiber_paper_run().radius;
  return fibers > largest ? radius * std::cbrt(fibers / largest) : radius;
}

std::unique_ptr<Simulation> cloud_of_paper(Backend& backend, int fibers, FiberPrecision precision, double dt,
                                           std::uint32_t seed) {
  Setup setup;
  setup.simulation = "fibers", setup.width = fibers, setup.seed = seed;
  setup.parameters = {{"time_step", dt},
                      {"precision", static_cast<double>(precision)},
                      {"min_distance", 0.04},
                      {"radius", paper_ball_radius(fibers)}};
  return fibers_simulation().create(backend, setup);
}

int fiber_runs_most(bool cuda, const Setup& scene) {
  static const int largest = static_cast<int>(paper_table("fibers").curve("table B.1", "CPU-only").back().x);
  constexpr int cpu_fibers = 300;
  return cuda || scene.width >= largest ? largest : cpu_fibers;
}

StudyResult runs_study(Backend& backend, int most, const StudyProgress& progress) {
  const PaperTable& paper = paper_table("fibers");
  StudyTable table;
  const PaperRun paper_run = fiber_paper_run();
  table.id = "runs";
  table.title = "Balls of radius " + format_number(paper_run.radius) + ", " + paper_run.text() + ", FP64";
  table.columns = {{"fibers", "fibers", "", 6},
                   {"seconds", "whole run", "s"},
                   {"seconds_per_step", "a step", "s"},
                   {"iterations", "iterations at the end", ""},
                   {"source_cpu_seconds", "source, CPU only", "s", 8},
                   {"source_gpu_seconds", "source, GPU extension", "s", 8},
                   {"times_faster", "source, GPU, over here", "", 4}};
  table.note = "The source: " + paper.cited() +
               ", table B.1, on a Core i7-920 with a GeForce GTX 260. Its starts are drawn by other random numbers.";
  std::string left_out;
  for (const CurvePoint& p : paper.curve("table B.1", "CPU-only"))
    if (p.x > most)
      left_out += (left_out.empty() ? " Left out, for their time: " : ", ") + std::to_string(static_cast<int>(p.x));
  if (!left_out.empty())
    table.note += left_out + " fibers; --size " + format_number(paper.curve("table B.1", "CPU-only").back().x) +
                  "x1 has them all.";
  StudyPlot plot;
  plot.title = "The source's run", plot.x_label = "fibers", plot.y_label = "run time", plot.y_unit = "s";
  plot.logarithmic_x = plot.logarithmic_y = true;
  StudyLine here{"here", {}};
  const std::vector<StudyLine> paper_values = {
      {"the source, CPU only", paper.curve("table B.1", "CPU-only"), true},
      {"the source, GPU extension", paper.curve("table B.1", "GPU-extension"), true}};
  StudyResult result;
  cloud_of_paper(backend, 64, FiberPrecision::fp64, paper_run.time_step)->step(1);  // loads the kernels
  for (int fibers = 100; fibers <= most; fibers += 100) {
    progress(std::to_string(fibers) + " fibers");
    Diagnostics end;
    const double seconds = seconds_of_run(backend, fibers, &end);
    const std::string row = std::to_string(fibers);
    const double paper_gpu = paper.at("table B.1", row, "GPU-extension");
    table.rows.push_back({static_cast<double>(fibers), seconds, seconds / paper_run.steps(), iterations_of(end),
                          paper.at("table B.1", row, "CPU-only"), paper_gpu, paper_gpu / seconds});
    here.points.push_back({static_cast<double>(fibers), seconds});
    plot.lines = {here, paper_values[0], paper_values[1]};
    result.tables = {table}, result.plots = {plot};
    report_partial(progress, result);
  }
  if (backend.is_cuda()) result.tables.push_back(with_gpu_or_without(backend, most, progress, paper));
  return result;
}

}  // namespace perturb::fibers

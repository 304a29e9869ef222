// The source's figures that look inside a step of its own way, all pairs: what each kernel takes (11 to 13 and 15),
// order and filter on the host (14), pairs beside walls among the candidates (16), and the GPU against the CPU (10).
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "cuda/core/field.h"
#include "cuda/core/parallel_for.h"
#include "cuda/core/source_studies.h"
#include "cuda/core/source_table.h"
#include "cuda/core/verdict.h"
#include "cuda/particles/particles.h"
#include "cuda/particles/particles_all_pairs.h"
#include "cuda/particles/particles_studies.h"
#include "cuda/particles/particles_studies_discs.h"

namespace perturb {

namespace {

constexpr int figure_groups = 5;  // of steps: the least of which a verdict can be made
const DiscVariant figures_variant{"", "all-pairs", false, true};

struct Part {
  const char *id, *label, *loop;
};
// The source's four kernels and its host.
constexpr std::array<Part, 5> figure_parts = {{{"walls", "walls", "particles.check_walls"},
                                               {"pairs", "pairs", "particles.check_pairs"},
                                               {"settle", "settle", "particles.settle_collisions"},
                                               {"update", "update", "particles.update"},
                                               {"filter", "order and filter on the host", "particles.host_filter"}}};
enum PartIndex { walls_part, pairs_part, settle_part, update_part, filter_part };

// Seconds a step of each part, one number for each group of steps.
using PartTimes = std::array<std::vector<double>, figure_parts.size()>;

PartTimes times_of_parts(Simulation& run, int steps) {
  Backend& backend = run.backend();
  KernelStats& stats = backend.stats();
  const bool timing = stats.timing();
  PartTimes times;
  for (int group = 0; group < figure_groups; ++group) {
    backend.synchronize();
    stats.set_timing(true), stats.clear();
    run.step(steps);
    backend.synchronize();
    const std::vector<KernelTime> table = stats.table();
    for (std::size_t k = 0; k < figure_parts.size(); ++k) {
      double seconds = 0;
      for (const KernelTime& time : table)
        if (time.label == figure_parts[k].loop) seconds += time.seconds;
      times[k].push_back(seconds / steps);
    }
  }
  stats.set_timing(timing), stats.clear();
  return times;
}

double seconds_of_one_step(Simulation& run) {
  using Clock = std::chrono::steady_clock;
  run.backend().synchronize();
  const auto start = Clock::now();
  run.step(1);
  run.backend().synchronize();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

StudyPlot empty_plot(const char* title, const char* y_label, const char* y_unit) {
  StudyPlot plot;
  plot.title = title;
  plot.x_label = "N", plot.y_label = y_label, plot.y_unit = y_unit;
  plot.logarithmic_x = plot.logarithmic_y = true;
  return plot;
}

}  // namespace

StateDiscs::StateDiscs(Backend& backend, const Setup& setup, const State& state)
    : there_(backend, state.datasets.at("position").shape[0], "discs") {
  const std::vector<std::size_t> shape = state.datasets.at("position").shape;
  const std::vector<double> position = state.get<double>("position", shape),
                            velocity = state.get<double>("velocity", shape);
  std::vector<Disc<double>> discs(shape[0]);
  for (std::size_t k = 0; k < discs.size(); ++k)
    discs[k] = {position[2 * k], position[2 * k + 1], velocity[2 * k], velocity[2 * k + 1]};
  there_.upload(std::span<const Disc<double>>(discs));
  const auto parameter = [&](const char* id) {
    const auto given = setup.parameters.find(id);
    if (given != setup.parameters.end()) return given->second;
    for (const Parameter& p : particles_simulation().parameters)
      if (p.id == id) return p.initial;
    return 0.0;
  };
  world_.discs = there_.data(), world_.count = static_cast<int>(discs.size());
  world_.radius = parameter("radius");
  world_.box = {parameter("box"), parameter("box"), 0};
}

DiscCandidates particles_candidates(Backend& backend, const Setup& setup, const State& state) {
  const StateDiscs discs(backend, setup, state);
  const DiscWorld<double>& world = discs.world();
  Array<std::int64_t> counter(backend, 1, "number of candidates");
  // No room for any: they are counted, not kept.
  const CheckPairs<double, true> check{world, nullptr, 0, counter.data()};
  const auto counted = [&](const auto& launch) {
    counter.fill_zero();
    launch();
    return static_cast<double>(counter.download()[0]);
  };
  DiscCandidates candidates;
  candidates.walls = counted(
      [&] { parallel_for(backend, "particles.count_walls", Range1D{world.count}, CheckWalls<double, true>{check}); });
  const int columns = world.count | 1;
  candidates.pairs = counted([&] {
    parallel_for(backend, "particles.count_pairs", Range2D{columns, columns / 2}, check);
  });
  return candidates;
}

StudyResult particles_figures_study(Backend& backend, int most, const StudyProgress& progress) {
  const SourceTable& source = source_table("particles");
  constexpr double longest_pairs_step = 2, longest_group = 0.25;  // seconds
  StudyTable table, candidates, against;
  table.id = "parts", table.title = "Time a step of each part of the source's way, FP64, contraction";
  table.columns.push_back({"discs", "N", "", 6});
  for (const Part& part : figure_parts) table.columns.push_back({std::string(part.id) + "_seconds", part.label, "s"});
  for (const Part& part : figure_parts) table.columns.push_back({std::string(part.id) + "_share", part.label, "%", 3});
  candidates.id = "candidates", candidates.title = "Candidates of a step: pairs beside walls";
  candidates.columns = {{"discs", "N", "", 6},
                        {"pairs", "pairs", "", 8},
                        {"walls", "walls", "", 8},
                        {"ratio", "pairs over walls", "", 4}};
  against.id = "speed_up", against.title = "The GPU against this machine's processor, all pairs";
  against.columns = {{"discs", "N", "", 6},
                     {"gpu_seconds", "GPU", "s"},
                     {"cpu_seconds", "CPU", "s"},
                     {"speed_up", "CPU over GPU", "", 4}};
  StudyPlot times = empty_plot("Figures 11 to 14: time of each part", "Time a step", "s"),
            shares = empty_plot("Figure 15: share of each part", "Share", "%"),
            ratios = empty_plot("Figure 16: candidates", "Pairs over walls", ""),
            faster = empty_plot("Figure 10: against the processor", "CPU over GPU", "");
  shares.logarithmic_y = false;
  for (const Part& part : figure_parts) {
    times.lines.push_back({part.label, {}, false});
    shares.lines.push_back({part.label, {}, false});
  }
  ratios.lines.push_back({"here", {}, false}), faster.lines.push_back({"here", {}, false});
  const char* const sorting = "qsort and filter on the host per step";
  StudyLine theirs{"the source, order and filter", source.curve("figure 14", sorting), true};
  for (CurvePoint& p : theirs.points) p.y /= 1000;  // it gives milliseconds
  times.lines.push_back(std::move(theirs));

  std::unique_ptr<Backend> cpu;
  if (backend.is_cuda()) cpu = Backend::make_cpu();
  PartTimes first, last;
  int first_count = 0, last_count = 0;
  std::vector<double> first_ratios, last_ratios;
  const auto result = [&] {
    StudyResult all;
    all.tables = {table, candidates};
    all.plots = {times, shares, ratios};
    if (backend.is_cuda()) all.tables.push_back(against), all.plots.push_back(faster);
    return all;
  };
  std::string left_out;
  double step = 0, cpu_step = 0, before = 1;
  for (const CurvePoint& point : source.curve("section 5.2", "N")) {
    const int count = static_cast<int>(point.x);
    const double pairs = point.x / before * point.x / before;
    if (count > most) break;
    if (!left_out.empty() || pairs * step > longest_pairs_step) {
      left_out += (left_out.empty() ? " Left out, for their time: N = " : ", ") + std::to_string(count);
      continue;
    }
    before = point.x;
    progress("N = " + std::to_string(count));
    const Setup setup = report_setup(count, figures_variant);
    const auto run = make_discs(backend, setup, figures_variant.kernel);
    run->step(1);  // takes memory
    step = seconds_of_one_step(*run);
    const int steps = std::clamp(static_cast<int>(longest_group / step), 1, 200);
    const PartTimes measured = times_of_parts(*run, steps);
    std::vector<double> seconds;
    double all = 0;
    for (const std::vector<double>& repeats : measured) seconds.push_back(median_of(repeats)), all += seconds.back();
    std::vector<StudyValue> row = {point.x};
    for (const double s : seconds) row.emplace_back(s);
    for (const double s : seconds) row.emplace_back(100 * s / all);
    table.rows.push_back(std::move(row));
    for (std::size_t k = 0; k < figure_parts.size(); ++k) {
      times.lines[k].points.push_back({point.x, seconds[k]});
      shares.lines[k].points.push_back({point.x, 100 * seconds[k] / all});
    }
    // Counts of several steps, so that chance can be told from growth.
    std::vector<double> here;
    double of_pairs = 0, of_walls = 0;
    for (int k = 0; k < figure_groups; ++k) {
      run->step(1);
      const DiscCandidates found = particles_candidates(backend, setup, run->save());
      of_pairs += found.pairs / figure_groups, of_walls += found.walls / figure_groups;
      here.push_back(found.pairs / found.walls);
    }
    candidates.rows.push_back({point.x, of_pairs, of_walls, of_pairs / of_walls});
    ratios.lines[0].points.push_back({point.x, of_pairs / of_walls});
    if (first_count == 0) first = measured, first_count = count, first_ratios = here;
    last = measured, last_count = count, last_ratios = here;
    if (cpu && pairs * cpu_step < longest_pairs_step) {
      const auto there = make_discs(*cpu, setup, figures_variant.kernel);
      cpu_step = seconds_per_step(*there);
      const double gpu_step = seconds_per_step(*run);
      against.rows.push_back({point.x, gpu_step, cpu_step, cpu_step / gpu_step});
      faster.lines[0].points.push_back({point.x, cpu_step / gpu_step});
    }
    tell_so_far(progress, result());
  }
  const std::string note =
      "Medians of " + std::to_string(figure_groups) + " groups of steps; each part is timed by itself.";
  table.note = note +
               " The source's times are of whole "
               "runs on a Titan RTX and a Tesla T4.";
  candidates.note =
      "Means of " + std::to_string(figure_groups) + " steps, counted anew from the discs' places and speeds.";
  table.note += left_out.empty() ? "" : left_out + ".";
  StudyResult whole = result();
  if (backend.is_cuda()) {
    progress("blocks of the loops over discs");
    StudyPlot blocks;
    whole.tables.push_back(particles_disc_blocks(backend, last_count, blocks));
    whole.plots.push_back(std::move(blocks));
  }
  const std::string small = ", N = " + std::to_string(first_count), large = ", N = " + std::to_string(last_count);
  whole.tables.push_back(findings_table(
      {{"settling takes longer than the check of pairs" + small, "figure 15", NAN, first[pairs_part],
        first[settle_part]},
       {"the check of pairs takes longer than settling" + large, "figure 15", NAN, last[settle_part], last[pairs_part]},
       {"order and filter take longer" + large + " than" + small.substr(1), "figure 14", NAN, first[filter_part],
        last[filter_part]},
       {"there are more pairs for each wall" + large + " than" + small.substr(1), "figure 16", NAN, first_ratios,
        last_ratios}},
      "The source: " + source.cited() + ". It gives no numbers of these but in words." +
          (backend.is_cuda() ? "" : " Its speed-up over the CPU (figure 10) needs a GPU: not measured here.")));
  return whole;
}

}  // namespace perturb

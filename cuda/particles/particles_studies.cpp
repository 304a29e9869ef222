#include "cuda/particles/particles_studies.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cuda/core/check.h"
#include "cuda/core/colormap.h"
#include "cuda/core/field.h"
#include "cuda/core/random.h"
#include "cuda/particles/particles.h"

namespace perturb {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

struct Variant {
  const char* label;
  const char* kernel;
  bool single, contraction;
};

// The source's own gas (its values are the parameters' defaults) in a variant.
Setup report_setup(int count, const Variant& variant) {
  Setup setup;
  setup.simulation = "particles";
  setup.seed = 3210;
  setup.parameters = {{"count", static_cast<double>(count)},
                      {"precision", variant.single ? 1.0 : 0.0},
                      {"contraction", variant.contraction ? 1.0 : 0.0}};
  return setup;
}

std::unique_ptr<Simulation> make(Backend& backend, const Setup& setup, const char* kernel) {
  auto run = particles_simulation().create(backend, setup);
  run->select_kernel(kernel);
  return run;
}

// Seconds a time: the best of three groups of at least 0.05 s each of `run(times)`, after the first ones, which take
// memory. A first one of more than a second is told as it is.
template <class F>
double best_seconds(Backend& backend, const F& run) {
  const auto group = [&](std::int64_t times) {
    backend.synchronize();
    const auto start = Clock::now();
    run(times);
    backend.synchronize();
    return seconds_since(start) / static_cast<double>(times);
  };
  const double first = group(1);
  if (first > 1) return first;
  group(2);
  const double rough = group(4);
  const auto times = static_cast<std::int64_t>(std::clamp(0.05 / std::max(rough, 1e-7), 1.0, 5000.0));
  double best = group(times);
  for (int k = 0; k < 2; ++k) best = std::min(best, group(times));
  return best;
}

// ---- the source's sweeps

// A measurement that would take longer than this is left out.
constexpr double longest_step = 2;

StudyTable sweep_numbers(Backend& backend, const StudyProgress& progress, StudyPlot& plot) {
  const std::vector<Variant> variants = {{"grid, FP64", "grid", false, false},
                                         {"grid, FP64, contraction", "grid", false, true},
                                         {"grid, FP32", "grid", true, false},
                                         {"all pairs, FP64", "all-pairs", false, false},
                                         {"all pairs, FP64, contraction", "all-pairs", false, true},
                                         {"all pairs, FP32", "all-pairs", true, false}};
  StudyTable table;
  table.id = "numbers", table.title = "Time a step against N, the source's gas";
  table.columns.push_back({"discs", "N", "", 6});
  const char* const ids[] = {"grid_fp64",      "grid_fp64_contraction",      "grid_fp32",
                             "all_pairs_fp64", "all_pairs_fp64_contraction", "all_pairs_fp32"};
  for (std::size_t v = 0; v < variants.size(); ++v) {
    table.columns.push_back({ids[v], variants[v].label, "s"});
    plot.lines.push_back({variants[v].label, {}, variants[v].contraction});
  }
  std::vector<double> last(variants.size(), 0);
  for (int count = 1000; count <= 32000; count *= 2) {
    progress("N = " + std::to_string(count));
    std::vector<StudyValue> row = {static_cast<double>(count)};
    for (std::size_t v = 0; v < variants.size(); ++v) {
      if (4 * last[v] > longest_step) {
        row.emplace_back("left out");
        continue;
      }
      const auto run = make(backend, report_setup(count, variants[v]), variants[v].kernel);
      last[v] = seconds_per_step(*run);
      row.emplace_back(last[v]);
      plot.lines[v].points.push_back({static_cast<double>(count), last[v]});
    }
    table.rows.push_back(std::move(row));
  }
  table.note =
      "Boxes of side 20000, radius 1, velocities to 5000. All pairs: blocks of 32, order and filter on the host, as in "
      "the source.";
  return table;
}

StudyTable sweep_blocks(Backend& backend, const StudyProgress& progress, StudyPlot& plot) {
  constexpr int count = 32000;
  StudyTable table;
  table.id = "blocks", table.title = "Time a step of all pairs against the block size, N = 32000";
  table.columns = {{"block", "threads", "", 6}};
  const std::vector<Variant> variants = {{"FP64", "", false, false},
                                         {"FP64, contraction", "", false, true},
                                         {"FP32", "", true, false},
                                         {"FP32, contraction", "", true, true}};
  const char* const ids[] = {"fp64", "fp64_contraction", "fp32", "fp32_contraction"};
  for (std::size_t v = 0; v < variants.size(); ++v) {
    table.columns.push_back({ids[v], variants[v].label, "s"});
    plot.lines.push_back({variants[v].label, {}, variants[v].contraction});
  }
  const std::pair<int, const char*> blocks[] = {
      {32, "all-pairs"}, {64, "all-pairs-64"}, {128, "all-pairs-128"}, {256, "all-pairs-256"}};
  for (const auto& [block, kernel] : blocks) {
    progress("blocks of " + std::to_string(block));
    std::vector<StudyValue> row = {static_cast<double>(block)};
    for (std::size_t v = 0; v < variants.size(); ++v) {
      const double seconds = seconds_per_step(*make(backend, report_setup(count, variants[v]), kernel));
      row.emplace_back(seconds);
      plot.lines[v].points.push_back({static_cast<double>(block), seconds});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

// Which kernel takes how much of a step.
StudyTable sweep_shares(Backend& backend, const StudyProgress& progress) {
  const int count = backend.is_cuda() ? 32000 : 4000;
  StudyTable table;
  table.id = "shares", table.title = "The share of each kernel, N = " + std::to_string(count) + ", FP64, contraction";
  table.columns = {{"kernel", "kernel", ""},
                   {"loop", "loop", ""},
                   {"launches_per_step", "launches a step", ""},
                   {"seconds_per_step", "time a step", "s"},
                   {"share", "share", "%"}};
  for (const char* kernel : {"grid", "all-pairs"}) {
    progress(std::string("shares of ") + kernel);
    const auto run = make(backend, report_setup(count, {"", kernel, false, true}), kernel);
    const int steps = backend.is_cuda() ? 64 : 8;
    run->step(4);
    backend.synchronize();
    KernelStats& stats = backend.stats();
    const bool timing = stats.timing();
    stats.set_timing(true), stats.clear();
    run->step(steps);
    backend.synchronize();
    const std::vector<KernelTime> times = stats.table();
    stats.set_timing(timing), stats.clear();
    double all = 0;
    for (const KernelTime& time : times) all += time.seconds;
    for (const KernelTime& time : times)
      table.rows.push_back({kernel, time.label, static_cast<double>(time.launches) / steps, time.seconds / steps,
                            all > 0 ? 100 * time.seconds / all : 0});
  }
  table.note = "Each loop is timed by itself, which adds some microseconds to each launch on CUDA.";
  return table;
}

StudyResult sweeps(Backend& backend, const Setup&, const StudyProgress& progress) {
  StudyResult result;
  StudyPlot numbers;
  numbers.title = "Time a step, the source's gas";
  numbers.x_label = "N", numbers.y_label = "Time a step", numbers.y_unit = "s";
  numbers.logarithmic_x = numbers.logarithmic_y = true;
  result.tables.push_back(sweep_numbers(backend, progress, numbers));
  result.plots.push_back(std::move(numbers));
  if (backend.is_cuda()) {
    StudyPlot blocks;
    blocks.title = "All pairs, N = 32000";
    blocks.x_label = "Threads a block", blocks.y_label = "Time a step", blocks.y_unit = "s";
    blocks.logarithmic_x = true;
    result.tables.push_back(sweep_blocks(backend, progress, blocks));
    result.plots.push_back(std::move(blocks));
  }
  result.tables.push_back(sweep_shares(backend, progress));
  return result;
}

// ---- growth

// The slope of log t over log N: the least squares line.
double exponent_of(const std::vector<CurvePoint>& points) {
  double x = 0, y = 0, xx = 0, xy = 0;
  const auto n = static_cast<double>(points.size());
  for (const CurvePoint& p : points) {
    const double a = std::log(p.x), b = std::log(p.y);
    x += a, y += b, xx += a * a, xy += a * b;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

StudyResult growth(Backend& backend, const Setup&, const StudyProgress& progress) {
  StudyResult result;
  StudyTable table, exponents;
  table.id = "growth",
  table.title = "Time a step against N at an area fraction of 0.3, speeds of about a radius a step";
  table.columns = {{"discs", "N", "", 7},
                   {"fp64", "FP64", "s"},
                   {"fp64_rate", "rate", "disc/s"},
                   {"fp32", "FP32", "s"},
                   {"fp32_rate", "rate", "disc/s"}};
  exponents.id = "exponents", exponents.title = "Time grows as N to the power of";
  exponents.columns = {{"precision", "precision", ""}, {"exponent", "exponent", "", 3}};
  StudyPlot plot;
  plot.title = "Area fraction 0.3";
  plot.x_label = "N", plot.y_label = "Time a step", plot.y_unit = "s";
  plot.logarithmic_x = plot.logarithmic_y = true;
  plot.lines = {{"FP64", {}, false}, {"FP32", {}, false}};
  for (const int count : {10000, 30000, 100000, 300000, 1000000}) {
    progress("N = " + std::to_string(count));
    std::vector<StudyValue> row = {static_cast<double>(count)};
    for (const bool single : {false, true}) {
      Setup setup = report_setup(count, {"", "grid", single, false});
      setup.parameters["box"] = std::sqrt(count * 3.14159265358979323846 / 0.3);
      setup.parameters["velocity_max"] = 1;
      const auto run = make(backend, setup, "grid");
      run->step(8);
      const double seconds = seconds_per_step(*run);
      row.emplace_back(seconds), row.emplace_back(count / seconds);
      plot.lines[single ? 1 : 0].points.push_back({static_cast<double>(count), seconds});
    }
    table.rows.push_back(std::move(row));
  }
  for (const StudyLine& line : plot.lines) exponents.rows.push_back({line.label, exponent_of(line.points)});
  StudyLine linear{"linear", {}, true};
  const CurvePoint last = plot.lines[0].points.back();
  for (const CurvePoint& p : plot.lines[0].points) linear.points.push_back({p.x, last.y * p.x / last.x});
  plot.lines.push_back(std::move(linear));
  result.tables = {std::move(table), std::move(exponents)};
  result.plots.push_back(std::move(plot));
  return result;
}

// ---- drawing

StudyResult drawing(Backend& backend, const Setup&, const StudyProgress& progress) {
  StudyResult result;
  StudyTable table;
  table.id = "drawing", table.title = "Time to draw all discs, by the pixels of the picture";
  table.columns = {{"discs", "N", "", 7}, {"radius_4k", "radius, 3840 x 2160", "pixels"}};
  const ColorTable colors(backend, find_colormap("turbo"));
  struct Size {
    const char* label;
    int width, height;
  };
  const std::vector<Size> sizes = {{"1280 x 720", 1280, 720}, {"1920 x 1080", 1920, 1080}, {"3840 x 2160", 3840, 2160}};
  StudyPlot plot;
  plot.title = "Drawing discs";
  plot.x_label = "N", plot.y_label = "Time a picture", plot.y_unit = "s";
  plot.logarithmic_x = plot.logarithmic_y = true;
  for (const Size& size : sizes) {
    table.columns.push_back({"seconds_" + std::to_string(size.width), size.label, "s"});
    plot.lines.push_back({size.label, {}, false});
  }
  for (const int count : {100, 10000, 100000, 1000000}) {
    progress("N = " + std::to_string(count));
    Setup setup = report_setup(count, {"", "grid", true, false});
    setup.parameters["box"] = std::sqrt(count * 3.14159265358979323846 / 0.3);
    setup.parameters["velocity_max"] = 1;
    const auto run = make(backend, setup, "grid");
    run->step(2);
    ViewSettings view;
    view.quantity = "speed", view.minimum = 0, view.maximum = 1.5;
    std::vector<StudyValue> row = {static_cast<double>(count), 2160 / setup.parameters["box"]};
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      const auto pixels = static_cast<std::size_t>(sizes[k].width) * static_cast<std::size_t>(sizes[k].height);
      Array<std::uint32_t> picture(backend, pixels, "picture");
      const double seconds = best_seconds(backend, [&](std::int64_t pictures) {
        for (; pictures > 0; --pictures)
          run->paint({picture.data(), sizes[k].width, sizes[k].height}, Camera{}, view, colors);
      });
      row.emplace_back(seconds);
      plot.lines[k].points.push_back({static_cast<double>(count), seconds});
    }
    table.rows.push_back(std::move(row));
  }
  table.note = "The whole box in the picture, coloured by speed, FP32, an area fraction of 0.3.";
  result.tables.push_back(std::move(table));
  result.plots.push_back(std::move(plot));
  return result;
}

// ---- divergence

std::vector<double> numbers_of(const State& state) {
  std::vector<double> all;
  for (const char* name : {"position", "velocity"}) {
    const Dataset& data = state.datasets.at(name);
    if (data.type == ElementType::float32) {
      const auto values = state.get<float>(name, data.shape);
      all.insert(all.end(), values.begin(), values.end());
    } else {
      const auto values = state.get<double>(name, data.shape);
      all.insert(all.end(), values.begin(), values.end());
    }
  }
  return all;
}

// Discs of which any number, written with eight decimals, reads differently.
double differing_discs(const std::vector<double>& a, const std::vector<double>& b) {
  const std::size_t discs = a.size() / 4;
  double count = 0;
  for (std::size_t k = 0; k < discs; ++k) {
    bool same = true;
    for (const std::size_t at : {2 * k, 2 * k + 1, 2 * discs + 2 * k, 2 * discs + 2 * k + 1})
      same = same && std::round(a[at] * 1e8) == std::round(b[at] * 1e8);
    if (!same) ++count;
  }
  return count;
}

StudyResult divergence(Backend& backend, const Setup& scene, const StudyProgress& progress) {
  constexpr int steps = 1000;
  struct Run {
    Backend* backend;
    bool single, contraction;
  };
  std::unique_ptr<Backend> cpu;
  std::vector<Run> runs = {
      {&backend, false, false}, {&backend, false, true}, {&backend, true, false}, {&backend, true, true}};
  struct Pair {
    const char *id, *label;
    std::size_t a, b;
  };
  std::vector<Pair> pairs = {{"contraction_fp64", "contraction on, FP64", 0, 1},
                             {"contraction_fp32", "contraction on, FP32", 2, 3},
                             {"single", "FP32 beside FP64", 0, 2}};
  if (backend.is_cuda()) {
    cpu = Backend::make_cpu();
    runs.push_back({cpu.get(), false, false});
    pairs.push_back({"cpu", "CPU beside CUDA, FP64", 0, 4});
  }
  const double tenth = 0.1;
  const bool fused = backend.is_cuda() || multiply_add(tenth, 10.0, -1.0) != tenth * 10.0 - 1.0;

  std::vector<std::unique_ptr<Simulation>> simulations;
  for (const Run& run : runs) {
    Setup setup = scene;
    setup.parameters["collisions"] = 0;  // contraction is a variant of the source's rule
    setup.parameters["precision"] = run.single ? 1 : 0, setup.parameters["contraction"] = run.contraction ? 1 : 0;
    simulations.push_back(make(*run.backend, setup, "grid"));
  }
  StudyResult result;
  StudyTable table;
  table.id = "divergence", table.title = "Discs that differ at the 8th decimal";
  table.columns = {{"step", "step", "", 6}};
  StudyPlot plot;
  plot.title = "Discs that differ at the 8th decimal";
  plot.x_label = "Step", plot.y_label = "Discs";
  for (const Pair& pair : pairs) {
    table.columns.push_back({pair.id, pair.label, "", 7});
    plot.lines.push_back({pair.label, {}, false});
  }
  int next_row = 0;
  for (int step = 0; step <= steps; ++step) {
    if (step % 200 == 0) progress("step " + std::to_string(step));
    if (step > 0)
      for (const auto& run : simulations) run->step(1);
    std::vector<std::vector<double>> states;
    for (const auto& run : simulations) states.push_back(numbers_of(run->save()));
    std::vector<StudyValue> row = {static_cast<double>(step)};
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const double count = differing_discs(states[pairs[k].a], states[pairs[k].b]);
      plot.lines[k].points.push_back({static_cast<double>(step), count});
      row.emplace_back(count);
    }
    if (step == next_row) {
      table.rows.push_back(std::move(row));
      next_row += step < 20 ? 2 : step < 100 ? 10 : 50;
    }
  }
  table.note = "Of " + std::to_string(static_cast<std::int64_t>(simulations[0]->step_cost("grid").cells)) +
               " discs. Two paths that differ in their last bit part by a factor at every collision.";
  if (!fused) table.note += " This build's processor has no fused multiply-add, so contraction changes nothing here.";
  result.tables.push_back(std::move(table));
  result.plots.push_back(std::move(plot));
  return result;
}

}  // namespace

double seconds_per_step(Simulation& run) {
  return best_seconds(run.backend(), [&](std::int64_t steps) { run.step(steps); });
}

std::vector<Study> particles_studies() {
  return {
      {"sweeps",
       "The source's sweeps: time against N, the block size, the precision and contraction, and each kernel's share.",
       true, sweeps},
      {"growth", "How the time of a step grows with the number of discs, from 10000 to a million.", true, growth},
      {"rules", "What a step costs under the source's rule and under the exact one, thin and dense.", false,
       particles_rules_study},
      {"drawing", "Time to draw a hundred to a million discs into pictures of several sizes.", false, drawing},
      {"divergence", "Counts, step by step, the discs whose state differs between variants at the 8th decimal.", false,
       divergence},
  };
}

}  // namespace perturb

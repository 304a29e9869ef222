#include "app/cli/bench.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <map>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/results_origin.h"
#include "app/cli/run_checks.h"
#include "app/cli/studies.h"
#include "app/cli/study_run.h"
#include "app/cli/terminal.h"
#include "app/io/files/same_file.h"
#include "app/io/preset/presets.h"
#include "app/io/preset/scenes.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/format.h"
#include "cuda/core/timing/timing_duration.h"
#include "cuda/studies/paper.h"

namespace perturb {

namespace {

constexpr double group_seconds = 0.2;   // long compared with the clock's resolution and a launch
constexpr double budget_seconds = 2.0;  // for the groups of one row
constexpr int max_groups = 9, min_groups = 3;
constexpr std::int64_t comparison_steps = 64;
constexpr int comparison_side = 2048;      // larger grids are compared at this size: their states would fill the memory
constexpr double comparison_seconds = 10;  // slower ones at smaller sizes
constexpr int min_comparison_side = 32;
constexpr double max_row_seconds = 60;  // of a row that the user did not ask for by its kernel

// A row of the table: a kernel on a grid.
struct BenchRow {
  const SimulationInfo* info;
  std::string scene, kernel;
  Size size;
  Size compared;       // the grid of the comparison with the reference kernel
  double seconds = 0;  // expected
};

std::int64_t round_up(double steps, int pass) {
  const double passes = std::max(1.0, std::ceil(std::min(steps, 1e9) / pass));
  return static_cast<std::int64_t>(passes) * pass;
}

bool runs_on(const KernelVariant& kernel, const Backend& backend) {
  return backend.is_cuda() ? kernel.on_cuda : kernel.on_cpu;
}

Setup bench_setup(const std::string& scene, Size size) {
  Setup setup = load_scene(scene).setup;
  setup.width = size.width;
  setup.height = size.height;
  return setup;
}

// The precision of the field, which is the largest dataset: lists such as the sources are always stored in double.
std::string precision_of(const State& state) {
  std::size_t single = 0, twice = 0;
  for (const auto& [name, dataset] : state.datasets) {
    if (dataset.type == ElementType::float64) twice = std::max(twice, dataset.count());
    if (dataset.type == ElementType::float32) single = std::max(single, dataset.count());
  }
  return twice > single ? "fp64" : "fp32";
}

State state_after_comparison(Backend& backend, const SimulationInfo& info, const std::string& scene,
                             const std::string& kernel, Size size) {
  const auto simulation = info.create(backend, bench_setup(scene, size));
  simulation->select_kernel(kernel);
  simulation->step(comparison_steps);
  return simulation->save();
}

const std::string& reference_kernel(const SimulationInfo& info, const Backend& backend) {
  return std::find_if(info.kernels.begin(), info.kernels.end(),
                      [&](const KernelVariant& kernel) { return runs_on(kernel, backend); })
      ->id;
}

// Runs the reference kernel once for each grid of a scene.
class References {
 public:
  const State& get(Backend& backend, const SimulationInfo& info, const std::string& scene, Size size) {
    if (scene != std::exchange(scene_, scene)) states_.clear();
    const auto [found, is_new] = states_.try_emplace({size.width, size.height});
    if (is_new) found->second = state_after_comparison(backend, info, scene, reference_kernel(info, backend), size);
    return found->second;
  }

 private:
  std::string scene_;
  std::map<std::pair<int, int>, State> states_;
};

// Time of a kernel's step, from grids that are small enough to try: all pairs of many discs take hours.
class KernelPace {
 public:
  KernelPace(Backend& backend, const SimulationInfo& info, const std::string& scene, const std::string& kernel,
             const Roofline& roof, double max_cells) {
    const int pass = std::max(1, info.kernels[kernel_index(info, kernel)].steps_per_pass);
    constexpr int min_side = 16;
    for (int side = min_side; static_cast<double>(side) * side <= max_cells; side *= 2) {
      // The growth of the cost needs two grids. Shorter steps measure the launch.
      if (probes_.size() > 1 && probes_.back().seconds * pass > long_probe) break;
      try {
        const auto simulation = info.create(backend, bench_setup(scene, {side, side}));
        simulation->select_kernel(kernel);
        seconds_to_step(*simulation, pass);
        const double seconds = seconds_to_step(*simulation, pass) / pass;
        const StepCost cost = simulation->step_cost(kernel);
        probes_.push_back({static_cast<double>(side) * side, seconds, roof.min_seconds(cost.bytes, cost.flops)});
      } catch (const InputError&) {
        continue;  // a scene or a kernel may need a larger grid
      }
    }
  }

  // 0 if every grid is smaller than those that were tried.
  double seconds_per_step(Size size) const {
    const double cells = static_cast<double>(size.width) * size.height;
    const auto after = std::find_if(probes_.begin(), probes_.end(), [&](const Probe& p) { return p.cells > cells; });
    if (after == probes_.begin()) return probes_.empty() ? 0 : probes_.front().seconds;
    const Probe& last = *(after - 1);
    double growth = 1;
    if (after - 1 != probes_.begin())
      growth = std::log(last.min_seconds / (after - 2)->min_seconds) / std::log(last.cells / (after - 2)->cells);
    return last.seconds * std::pow(cells / last.cells, std::max(1.0, growth));
  }

 private:
  static constexpr double long_probe = 0.01;  // seconds: long compared with a launch
  struct Probe {
    double cells, seconds, min_seconds;  // seconds of a step; at least, by the roofline
  };
  std::vector<Probe> probes_;
};

// The grid on which a kernel is compared with the reference kernel: the same, or one that takes less memory and time.
Size comparison_size(Size size, const KernelPace& own, const KernelPace& reference) {
  Size compared = {std::min(size.width, comparison_side), std::min(size.height, comparison_side)};
  while (comparison_steps * (own.seconds_per_step(compared) + reference.seconds_per_step(compared)) >
             comparison_seconds &&
         std::min(compared.width, compared.height) > min_comparison_side)
    compared = {compared.width / 2, compared.height / 2};
  return compared;
}

void compare(Backend& backend, const SimulationInfo& info, const std::string& scene, Size size, References& references,
             BenchResult& result) {
  result.reference = reference_kernel(info, backend);
  result.difference_size = size;
  const State& expected = references.get(backend, info, scene, size);
  result.precision = precision_of(expected);
  if (result.kernel != result.reference)
    result.difference_from_reference =
        largest_difference(state_after_comparison(backend, info, scene, result.kernel, size), expected);
}

nlohmann::ordered_json json_of(const BenchResult& r) {
  nlohmann::ordered_json json = {{"simulation", r.simulation},
                                 {"scene", r.scene},
                                 {"kernel", r.kernel},
                                 {"backend", r.backend},
                                 {"device", r.device},
                                 {"precision", r.precision},
                                 {"size", {r.size.width, r.size.height}},
                                 {"steps", r.steps},
                                 {"seconds_per_step", r.seconds_per_step},
                                 {"rate", r.rate},
                                 {"rate_unit", r.rate_unit},
                                 {"bytes_per_step", r.bytes_per_step},
                                 {"flops_per_step", r.flops_per_step},
                                 {"bytes_per_second", r.bytes_per_step / r.seconds_per_step},
                                 {"flops_per_second", r.flops_per_step / r.seconds_per_step},
                                 {"roofline_fraction", r.roofline_fraction},
                                 {"difference_from_reference", r.difference_from_reference},
                                 {"reference", r.reference},
                                 {"difference_size", {r.difference_size.width, r.difference_size.height}},
                                 {"threads", r.threads},
                                 {"groups", r.groups},
                                 {"least_seconds_per_step", r.min_seconds_per_step},
                                 {"memory_bytes", r.memory_bytes},
                                 {"copy_bandwidth", r.roof.bytes_per_second},
                                 {"peak_flops", r.roof.flops_per_second},
                                 {"block", {r.shape.block_x, r.shape.block_y}},
                                 {"registers_per_thread", r.shape.registers_per_thread},
                                 {"shared_bytes", r.shape.shared_bytes},
                                 {"occupancy", r.shape.occupancy},
                                 {"local_bytes", r.shape.local_bytes}};
  json.update(results_origin());
  return json;
}

std::string size_text(Size size) { return std::to_string(size.width) + " x " + std::to_string(size.height); }

std::string name_of(const BenchRow& row) { return row.info->id + " " + row.kernel + " " + size_text(row.size); }

std::string percent(double fraction) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f %%", 100 * fraction);
  return text;
}

std::vector<std::string> cells_of(const BenchResult& r) {
  std::vector<std::string> row = {r.kernel,
                                  r.backend,
                                  size_text(r.size),
                                  with_prefix(r.seconds_per_step, "s"),
                                  with_prefix(r.rate, r.rate_unit),
                                  format_bytes(static_cast<std::size_t>(r.bytes_per_step)),
                                  with_prefix(r.bytes_per_step / r.seconds_per_step, "B/s"),
                                  with_prefix(r.flops_per_step / r.seconds_per_step, "flop/s"),
                                  percent(r.roofline_fraction),
                                  format_number(r.difference_from_reference, 3)};
  if (r.shape.registers_per_thread > 0)
    row.insert(row.end(), {size_text({r.shape.block_x, r.shape.block_y}), std::to_string(r.shape.registers_per_thread),
                           format_bytes(static_cast<std::size_t>(r.shape.local_bytes)),
                           format_bytes(static_cast<std::size_t>(r.shape.shared_bytes)), percent(r.shape.occupancy)});
  return row;
}

// The table of rows, printed as they come.
TextTable begun_table(const Backend& backend, const std::vector<BenchRow>& rows) {
  std::vector<std::string> headings = {"kernel",          "on",      ">size",       ">time per step", ">rate",
                                       ">bytes per step", ">memory", ">arithmetic", ">of roofline",   ">difference"};
  if (backend.is_cuda()) headings.insert(headings.end(), {">block", ">registers", ">local", ">shared", ">occupancy"});
  std::vector<std::string> widest = {"",          backend.id(), "", "1.23 ms", "1.23 Gcell/s",
                                     "123.4 MiB", "1.23 GB/s",  "", "",        "1.23e-07"};
  if (backend.is_cuda()) widest.insert(widest.end(), {"256 x 1", "", "1.2 KiB", "12.3 KiB", ""});
  for (const BenchRow& row : rows) {
    if (row.kernel.size() > widest[0].size()) widest[0] = row.kernel;
    if (size_text(row.size).size() > widest[2].size()) widest[2] = size_text(row.size);
  }
  TextTable table(headings);
  table.print_as_added(std::cout, widest);
  return table;
}

void print_roof(const Backend& backend, const Roofline& roof, std::ostream& out) {
  out << backend.device_name() << " (" << backend.id();
  if (!backend.is_cuda()) out << ", " << backend.threads() << (backend.threads() == 1 ? " thread" : " threads");
  out << "): memory " << with_prefix(roof.bytes_per_second, "B/s") << ", arithmetic "
      << with_prefix(roof.flops_per_second, "flop/s") << " (FP32), both measured\n";
}

std::vector<Size> default_sizes(const Backend& backend) {
  if (backend.is_cuda()) return {{512, 512}, {1024, 1024}, {2048, 2048}, {4096, 4096}, {8192, 8192}};
  return {{512, 512}, {2048, 2048}, {8192, 8192}};
}

void fill_result(BenchResult& result, Backend& backend, const SimulationInfo& info, Simulation& simulation,
                 const Roofline& roof) {
  result.simulation = info.id;
  result.backend = backend.id();
  result.device = backend.device_name();
  result.threads = backend.threads();
  result.memory_bytes = backend.memory_in_use();
  result.roof = roof;
  const StepCost cost = simulation.step_cost(result.kernel);
  result.bytes_per_step = cost.bytes;
  result.flops_per_step = cost.flops;
  result.rate_unit = cost.rate_unit;
  result.rate = cost.cells / result.seconds_per_step;
  result.roofline_fraction = roof.min_seconds(cost.bytes, cost.flops) / result.seconds_per_step;
  result.shape = simulation.launch_shape(result.kernel);
}

// The kernels of a simulation on each of these grids, the fastest row first. Leaves out rows that would take too long,
// unless the user names their kernel.
std::vector<BenchRow> plan_rows(Backend& backend, const SimulationInfo& info, const std::string& scene,
                                const std::vector<Size>& sizes, const BenchOptions& options, const Roofline& roof) {
  double max_cells = 0;
  for (const Size size : sizes) max_cells = std::max(max_cells, static_cast<double>(size.width) * size.height);
  const auto pace_of = [&](const std::string& kernel) {
    return KernelPace(backend, info, scene, kernel, roof, max_cells);
  };
  const KernelPace reference = pace_of(reference_kernel(info, backend));
  std::vector<BenchRow> rows;
  for (const KernelVariant& kernel : info.kernels) {
    if (!options.kernel.empty() && kernel.id != options.kernel) continue;
    if (!runs_on(kernel, backend)) {
      if (kernel.id == options.kernel)
        throw InputError("The kernel \"{}\" does not run on {}.", kernel.id, backend.id());
      continue;
    }
    const KernelPace own = pace_of(kernel.id);
    const int pass = std::max(1, kernel.steps_per_pass);
    std::string skipped;
    for (const Size size : sizes) {
      BenchRow row{&info, scene, kernel.id, size, comparison_size(size, own, reference)};
      const double step = own.seconds_per_step(size), group = static_cast<double>(options.steps.value_or(pass)) * step;
      row.seconds = (2 * pass) * step + std::max(budget_seconds, (1 + min_groups) * group) +
                    comparison_steps * (own.seconds_per_step(row.compared) + reference.seconds_per_step(row.compared));
      if (row.seconds > max_row_seconds && options.kernel.empty())
        skipped += (skipped.empty() ? "" : ", ") + size_text(size) + " (about " + format_duration(row.seconds) + ")";
      else
        rows.push_back(std::move(row));
    }
    if (!skipped.empty())
      print_line(std::cerr, "Skipped " + info.id + " " + kernel.id + " of " + skipped + ". --kernel " + kernel.id +
                                " measures it.");
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const BenchRow& a, const BenchRow& b) { return a.seconds < b.seconds; });
  return rows;
}

int bench_kernels(const BenchOptions& options) {
  std::vector<const SimulationInfo*> chosen = catalog();
  const std::string named = options.simulation.substr(0, options.simulation.find('/'));
  if (!named.empty()) chosen = {&find_simulation(named)};
  const auto scene_of = [&](const SimulationInfo& info) {
    return named == options.simulation ? timed_scene(info) : options.simulation;
  };
  if (!options.kernel.empty() && chosen.size() == 1) kernel_index(*chosen.front(), options.kernel);
  Message note;
  const auto backend = make_backend(options.backend, options.threads, &note);
  if (!note.empty()) std::cerr << "Measured on the CPU: " << note.english() << '\n';
  const std::vector<Size> sizes = options.sizes.empty() ? default_sizes(*backend) : options.sizes;

  // Sizes given explicitly must fit; sizes of the default series that do not fit are skipped.
  std::vector<std::vector<Size>> fitting;
  for (const SimulationInfo* info : chosen) {
    fitting.emplace_back();
    for (const Size size : sizes) {
      const Setup setup = bench_setup(scene_of(*info), size);
      if (!options.sizes.empty()) require_memory(*info, setup, *backend);
      if (memory_estimate(*info, setup, *backend) < 0.9 * static_cast<double>(backend->free_memory()))
        fitting.back().push_back(size);
      else
        std::cerr << "Skipped " << info->id << " of " << size_text(size) << ": it does not fit in memory.\n";
    }
  }

  const Roofline roof = measure_roofline(*backend);
  if (!options.json) print_roof(*backend, roof, std::cout);
  std::vector<BenchRow> rows;
  std::vector<double> expected;
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    if (fitting[k].empty()) continue;
    std::cerr << "Trying the kernels of " << chosen[k]->id << " on small grids ...\n";
    for (BenchRow& row : plan_rows(*backend, *chosen[k], scene_of(*chosen[k]), fitting[k], options, roof)) {
      expected.push_back(row.seconds);
      rows.push_back(std::move(row));
    }
  }
  References references;
  auto json = nlohmann::ordered_json::array();
  std::optional<TextTable> table;
  if (!options.json) table = begun_table(*backend, rows);
  {
    ProgressEstimator estimator(expected);
    ProgressLine line;
    for (const BenchRow& row : rows) {
      const auto begin = std::chrono::steady_clock::now();
      line.show(estimator, name_of(row), 0);
      BenchResult result = time_kernel(*backend, *row.info, row.kernel, row.size, options.steps, roof, row.scene);
      compare(*backend, *row.info, row.scene, row.compared, references, result);
      estimator.done(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
      line.clear();
      json.push_back(json_of(result));
      if (table) table->add(cells_of(result));
    }
  }
  if (options.json) {
    std::cout << json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
    return 0;
  }
  // For a simulation given by name, the standard studies run too.
  if (!named.empty() && options.kernel.empty() && options.sizes.empty() && !options.steps)
    print_standard_studies(*backend, *chosen.front(), load_scene(options.simulation).setup);
  return 0;
}

}  // namespace

std::string timed_scene(const SimulationInfo& info) {
  return info.timed_preset.empty() ? info.id : info.id + "/" + info.timed_preset;
}

BenchResult time_kernel(Backend& backend, const SimulationInfo& info, const std::string& kernel, Size size,
                        std::optional<std::int64_t> steps, const Roofline& roof, const std::string& scene) {
  const KernelVariant& variant = info.kernels[kernel_index(info, kernel)];
  const Setup setup = bench_setup(scene.empty() ? timed_scene(info) : scene, size);
  require_memory(info, setup, backend);
  const auto simulation = info.create(backend, setup);
  simulation->select_kernel(kernel);

  const int pass = std::max(1, variant.steps_per_pass);
  BenchResult result;
  result.scene = scene_name_of(setup);
  result.kernel = kernel;
  result.size = size;
  // The first steps load the kernel and warm the caches; then a group grows until it takes 0.2 s.
  seconds_to_step(*simulation, 2 * pass);
  std::int64_t group = steps.value_or(pass);
  double seconds = seconds_to_step(*simulation, group);
  while (!steps && seconds < group_seconds) {
    const double factor = std::clamp(1.1 * group_seconds / std::max(seconds, 1e-9), 1.5, 100.0);
    group = round_up(static_cast<double>(group) * factor, pass);
    seconds = seconds_to_step(*simulation, group);
  }
  std::vector<double> times = {seconds};
  double total = seconds;
  while (static_cast<int>(times.size()) < max_groups &&
         (static_cast<int>(times.size()) < min_groups || total < budget_seconds)) {
    times.push_back(seconds_to_step(*simulation, group));
    total += times.back();
  }
  result.steps = group;
  result.groups = static_cast<int>(times.size());
  result.seconds_per_step = median_of(times) / static_cast<double>(group);
  result.min_seconds_per_step = *std::min_element(times.begin(), times.end()) / static_cast<double>(group);
  fill_result(result, backend, info, *simulation, roof);
  return result;
}

int bench_command(const BenchOptions& options) {
  for (const std::string& input : {options.simulation, options.compare}) {
    require_not_read("--csv", options.csv, input);
    require_not_read("--plot", options.plot, input);
    require_not_read("--page", options.page, input);
  }
  if (options.simulation == served_word) return bench_serve(options);
  if (options.clients > 0 || options.seconds > 0)
    throw InputError("--clients and --seconds are those of a served run. Write \"perturb bench {}\".", served_word);
  if (options.presets) return bench_presets(options);
  if (!options.compare.empty()) throw InputError("--compare needs --presets. Add it.");
  if (options.paper) return paper_command(options);
  return options.study.empty() ? bench_kernels(options) : study_command(options);
}

}  // namespace perturb

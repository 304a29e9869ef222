#include "app/cli/bench.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <map>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/run_checks.h"
#include "app/cli/studies.h"
#include "app/cli/terminal.h"
#include "app/io/preset/presets.h"
#include "app/io/preset/scenes.h"
#include "cuda/core/bench/paper.h"
#include "cuda/core/bench/timing_duration.h"
#include "cuda/core/math/random.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

namespace {

constexpr double group_seconds = 0.2;   // long compared with the clock's resolution and a launch
constexpr double budget_seconds = 2.0;  // for the groups of one row
constexpr int most_groups = 9, least_groups = 3;
constexpr std::int64_t comparison_steps = 64;
constexpr int comparison_side = 2048;  // larger grids are compared at this size: their states would fill the memory

std::int64_t round_up(double steps, int pass) {
  const double passes = std::max(1.0, std::ceil(std::min(steps, 1e9) / pass));
  return static_cast<std::int64_t>(passes) * pass;
}

bool runs_on(const KernelVariant& kernel, const Backend& backend) {
  return backend.is_cuda() ? kernel.on_cuda : kernel.on_cpu;
}

Setup bench_setup(const std::string& scene, Size size) {
  Setup setup = load_scene(scene).setup;
  setup.width = size.width, setup.height = size.height;
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

// Runs the reference kernel once for each simulation, grid and backend.
class References {
 public:
  const State& get(Backend& backend, const SimulationInfo& info, const std::string& scene, const std::string& kernel,
                   Size size) {
    const std::string key = scene + " " + kernel + " " + backend.word() + " " + std::to_string(size.width) + "x" +
                            std::to_string(size.height);
    if (key != key_) state_ = state_after_comparison(backend, info, scene, kernel, size), key_ = key;
    return state_;
  }

 private:
  std::string key_;
  State state_;
};

void compare(Backend& backend, const SimulationInfo& info, const std::string& scene, References& references,
             BenchResult& result) {
  for (const KernelVariant& kernel : info.kernels) {
    if (!runs_on(kernel, backend)) continue;
    result.reference = kernel.id;
    break;
  }
  result.difference_size = {std::min(result.size.width, comparison_side),
                            std::min(result.size.height, comparison_side)};
  const State& expected = references.get(backend, info, scene, result.reference, result.difference_size);
  result.precision = precision_of(expected);
  if (result.kernel != result.reference)
    result.difference_from_reference = largest_difference(
        state_after_comparison(backend, info, scene, result.kernel, result.difference_size), expected);
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
                                 {"least_seconds_per_step", r.least_seconds_per_step},
                                 {"memory_bytes", r.memory_bytes},
                                 {"copy_bandwidth", r.roof.bytes_per_second},
                                 {"peak_flops", r.roof.flops_per_second},
                                 {"block", {r.shape.block_x, r.shape.block_y}},
                                 {"registers_per_thread", r.shape.registers_per_thread},
                                 {"shared_bytes", r.shape.shared_bytes},
                                 {"occupancy", r.shape.occupancy},
                                 {"local_bytes", r.shape.local_bytes}};
  return json;
}

std::string size_text(Size size) { return std::to_string(size.width) + " x " + std::to_string(size.height); }

std::string percent(double fraction) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f %%", 100 * fraction);
  return text;
}

void print(const std::vector<BenchResult>& results) {
  const bool launched = std::any_of(results.begin(), results.end(),
                                    [](const BenchResult& r) { return r.shape.registers_per_thread > 0; });
  std::vector<std::string> headings = {"kernel",          "on",      ">size",       ">time per step", ">rate",
                                       ">bytes per step", ">memory", ">arithmetic", ">of roofline",   ">difference"};
  if (launched) headings.insert(headings.end(), {">block", ">registers", ">local", ">shared", ">occupancy"});
  TextTable table(headings);
  for (const BenchResult& r : results) {
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
      row.insert(row.end(),
                 {size_text({r.shape.block_x, r.shape.block_y}), std::to_string(r.shape.registers_per_thread),
                  format_bytes(static_cast<std::size_t>(r.shape.local_bytes)),
                  format_bytes(static_cast<std::size_t>(r.shape.shared_bytes)), percent(r.shape.occupancy)});
    table.add(row);
  }
  table.print(std::cout);
}

void print_roof(const Backend& backend, const Roofline& roof, std::ostream& out) {
  out << backend.device_name() << " (" << backend.word();
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
  result.backend = backend.word();
  result.device = backend.device_name();
  result.threads = backend.threads();
  result.memory_bytes = backend.memory_in_use();
  result.roof = roof;
  const StepCost cost = simulation.step_cost(result.kernel);
  result.bytes_per_step = cost.bytes, result.flops_per_step = cost.flops;
  result.rate_unit = cost.rate_unit;
  result.rate = cost.cells / result.seconds_per_step;
  result.roofline_fraction = roof.least_seconds(cost.bytes, cost.flops) / result.seconds_per_step;
  result.shape = simulation.launch_shape(result.kernel);
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
  std::vector<std::pair<const SimulationInfo*, Size>> grids;
  for (const SimulationInfo* info : chosen)
    for (const Size size : sizes) {
      const Setup setup = bench_setup(scene_of(*info), size);
      if (!options.sizes.empty()) require_memory(*info, setup, *backend);
      if (memory_estimate(*info, setup, *backend) < 0.9 * static_cast<double>(backend->free_memory()))
        grids.emplace_back(info, size);
      else
        std::cerr << "Skipped " << info->id << " of " << size_text(size) << ": it does not fit in memory.\n";
    }

  const Roofline roof = measure_roofline(*backend);
  if (!options.json) print_roof(*backend, roof, std::cout);
  References references;
  std::vector<BenchResult> results;
  for (const auto& [info, size] : grids)
    for (const KernelVariant& kernel : info->kernels) {
      if (!runs_on(kernel, *backend)) {
        if (kernel.id == options.kernel)
          throw InputError("The kernel \"{}\" does not run on {}.", kernel.id, backend->word());
        continue;
      }
      if (!options.kernel.empty() && kernel.id != options.kernel) continue;
      std::cerr << info->id << ' ' << kernel.id << ' ' << size_text(size) << " ...\n";
      BenchResult result = time_kernel(*backend, *info, kernel.id, size, options.steps, roof, scene_of(*info));
      compare(*backend, *info, scene_of(*info), references, result);
      results.push_back(std::move(result));
    }
  if (options.json) {
    auto json = nlohmann::ordered_json::array();
    for (const BenchResult& result : results) json.push_back(json_of(result));
    std::cout << json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
    return 0;
  }
  print(results);
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
  while (static_cast<int>(times.size()) < most_groups &&
         (static_cast<int>(times.size()) < least_groups || total < budget_seconds)) {
    times.push_back(seconds_to_step(*simulation, group));
    total += times.back();
  }
  result.steps = group;
  result.groups = static_cast<int>(times.size());
  result.seconds_per_step = median_of(times) / static_cast<double>(group);
  result.least_seconds_per_step = *std::min_element(times.begin(), times.end()) / static_cast<double>(group);
  fill_result(result, backend, info, *simulation, roof);
  return result;
}

int bench_command(const BenchOptions& options) {
  if (options.presets) return bench_presets(options);
  if (!options.compare.empty()) throw InputError("--compare needs --presets. Add it.");
  if (options.paper) return paper_command(options);
  return options.study.empty() ? bench_kernels(options) : study_command(options);
}

}  // namespace perturb

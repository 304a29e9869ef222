#include "app/run/kernel_measurement.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>

#include "cuda/core/backend/check.h"
#include "cuda/core/backend/stop.h"
#include "cuda/core/bench/timing_duration.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

namespace {

// A repetition is long compared with a launch and with the resolution of the clock, and short compared with what a user
// notices.
constexpr double group_seconds = 0.015;
// Repetitions of a kernel together, and their number. A slow step is repeated only once.
constexpr double kernel_seconds = 0.25, slow_step_seconds = 0.5;
constexpr std::size_t least_groups = 3, most_groups = 15;
constexpr std::int64_t most_group_steps = 1 << 20;

}  // namespace

std::string kernel_table_key(const Backend& backend, const Scene& scene) {
  const Setup& setup = scene.setup;
  std::string parameters;
  for (const auto& [id, value] : setup.parameters) parameters += id + "=" + shortest_text(value) + ";";
  // Of the parameters only the hash: the file of the cache would otherwise repeat all of them in every key.
  return measured_device(backend) + " | " + setup.simulation + " | kernels of " + setup.preset + " " +
         std::to_string(setup.width) + "x" + std::to_string(setup.height) + " | " +
         std::to_string(std::hash<std::string>()(parameters));
}

KernelMeasurement::KernelMeasurement(Experiment& experiment)
    : backend_(experiment.backend()), key_(kernel_table_key(backend_, experiment.scene())) {
  const KernelTable& table = KernelTable::of_process();
  if (!table.roofline(measured_device(backend_))) roofline_ = std::make_unique<RooflineMeasurement>(backend_);
  const std::vector<KernelTiming> known = table.find(key_);
  const SimulationInfo& info = experiment.info();
  for (const KernelVariant& kernel : info.kernels) {
    const bool is_known =
        std::any_of(known.begin(), known.end(), [&](const KernelTiming& one) { return one.kernel == kernel.id; });
    if ((backend_.is_cuda() ? kernel.on_cuda : kernel.on_cpu) && !is_known) missing_.push_back(kernel.id);
  }
  if (missing_.empty()) return;
  const std::size_t needed = info.memory_needed(backend_, experiment.setup()), free = backend_.free_memory();
  if (needed > free)
    throw Error(
        "Cannot measure the kernels: a copy of this run needs {} of memory, and {} are free. Choose a smaller size.",
        format_bytes(needed), format_bytes(free));
  start_.scene = experiment.scene();
  start_.scene.lanes.clear();                                          // of a race, the first lane
  start_.scene.setup.parameters = values_of(experiment.simulation());  // a sweep has changed some by itself
  start_.state = std::make_shared<const State>(experiment.simulation().save());
}

bool KernelMeasurement::matches(const Experiment& experiment) const {
  return &experiment.backend() == &backend_ && kernel_table_key(backend_, experiment.scene()) == key_;
}

KernelMeasurement::~KernelMeasurement() = default;

void KernelMeasurement::begin_trial() {
  start_.kernel = missing_.front();
  Run run = Run::begin(backend_, start_);
  const SimulationInfo& info = run.simulation->info();
  const int pass = std::max(1, info.kernels[kernel_index(info, start_.kernel)].steps_per_pass);
  trial_.emplace(Trial{start_.kernel, std::move(run), pass, 0, {}, 0});
  seconds_to_step(*trial_->run.simulation, trial_->pass);  // loads the kernel and warms the caches
}

void KernelMeasurement::measure_group() {
  Trial& trial = *trial_;
  Simulation& simulation = *trial.run.simulation;
  if (trial.group == 0) {
    const double pass = std::max(seconds_to_step(simulation, trial.pass), 1e-9);
    const double passes = std::clamp(std::ceil(timing_duration(group_seconds) / pass), 1.0,
                                     static_cast<double>(most_group_steps / trial.pass));
    trial.group = trial.pass * static_cast<std::int64_t>(passes);
    return;
  }
  const double seconds = seconds_to_step(simulation, trial.group);
  trial.seconds.push_back(seconds / static_cast<double>(trial.group));
  trial.total += seconds;
  const bool is_slow = seconds > slow_step_seconds;
  if (!is_slow && (trial.seconds.size() < least_groups ||
                   (trial.seconds.size() < most_groups && trial.total < timing_duration(kernel_seconds))))
    return;
  finish_trial();
}

void KernelMeasurement::finish_trial() {
  std::vector<double>& seconds = trial_->seconds;
  std::sort(seconds.begin(), seconds.end());
  const double spread = seconds.size() > 1 ? seconds[1] / seconds[0] - 1 : 0;
  KernelTable::of_process().set(key_, {trial_->kernel, seconds[0], spread});
  trial_.reset();
  missing_.erase(missing_.begin());
}

bool KernelMeasurement::advance() {
  if (roofline_) {
    if (!roofline_->advance(timing_duration(group_seconds))) return false;
    KernelTable::of_process().set_roofline(measured_device(backend_), roofline_->roofline());
    roofline_.reset();
    return missing_.empty();
  }
  if (missing_.empty()) return true;
  const auto give_up = [&](const Message& reason) {
    trial_.reset();
    unmeasured_.push_back({missing_.front(), reason});
    missing_.erase(missing_.begin());
  };
  try {
    if (trial_)
      measure_group();
    else
      begin_trial();
  } catch (const Stopped&) {
    give_up("cancelled");
    throw;
  } catch (const Error& error) {
    give_up(error.message());
  }
  return missing_.empty();
}

}  // namespace perturb

#include "app/run/kernel_measurement.h"

#include <algorithm>
#include <functional>

#include "cuda/core/backend/check.h"
#include "cuda/core/backend/stop.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/format.h"
#include "cuda/core/timing/timing_duration.h"

namespace perturb {

namespace {

// Of a measurement of the peak rates: short compared with what a user notices.
constexpr double part_seconds = 0.015;

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
  const TimingCache& cache = TimingCache::of_process();
  if (!cache.roofline(measured_device(backend_))) roofline_ = std::make_unique<RooflineMeasurement>(backend_);
  const std::vector<KernelTiming> known = cache.table(key_);
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

bool KernelMeasurement::advance() {
  if (roofline_) {
    if (!roofline_->advance(timing_duration(part_seconds))) return false;
    TimingCache::of_process().set_roofline(measured_device(backend_), roofline_->roofline());
    roofline_.reset();
    return missing_.empty();
  }
  if (missing_.empty()) return true;
  const auto fail = [&](const Message& reason) {
    trial_.reset();
    unmeasured_.push_back({missing_.front(), reason});
    missing_.erase(missing_.begin());
  };
  try {
    if (!trial_) {
      start_.kernel = missing_.front();
      trial_.emplace(backend_, start_);
    } else if (trial_->advance()) {
      TimingCache::of_process().set_in_table(key_, trial_->timing());
      trial_.reset();
      missing_.erase(missing_.begin());
    }
  } catch (const Stopped&) {
    fail("cancelled");
    throw;
  } catch (const Error& error) {
    fail(error.message());
  }
  return missing_.empty();
}

}  // namespace perturb

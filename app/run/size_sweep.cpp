#include "app/run/size_sweep.h"

#include <algorithm>
#include <cmath>

#include "app/run/kernel_measurement.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/stop.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

GridSize grid_of(const Setup& setup, const SimulationInfo& info) {
  return {setup.width > 0 ? setup.width : info.default_width, setup.height > 0 ? setup.height : info.default_height};
}

namespace {

// A larger grid is not measured if one pass over it would take longer: the run waits for it.
constexpr double longest_pass = 0.25;
// The largest share of the free memory that a grid may use.
constexpr double largest_memory_share = 0.5;
constexpr int width_unit = 8;

int in_units(double side) {
  return std::max(width_unit, width_unit * static_cast<int>(std::lround(side / width_unit)));
}

std::vector<GridSize> swept_sizes(GridSize scene, int largest) {
  std::vector<GridSize> sizes;
  const double height = static_cast<double>(scene.height) / scene.width;
  for (double width = largest; width > min_swept_width / 1.1; width /= std::sqrt(2.0))
    sizes.push_back({in_units(width), in_units(width * height)});
  std::reverse(sizes.begin(), sizes.end());
  return sizes;
}

}  // namespace

bool has_grid(const StepCost& cost) { return cost.rate_unit == "cell/s"; }

SizeSweep::SizeSweep(Experiment& experiment, int largest)
    : backend_(experiment.backend()),
      info_(experiment.info()),
      key_(kernel_table_key(backend_, experiment.scene())),
      largest_(largest) {
  for (std::size_t k = 0; k < info_.kernels.size(); ++k)
    if (runs_here(k) && !has_grid(experiment.simulation().step_cost(info_.kernels[k].id)))
      throw InputError(Message("Cannot compare the sizes of this scene.") + no_sizes_text);
  if (largest < min_swept_width || largest > max_swept_width)
    throw InputError("The largest width cannot be {}: it must be from {} to {}.", largest, min_swept_width,
                     max_swept_width);
  start_.scene = experiment.scene();
  start_.scene.lanes.clear();  // of a race, the scene without its lanes
  start_.scene.setup.parameters = values_of(experiment.simulation());
  const std::vector<GridSize> sizes = swept_sizes(grid_of(start_.scene.setup, info_), largest);
  for (auto size = sizes.rbegin(); size != sizes.rend(); ++size)
    for (std::size_t k = info_.kernels.size(); k-- > 0;)
      if (runs_here(k)) tasks_.push_back({k, *size});
  Setup setup = start_.scene.setup;
  setup.width = sizes.back().width;
  setup.height = sizes.back().height;
  timings_.caches = caches_of(backend_);
  timings_.bytes_per_cell = static_cast<double>(info_.memory_needed(backend_, setup)) /
                            (static_cast<double>(setup.width) * static_cast<double>(setup.height));
  name_current();
}

SizeSweep::~SizeSweep() = default;

bool SizeSweep::runs_here(std::size_t kernel) const {
  return backend_.is_cuda() ? info_.kernels[kernel].on_cuda : info_.kernels[kernel].on_cpu;
}

bool SizeSweep::matches(const Experiment& experiment, int largest) const {
  return &experiment.backend() == &backend_ && largest == largest_ &&
         kernel_table_key(backend_, experiment.scene()) == key_;
}

void SizeSweep::name_current() {
  timings_.remaining = tasks_.size();
  timings_.current = tasks_.empty() ? GridSize{} : tasks_.back().size;
  timings_.current_kernel = tasks_.empty() ? std::string() : info_.kernels[tasks_.back().kernel].id;
}

// Why this grid cannot be measured; empty: it can.
Message SizeSweep::obstacle(const Task& task) const {
  Setup setup = start_.scene.setup;
  setup.width = task.size.width;
  setup.height = task.size.height;
  const std::size_t needed = info_.memory_needed(backend_, setup);
  const auto allowed = static_cast<std::size_t>(largest_memory_share * static_cast<double>(backend_.free_memory()));
  if (needed > allowed)
    return {"it needs {} of memory, and {} may be used", format_bytes(needed), format_bytes(allowed)};
  const auto before = std::find_if(timings_.timings.rbegin(), timings_.timings.rend(),
                                   [&](const SizeTiming& timing) { return timing.kernel == task.kernel; });
  if (before == timings_.timings.rend()) return {};
  const double cells = static_cast<double>(task.size.width) * task.size.height;
  const double pass =
      before->seconds_per_step * cells / before->cells * std::max(1, info_.kernels[task.kernel].steps_per_pass);
  return pass > longest_pass ? Message("a pass over it would take longer than {} s", format_number(longest_pass))
                             : Message();
}

void SizeSweep::begin(const Task& task) {
  if (const Message reason = obstacle(task); !reason.empty()) throw Error(reason);
  start_.kernel = info_.kernels[task.kernel].id;
  start_.scene.setup.width = task.size.width;
  start_.scene.setup.height = task.size.height;
  trial_.emplace(backend_, start_);
}

bool SizeSweep::advance() {
  if (tasks_.empty()) return true;
  const Task task = tasks_.back();
  const auto leave = [&] {
    trial_.reset();
    tasks_.pop_back();
    name_current();
  };
  const auto fail = [&](const Message& reason) {
    timings_.unmeasured.push_back({info_.kernels[task.kernel].id, task.size, reason});
    leave();
  };
  try {
    if (!trial_) {
      begin(task);
    } else if (trial_->advance()) {
      const KernelTiming timing = trial_->timing();
      timings_.timings.push_back({task.kernel, task.size, trial_->simulation().step_cost(timing.kernel).cells,
                                  timing.seconds_per_step, timing.spread});
      leave();
    }
  } catch (const Stopped&) {
    fail("cancelled");
    throw;
  } catch (const Error& error) {
    fail(error.message());
  }
  return tasks_.empty();
}

}  // namespace perturb

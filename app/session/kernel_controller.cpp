#include "app/session/kernel_controller.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "app/io/files/csv.h"
#include "cuda/core/simulation/format.h"
#include "cuda/core/timing/timing_cache.h"

namespace perturb {

namespace {

bool runs_here(const RunStatus& run, const KernelVariant& kernel) {
  return run.backend->is_cuda() ? kernel.on_cuda : kernel.on_cpu;
}

}  // namespace

const UnmeasuredKernel* KernelController::unmeasured(const std::string& kernel) const {
  for (const UnmeasuredKernel& one : progress_.unmeasured)
    if (one.kernel == kernel) return &one;
  return nullptr;
}

bool KernelController::all_are_measured() const {
  const RunStatus& run = client_.run();
  for (std::size_t k = 0; k < run.kernels.size(); ++k) {
    const KernelVariant& kernel = run.info->kernels[k];
    if (runs_here(run, kernel) && !run.kernels[k].timing && !unmeasured(kernel.id)) return false;
  }
  return true;
}

void KernelController::measure() {
  const Backend& backend = client_.backend();
  if (all_are_measured())
    TimingCache::of_process().forget_table(kernel_table_key(backend, *client_.run().scene), measured_device(backend));
  TimingCache::of_process().forget(client_.info().id);  // "auto" measures again too, during the next steps
  progress_ = {};
  is_measuring_ = true;
}

void KernelController::stop() {
  if (std::exchange(is_measuring_, false)) client_.post(job::Measure{{}, true}, [](JobResult&) {});
}

void KernelController::measure_sizes(int largest) {
  stop_sizes();
  sizes_ = {};
  largest_ = largest;
  is_sweeping_ = true;
}

void KernelController::stop_sizes() {
  if (std::exchange(is_sweeping_, false)) client_.post(job::Measure{largest_, true}, [](JobResult&) {});
}

void KernelController::poll() {
  poll_kernels();
  if (!is_measuring_) poll_sizes();
}

void KernelController::poll_sizes() {
  if (!is_sweeping_ || is_size_posted_) return;
  is_size_posted_ = true;
  client_.post(job::Measure{largest_}, [this, largest = largest_](JobResult& result) {
    is_size_posted_ = false;
    if (result.cancelled || !is_sweeping_ || largest != largest_) return;
    try {
      result.check();
      sizes_ = std::move(result.sizes);
      is_sweeping_ = sizes_.remaining > 0;
    } catch (const Error& error) {
      stop_sizes();
      client_.show_error(error.message());
    }
  });
}

void KernelController::poll_kernels() {
  if (!is_measuring_ || is_posted_) return;
  is_posted_ = true;
  client_.post(job::Measure{}, [this](JobResult& result) {
    is_posted_ = false;
    if (result.cancelled || !is_measuring_) return;
    try {
      result.check();
      progress_ = std::move(result.kernels);
      is_measuring_ = !progress_.complete;
    } catch (const Error& error) {
      stop();
      client_.show_error(error.message());
    }
  });
}

void KernelController::on_run_replaced(bool new_scene) {
  progress_ = {};
  if (!new_scene) return;
  is_measuring_ = is_sweeping_ = false;
  sizes_ = {};
}

std::string kernels_as_csv(const RunStatus& run) {
  std::string text =
      "simulation,scene,kernel,backend,device,seconds_per_step,spread,rate,rate_unit,bytes_per_step,flops_per_step,"
      "bytes_per_second,flops_per_second,roofline_fraction,copy_bandwidth,peak_flops,block_x,block_y,"
      "registers_per_thread,shared_bytes,occupancy,local_bytes\n";
  const auto number = [](const std::optional<double>& value) { return value ? shortest_text(*value) : std::string(); };
  const auto positive = [](double value) { return value > 0 ? shortest_text(value) : std::string(); };
  for (std::size_t k = 0; k < run.kernels.size(); ++k) {
    const KernelVariant& kernel = run.info->kernels[k];
    if (!runs_here(run, kernel)) continue;
    const KernelStatus& status = run.kernels[k];
    const KernelFigures figures = figures_of(status, run.roofline);
    const auto launched = [&](double value) { return status.shape.block_x > 0 ? shortest_text(value) : std::string(); };
    const std::vector<std::string> cells = {run.info->id,
                                            run.scene->setup.preset,
                                            kernel.id,
                                            run.backend->id(),
                                            run.backend->device_name(),
                                            status.timing ? shortest_text(status.timing->seconds_per_step) : "",
                                            status.timing ? shortest_text(status.timing->spread) : "",
                                            number(figures.cells_per_second),
                                            status.cost.rate_unit,
                                            positive(status.cost.bytes),
                                            positive(status.cost.flops),
                                            number(figures.bytes_per_second),
                                            number(figures.flops_per_second),
                                            number(figures.roofline_share),
                                            run.roofline ? shortest_text(run.roofline->bytes_per_second) : "",
                                            run.roofline ? shortest_text(run.roofline->flops_per_second) : "",
                                            launched(status.shape.block_x),
                                            launched(status.shape.block_y),
                                            launched(status.shape.registers_per_thread),
                                            launched(status.shape.shared_bytes),
                                            launched(status.shape.occupancy),
                                            launched(status.shape.local_bytes)};
    for (std::size_t c = 0; c < cells.size(); ++c) text += (c ? "," : "") + csv_field(cells[c]);
    text += "\n";
  }
  return text;
}

std::string sizes_as_csv(const SizeTimings& sizes, const RunStatus& run) {
  std::string text =
      "simulation,scene,kernel,backend,device,width,height,cells,seconds_per_step,seconds_per_cell,spread,"
      "bytes_per_cell,l1_bytes,l2_bytes,l3_bytes\n";
  const auto cache = [&](int level) {
    const auto found =
        std::find_if(sizes.caches.begin(), sizes.caches.end(), [&](const Cache& one) { return one.level == level; });
    return found == sizes.caches.end() ? std::string() : std::to_string(found->bytes);
  };
  for (const SizeTiming& timing : sizes.timings) {
    const std::vector<std::string> cells = {run.info->id,
                                            run.scene->setup.preset,
                                            run.info->kernels[timing.kernel].id,
                                            run.backend->id(),
                                            run.backend->device_name(),
                                            std::to_string(timing.size.width),
                                            std::to_string(timing.size.height),
                                            shortest_text(timing.cells),
                                            shortest_text(timing.seconds_per_step),
                                            shortest_text(timing.seconds_per_step / timing.cells),
                                            shortest_text(timing.spread),
                                            shortest_text(sizes.bytes_per_cell),
                                            cache(1),
                                            cache(2),
                                            cache(3)};
    for (std::size_t c = 0; c < cells.size(); ++c) text += (c ? "," : "") + csv_field(cells[c]);
    text += "\n";
  }
  return text;
}

}  // namespace perturb

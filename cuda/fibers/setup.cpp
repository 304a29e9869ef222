#include "cuda/fibers/setup.h"

#include <algorithm>

#include "cuda/core/simulation/setup.h"
#include "cuda/fibers/actions.h"
#include "cuda/fibers/kernels/stepper.h"
#include "cuda/fibers/model/flow.h"
#include "cuda/fibers/model/fluid.h"
#include "cuda/fibers/model/plan.h"
#include "cuda/fibers/model/state.h"
#include "cuda/fibers/view/picture.h"

namespace perturb::fibers {

namespace {

std::size_t run_bytes(int count, const Parameters& p, int tile, Kernel kernel, bool stored) {
  return Flow::bytes(count, p, tile, kernel, stored) + FiberState::bytes(count, p) + Stages::bytes(count) +
         Trail::bytes(p.trail, count) + Tracers::bytes(count, p.tracers) + FiberPicture::bytes(count, p) +
         (std::size_t{512} << 10);
}

// Memory of a run; with everything automatic, the minimum.
struct MemoryNeed {
  std::size_t bytes;
  bool matrix;  // fewer fibers, or no stored matrix, would reduce it
};
MemoryNeed need_of(const Backend& backend, const Parameters& p, int count) {
  const int tile = fiber_tile(backend);
  const std::size_t stored = run_bytes(count, p, tile, Kernel::stable, true);
  if (p.storage == Storage::stored) return {stored, true};
  const std::size_t recomputed = run_bytes(count, p, tile, Kernel::stable, false);
  if (p.storage == Storage::recomputed) return {recomputed, true};
  const std::size_t sums =
      std::max(run_bytes(count, p, tile, Kernel::nodes, false), run_bytes(count, p, tile, Kernel::levels, false));
  return {std::min({stored, recomputed, sums}), false};
}

}  // namespace

Parameters parameters_of(const Setup& setup) {
  const auto parameters = parameters_from<Parameters>(setup, parameter_table());
  check_fibers_parameters(parameters);
  return parameters;
}

int count_of(const Setup& setup) {
  const int count = setup.width == 0 ? default_fiber_count : setup.width;
  if (count < 1 || count > max_fibers)
    throw InputError("A run of {} fibers is not possible. Use a number (the first of size) from 1 to {}.", setup.width,
                     max_fibers);
  return count;
}

void require_fibers_memory(const Backend& backend, const Parameters& parameters, int count) {
  const MemoryNeed need = need_of(backend, parameters, count);
  require_memory(backend, need.bytes, Message("{} fibers need", count),
                 need.matrix
                     ? Message("Choose fewer fibers, single precision, or automatic storage of the interaction.")
                     : Message("Choose fewer fibers."));
}

std::size_t memory_needed(const Backend& backend, const Setup& setup) {
  const Parameters parameters = parameters_of(setup);
  const int count = count_of(setup);
  const std::size_t min_bytes = need_of(backend, parameters, count).bytes;
  const Plan plan = plan_fibers(backend, count, parameters, "auto", {backend.free_memory(), backend.total_memory()});
  return std::max(min_bytes, run_bytes(count, parameters, fiber_tile(backend), plan.kernel, plan.stored));
}

// A step of a cloud takes as long on two cores as on an H200 at 32 fibers, a seventh of it at 4, and half of it at 16.
bool faster_on_cpu(const Setup& setup) {
  constexpr int max_cpu_fibers = 24;
  return count_of(setup) <= max_cpu_fibers;
}

}  // namespace perturb::fibers

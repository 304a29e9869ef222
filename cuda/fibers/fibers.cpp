#include "cuda/fibers/fibers.h"

#include <algorithm>

#include "cuda/core/start.h"
#include "cuda/fibers/fibers_actions.h"
#include "cuda/fibers/fibers_run.h"
#include "cuda/fibers/fibers_studies.h"
#include "cuda/fibers/fibers_text.h"

namespace perturb {

namespace {

constexpr int default_fibers = 300;
// Velocities of the kernel `nodes` differ by 1e-8 from the others'. Clouds are chaotic: with steps of 0.5, as long as a
// fiber falls by half its length in, two dozen make up to 0.005 of it where two fibers meet.
constexpr double nodes_after_two_dozen_steps = 0.01;

FiberParameters parameters_of(const Setup& setup) {
  const auto parameters = parameters_from<FiberParameters>(setup, fiber_parameter_table());
  check_fiber_parameters(parameters);
  return parameters;
}

int fibers_of(const Setup& setup) {
  const int count = setup.width == 0 ? default_fibers : setup.width;
  if (count < 1 || count > most_fibers)
    throw InputError("A run of " + std::to_string(setup.width) +
                     " fibers cannot be made: their number, the first of size, is " + "from 1 to " +
                     std::to_string(most_fibers) + ".");
  return count;
}

// What a run takes: with everything automatic, the least that it can do with.
struct FiberNeed {
  std::size_t bytes;
  bool matrix;  // which fewer numbers, or none, would make smaller
};
FiberNeed need_of(const Backend& backend, const FiberParameters& p, int count) {
  const int tile = fiber_tile(backend);
  const std::size_t stored = fiber_run_bytes(count, p, tile, FiberKernel::stable, true);
  if (p.storage == FiberStorage::stored) return {stored, true};
  const std::size_t anew = fiber_run_bytes(count, p, tile, FiberKernel::stable, false);
  if (p.storage == FiberStorage::recomputed) return {anew, true};
  return {std::min({stored, anew, fiber_run_bytes(count, p, tile, FiberKernel::nodes, false)}), false};
}

std::unique_ptr<Simulation> create(Backend& backend, const Setup& setup) {
  const FiberParameters parameters = parameters_of(setup);
  const int count = fibers_of(setup);
  const FiberNeed need = need_of(backend, parameters, count);
  require_memory(backend, need.bytes, std::to_string(count) + " fibers need",
                 std::string("Choose fewer fibers") + (need.matrix ? ", precision fp32, or storage automatic." : "."));
  return std::make_unique<FiberRun>(backend, setup, parameters, count);
}

// What the plan for this setup takes; while it is not measured which way is the faster one, the larger of both.
std::size_t memory_needed(const Backend& backend, const Setup& setup) {
  const FiberParameters parameters = parameters_of(setup);
  const int count = fibers_of(setup);
  const std::size_t least = need_of(backend, parameters, count).bytes;
  const auto bytes_at = [&](FiberRates rates) {
    const FiberPlan plan = plan_fibers(backend, count, parameters, "auto", backend.free_memory(), rates);
    return std::max(least, fiber_run_bytes(count, parameters, fiber_tile(backend), plan.kernel, plan.stored));
  };
  if (!fiber_plan_is_close(backend, count, parameters)) return bytes_at({});
  if (const auto known = known_fiber_rates(backend, parameters)) return bytes_at(*known);
  return std::max(bytes_at({.closed = 0, .nodes = 1}), bytes_at({.closed = 1, .nodes = 0}));
}

}  // namespace

const SimulationInfo& fibers_simulation() {
  static const SimulationInfo info = [] {
    SimulationInfo i;
    i.id = "fibers";
    i.title = "Falling fibers";
    i.summary = "Rigid slender fibers sink in a viscous fluid, each in the flow of all others.";
    i.source =
        "Eriksson, GPU-Parallel simulation of rigid fibers in Stokes flow, Uppsala University, IT 14 029 (2014); "
        "Tornberg & Gustavsson, J. Comput. Phys. 215 (2006) 172-196";
    i.equation = "d (v + s w) = [d (I + t t) + 2 (I - t t)] f + (I + t t) K[f] + Σ ∫ G f ds";
    i.default_width = default_fibers, i.default_height = 1;
    i.parameters.assign(fiber_parameter_table().begin(), fiber_parameter_table().end());
    i.actions = fiber_action_kinds();
    i.tools = fiber_tools();
    // In the order of FiberShown.
    i.quantities = {
        {"speed", "Speed", "length/time", 0, 12, "viridis", false},
        {"fall", "Fall against the mean", "length/time", -4, 4, "balance", true},
        {"orientation", "Upright |t_z|", "", 0, 1, "cividis", false},
        {"index", "Order of birth", "", 0, 1000, "viridis", false},
        {"length", "Length over the mean", "", 0, 2, "viridis", false},
    };
    i.kernels = {
        {"stable", "Stable",
         "Closed-form inner integrals from starts that do not cancel: safe in single precision too.", true, true, 1},
        {"recursion", "Recursion",
         "The source's: closed forms that cancel near a fiber's extension, forward and backward recursions. In single "
         "precision its velocities are wrong by a percent or so in dense clouds (bench fibers --accuracy).",
         true, true, 1},
        {"nodes", "Nodes",
         "No matrix: forces at 16 points of each fiber, and sums over all points of all fibers in every iteration; "
         "pairs that are close keep their closed form. The other pairs' integrals are right to a millionth.",
         true, true, 1, nodes_after_two_dozen_steps},
    };
    i.create = create, i.verify = fiber_verify, i.memory_needed = memory_needed;
    i.text.help = "headings, then a line a fiber: time,fiber,x,y,z,tx,ty,tz,half_length";
    i.text.read = fibers_read_text, i.text.write = fibers_write_text;
    i.orbits = true, i.studies = fiber_studies();
    return i;
  }();
  return info;
}

}  // namespace perturb

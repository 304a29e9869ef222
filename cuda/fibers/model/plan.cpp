#include "cuda/fibers/model/plan.h"

#include <algorithm>

#include "cuda/core/backend/peak_rates.h"
#include "cuda/core/simulation/format.h"
#include "cuda/core/simulation/simulation.h"
#include "cuda/fibers/fibers.h"
#include "cuda/fibers/model/flow.h"
#include "cuda/fibers/model/interaction.h"
#include "cuda/fibers/model/levels.h"
#include "cuda/fibers/model/nodes.h"

namespace perturb::fibers {

namespace {

// Of the kernel `nodes`, per fiber, in a ball as dense as the paper's: pairs that get closed forms, and pairs that need
// all nodes. Farther ones need half as many.
constexpr double typical_close_pairs = 4, typical_near_pairs = 60;
// Of the kernel `levels`: evaluations of a fiber with its partners in near lists, and the share of a far pair's cost
// that single precision leaves.
constexpr double typical_near_evaluations = 7000, single_share = 0.5;

}  // namespace

Work fiber_work(int fibers, const Parameters& p, Kernel kernel, bool stored, double passes) {
  const double real = p.precision == Precision::fp32 ? 4 : 8, count = fibers;
  // A far pair's closed form, counted in model/cell.h (near ones cost about the same), and its
  // sums over the outer points.
  const int n = fiber_order(p.terms) + 1;
  const double points = p.subintervals * p.points_per_subinterval;
  const double pairs = 0.5 * count * (count - 1) * (p.pairing == Pairing::both ? 2 : 1);
  const double inner = 28 * 17 + n * (n + 2) * 4 + n * tensor * 5 + 60, outer = 2.0 * tensor * n * n;
  const double once = points * (inner + outer), product = 4 * 9 * (n - 1) * (n - 1);
  if (kernel == Kernel::nodes) {
    const double nodes = count * p.node_points, close = std::min(pairs, typical_close_pairs * count);
    const double near = std::min(typical_near_pairs, count), far_share = p.node_points / 2 > n ? 0.25 : 1;
    const double evaluations = nodes * p.node_points * (near + far_share * (count - near));
    return {passes * evaluations * node_flops + close * once, passes * nodes * 12 * real};
  }
  if (kernel == Kernel::levels) {
    const double near = std::min(typical_near_evaluations, count * p.node_points * p.node_points / 4);
    const int far =
        far_points_of(p.node_points, fibers).empty() ? p.node_points : far_points_of(p.node_points, fibers).back();
    const double share = p.precision == Precision::fp32 ? 1 : single_share;
    const double evaluations = count * (near + share * far * far * count),
                 close = std::min(pairs, typical_close_pairs * count);
    return {passes * evaluations * node_flops + close * once, passes * count * p.node_points * 12 * real};
  }
  const double matrix = tensor * real * n * n, read = tensor * real * (n - 1) * (n - 1);
  if (stored) return {pairs * (once + passes * product), pairs * (matrix + passes * read)};
  return {pairs * passes * (once + product), pairs * passes * 2 * matrix};
}

Rates typical_fiber_rates(const Backend& backend, const Parameters& p) {
  const bool fp32 = p.precision == Precision::fp32;
  // Closed forms: measured on an H200 with 1000 to 10 000 fibers, and on two cores of an EPYC with a small cloud. Sums
  // over nodes: so that the ratio is the one measured with 1000 to 10 000 fibers on an H200, and with 300 and 1000 on
  // two cores of a Xeon with AVX-512. Levels: measured with 100 to 1000 fibers on one core of an EPYC with AVX-512; on
  // an H200 so that they begin where they are faster than a matrix, between 1000 and 3000 fibers.
  if (backend.is_cuda()) return fp32 ? Rates{2, 3.3, 5.2} : Rates{1.5, 2.5, 6.5};
  return fp32 ? Rates{23, 35, 38} : Rates{9.3, 11, 15.5};
}

double seconds_by_specification(const Backend& backend, int fibers, const Parameters& p, Kernel kernel, bool stored) {
  const PeakRates peak = peak_rates(backend);
  // More threads than memory bandwidth serves would shift the balance between arithmetic and traffic, and so the
  // choice: all count as if memory served them.
  constexpr double served = 8;
  const double beyond = backend.is_cuda() ? 1 : std::max(1.0, backend.threads() / served);
  const double rate = std::max(1.0, p.precision == Precision::fp32 ? peak.fp32 : peak.fp64);
  const Work work = fiber_work(fibers, p, kernel, stored, typical_fiber_passes);
  return work.flops / rate + work.bytes / std::max(1.0, peak.bytes_per_second * beyond);
}

namespace {

constexpr double usable_share = 0.75;  // of free memory: other programs and later allocations need some
constexpr double worth_it = 0.7;       // sums over nodes must cost less than this share, because they are a little less
                                       // exact

}  // namespace

const std::string& id_of(Kernel kernel) {
  return fibers_simulation().kernels[kernel_index_of(fibers_simulation(), kernel)].id;
}

Kernel fiber_kernel_of(const std::string& id) {
  return kernel_of<Kernel>(fibers_simulation(), kernel_index(fibers_simulation(), id));
}

Plan plan_fibers(const Backend& backend, int fibers, const Parameters& p, const std::string& kernel, DeviceMemory room,
                 Rates rates) {
  const int tile = fiber_tile(backend);
  const bool automatic = kernel == "auto";
  Plan plan;
  if (!automatic) plan.kernel = fiber_kernel_of(kernel);
  const std::size_t whole = Flow::bytes(fibers, p, tile, Kernel::stable, true);
  const auto holds = [](std::size_t memory, std::size_t bytes) {
    return static_cast<double>(bytes) <= usable_share * static_cast<double>(memory);
  };
  const auto stored_in = [&](std::size_t memory) {
    return p.storage == Storage::stored || (p.storage == Storage::automatic && holds(memory, whole));
  };
  const bool fits = holds(room.free, whole);
  plan.stored = stored_in(room.free);

  // As on a device whose total memory is free: other programs' current use must not affect the result.
  const bool may_store = stored_in(room.total);
  const double closed = rates.closed * seconds_by_specification(backend, fibers, p, Kernel::stable, may_store);
  const double of_nodes = rates.nodes * seconds_by_specification(backend, fibers, p, Kernel::nodes, may_store),
               of_levels = rates.levels * seconds_by_specification(backend, fibers, p, Kernel::levels, may_store);
  const Kernel sums = of_levels < of_nodes ? Kernel::levels : Kernel::nodes;
  const double nodes = std::min(of_nodes, of_levels);
  // A user who sets the storage of the matrix requests a matrix.
  if (automatic && p.storage == Storage::automatic) {
    // Recomputation needs memory too: partial sums of all pairs of tiles.
    const std::size_t recomputed = Flow::bytes(fibers, p, tile, Kernel::stable, false);
    if ((!plan.stored && !holds(room.free, recomputed)) || nodes < worth_it * closed) plan.kernel = sums;
  }

  const bool without = sums_over_nodes(plan.kernel);
  const std::string matrix = format_bytes(whole), available = format_bytes(room.free);
  const std::string& name = id_of(plan.kernel);
  Message chosen;
  if (without)
    chosen = fits ? Message("{}, sums without a matrix", name)
                  : Message("{}, sums without a matrix (it would take {}, and {} are free)", name, matrix, available);
  else if (plan.stored)
    chosen = Message("{}, matrix stored ({} of {} free)", name, matrix, available);
  else
    chosen = fits ? Message("{}, matrix recomputed in every iteration", name)
                  : Message("{}, matrix recomputed in every iteration (it would take {}, and {} are free)", name,
                            matrix, available);
  plan.words = Message("Chosen: {}.", chosen);
  if (automatic) plan.words = Message("Automatic: {}.", chosen);
  if (automatic && closed > 0)  // a lone fiber has no pairs
    plan.words = plan.words +
                 Message(
                     "By the device's specification sums over nodes take {} times as long as closed forms. They are "
                     "used below {}, because they are a little less exact.",
                     format_number(nodes / closed, 2), format_number(worth_it, 2));
  return plan;
}

Plan plan_fibers(const Backend& backend, int fibers, const Parameters& p, const std::string& kernel,
                 DeviceMemory room) {
  return plan_fibers(backend, fibers, p, kernel, room, typical_fiber_rates(backend, p));
}

}  // namespace perturb::fibers

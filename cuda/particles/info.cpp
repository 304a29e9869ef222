// Static description of the simulation, and the parameters of a setup.
#include <cmath>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/format.h"
#include "cuda/core/simulation/setup.h"
#include "cuda/particles/actions.h"
#include "cuda/particles/parameters.h"
#include "cuda/particles/particles.h"
#include "cuda/particles/state/text.h"

namespace perturb::particles {

SimulationInfo particles_info() {
  SimulationInfo info;
  info.id = "particles";
  info.title = "Colliding discs";
  info.summary = "Elastic discs in a box: gases, mixing, Brownian motion, a break, a piston, heat and a shock.";
  info.paper_page = "discs";
  info.timed_preset = "gas";
  info.paper = "Loo & Lee, Discrete Particle Simulation with CUDA, CS3210 (2019)";
  info.equation = "|d + w t| = r₁ + r₂";
  info.default_width = info.default_height = 32;
  info.parameters.assign(parameter_table().begin(), parameter_table().end());
  info.actions = action_kinds();
  info.tools = tools();
  // In the order of Shown.
  info.quantities = {
      {.id = "speed", .label = "Speed", .unit = "length/time", .maximum = 2, .colormap = "viridis"},
      {.id = "id", .label = "Disc number, as a fraction of all", .unit = "", .colormap = "viridis"},
      {.id = "collisions", .label = "Collisions so far", .unit = "", .maximum = 100, .colormap = "inferno"},
      {.id = "density", .label = "Local area fraction", .unit = "", .colormap = "viridis"},
      {.id = "origin", .label = "From the left (1) or the right (0)", .unit = "", .colormap = "balance"},
      {.id = "mass", .label = "Mass", .unit = "mass", .maximum = 4, .colormap = "viridis"},
  };
  info.kernels = {
      {.id = "grid",
       .title = "Grid",
       .idea = "Sorts discs into cells of space (and of time, if they are fast) and searches nine cells for "
               "neighbours. The filter runs in parallel rounds, bit-identical to the sequential filter. The best "
               "number of time slices is measured.",
       .steps_per_pass = 1},
      {.id = "all-pairs",
       .title = "All pairs",
       .idea = "As in the paper: walls, then all pairs over a folded triangle with one atomic counter. Sorting and "
               "filtering on the host. Blocks of 32 threads. With exact collisions: one cell, which is the box.",
       .steps_per_pass = 1},
      {.id = "all-pairs-64",
       .title = "All pairs, 64",
       .idea = "As all pairs, with blocks of 64 threads.",
       .on_cpu = false,
       .steps_per_pass = 1},
      {.id = "all-pairs-96",
       .title = "All pairs, 96",
       .idea = "As all pairs, with blocks of 96 threads.",
       .on_cpu = false,
       .steps_per_pass = 1},
      {.id = "all-pairs-128",
       .title = "All pairs, 128",
       .idea = "As all pairs, with blocks of 128 threads.",
       .on_cpu = false,
       .steps_per_pass = 1},
      {.id = "all-pairs-192",
       .title = "All pairs, 192",
       .idea = "As all pairs, with blocks of 192 threads.",
       .on_cpu = false,
       .steps_per_pass = 1},
      {.id = "all-pairs-256",
       .title = "All pairs, 256",
       .idea = "As all pairs, with blocks of 256 threads.",
       .on_cpu = false,
       .steps_per_pass = 1},
      {.id = "all-pairs-l1",
       .title = "All pairs, cache",
       .idea = "As all pairs, with fast memory as cache rather than shared.",
       .on_cpu = false,
       .steps_per_pass = 1},
      {.id = "all-pairs-rows",
       .title = "All pairs, rows",
       .idea = "As all pairs, with a block of 32 threads for each row of the triangle of pairs, long or short. The "
               "paper considers this version before folding the triangle.",
       .on_cpu = false,
       .steps_per_pass = 1},
  };
  static const TextFormat text{"N L r S, then a line a disc: id x y vx vy", read_text, write_text};
  info.text = &text;
  return info;
}

Parameters parameters_of(const Setup& setup) {
  Parameters p = parameters_from<Parameters>(setup, parameter_table());
  if ((p.slow_factor & (p.slow_factor - 1)) != 0)
    throw InputError("{} is {}; it must be a power of two: 1, 2, 4, ... 1024.", parameter_name("slow_factor"),
                     p.slow_factor);
  if (p.contraction && p.collisions == Collisions::exact)
    throw InputError("{} works only with one collision per step. Switch it off, or set {} to {}.",
                     parameter_name("contraction"), parameter_name("collisions"),
                     Message::parameter("one", "One per step"));
  require_rule_for(p);
  if (setup.width > 0 && setup.height > 0) {
    const double wanted = static_cast<double>(setup.width) * setup.height;
    if (wanted > max_discs)
      throw InputError("A size of {} x {} needs more than the allowed {} discs. Choose a smaller size.", setup.width,
                       setup.height, max_discs);
    if (wanted != p.count) {
      p.box *= std::sqrt(wanted / p.count);
      p.count = static_cast<int>(wanted);
      const ParameterSet table(parameter_table(), nullptr);
      if (const Parameter& box = table.find("box"); p.box > box.maximum)
        throw InputError(
            "A size of {} x {} makes the box {} wide, and at most {} is allowed. Choose a smaller size or a smaller "
            "box.",
            setup.width, setup.height, with_unit(format_number(p.box), box.unit),
            with_unit(format_number(box.maximum), box.unit));
    }
  }
  return p;
}

}  // namespace perturb::particles

// Static description of the fibers: read by menus, `list`, `bench` and the contract tests.
#include "cuda/fibers/actions.h"
#include "cuda/fibers/fibers.h"
#include "cuda/fibers/model/interaction.h"
#include "cuda/fibers/parameters.h"
#include "cuda/fibers/setup.h"
#include "cuda/fibers/state/text.h"

namespace perturb::fibers {

namespace {

// Velocities of the kernel `nodes` differ by 1e-8 from the others', and those of `levels` by 4e-8. Clouds are chaotic:
// with steps of 0.5, the time in which a fiber falls by half its length, two dozen steps make up to 0.005 of 1e-8 if
// two fibers meet.
constexpr double nodes_after_two_dozen_steps = 0.01, levels_after_two_dozen_steps = 0.04;

}  // namespace

const SimulationInfo& fibers_simulation() {
  static const SimulationInfo info = [] {
    SimulationInfo i;
    i.id = "fibers";
    i.title = "Falling fibers";
    i.summary = "Rigid slender fibers sink in a viscous fluid. Each is carried by the flow of all others.";
    i.paper_page = "fibers";
    i.paper =
        "Eriksson, GPU-Parallel simulation of rigid fibers in Stokes flow, Uppsala University, IT 14 029 (2014); "
        "Tornberg & Gustavsson, J. Comput. Phys. 215 (2006) 172-196";
    i.equation = "d (v + s w) = [d (I + t t) + 2 (I - t t)] f + (I + t t) K[f] + Σ ∫ G f ds";
    i.default_width = default_fiber_count;
    i.default_height = 1;
    i.parameters.assign(parameter_table().begin(), parameter_table().end());
    i.actions = action_kinds();
    i.tools = tools();
    // In the order of Shown.
    i.quantities = {
        {.id = "speed", .label = "Speed", .unit = "length/time", .maximum = 12, .colormap = "viridis"},
        {.id = "fall",
         .label = "Fall relative to the mean",
         .unit = "length/time",
         .minimum = -4,
         .maximum = 4,
         .colormap = "balance",
         .is_signed = true},
        {.id = "orientation", .label = "Upright |t_z|", .unit = "", .colormap = "cividis"},
        {.id = "index", .label = "Fiber number", .unit = "", .maximum = 1000, .colormap = "viridis"},
        {.id = "length", .label = "Length relative to the mean", .unit = "", .maximum = 2, .colormap = "viridis"},
    };
    i.kernels = {
        {.id = "stable",
         .title = "Stable",
         .idea =
             "Closed-form inner integrals from initial values without cancellation; accurate in single precision too.",
         .name = Kernel::stable},
        {.id = "recursion",
         .title = "Recursion",
         .idea = "As in the paper: closed forms with cancellation near the extension of a fiber, forward and backward "
                 "recursions. In single precision, velocities in dense clouds are off by about one percent (bench "
                 "fibers --accuracy).",
         .name = Kernel::recursion},
        {.id = "nodes",
         .title = "Nodes",
         .idea =
             "No matrix: forces at 16 points of each fiber, or at fewer for fibers far away, and sums over all of them "
             "in "
             "every iteration. Close pairs keep their closed form. The integrals of the other pairs are accurate to a "
             "millionth.",
         .name = Kernel::nodes,
         .stated_error = nodes_after_two_dozen_steps},
        {.id = "levels",
         .title = "Levels",
         .idea = "Nodes, and the fewer of them the farther two fibers are apart: 16, 12 or 8 points of near ones, 6 or "
                 "4 of far ones, whose sums are in single precision. Velocities are accurate to a millionth of the "
                 "largest.",
         .name = Kernel::levels,
         .stated_error = levels_after_two_dozen_steps},
    };
    i.create = create;
    i.verify = verify;
    i.memory_needed = memory_needed;
    i.faster_on_cpu = faster_on_cpu;
    static const TextFormat text{"headings, then a line a fiber: time,fiber,x,y,z,tx,ty,tz,half_length", read_text,
                                 write_text};
    i.text = &text;
    i.orbits = true;
    return i;
  }();
  return info;
}

}  // namespace perturb::fibers

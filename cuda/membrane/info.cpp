// Static facts of the membrane for menus, `list`, `bench` and the contract tests.
#include "cuda/membrane/actions.h"
#include "cuda/membrane/membrane.h"

namespace perturb::membrane {

const SimulationInfo& membrane_simulation() {
  static const SimulationInfo info = [] {
    SimulationInfo i;
    i.id = "membrane";
    i.title = "Membrane";
    i.summary = "A membrane under a load, or driven until it sings: a meshfree method assembled and solved live.";
    i.paper =
        "Kanis, GPU-based Assembly of Stiffness Matrices in the Parallel Multilevel Partition of Unity Method, "
        "Studienarbeit 2358, Stuttgart (2012)";
    i.equation = "-div(grad u) + (sigma - k²) u = f";
    i.default_width = i.default_height = 256;
    i.parameters.assign(parameter_table().begin(), parameter_table().end());
    i.actions = action_kinds();
    i.tools = tools();
    // In the order of Shown.
    i.quantities = {
        {"displacement", "Displacement u, as it moves", "height", -0.01, 0.01, "balance", true, false, true},
        {"amplitude", "Amplitude |u|", "height", 0, 0.01, "magma", false, false, true},
        {"sand", "Sand, where it comes to rest", "", 0, 1, "grey", false},
        {"load", "Load f", "height/length²", -1, 1, "balance", true, false, true},
        {"error", "Error |u - u0|, where u0 is known", "height", 0, 0.001, "viridis", false, false, true},
        {"patch_error", "Error by patch (root mean square)", "height", 0, 0.001, "viridis", false, false, true},
        {"over", "Patches over a place", "", 0, 6, "viridis", false, false, true},
        {"degree", "Local degree p", "", 0, 6, "viridis", false, false, true},
        {"sparsity", "Sparsity pattern of the matrices", "", 0, 1, "grey", false},
    };
    i.timed_preset = "drum";  // under a constant load the solution is already there
    i.kernels = {
        {"rows", "Row of blocks",
         "A patch at a time gathers all that its rows of the matrices hold from the cells under it: any cover, nothing "
         "is written by two.",
         true, true, 1},
        {"cells", "Cell per thread",
         "The paper's: the host schedules cells by their number of patches, a thread loops over the points of its "
         "cell and adds to the blocks of all its patches. Uniform covers; others take rows.",
         true, true, 1},
        {"tensor", "Tensor",
         "Weights, polynomials and rules factor by direction, and so do the integrals: blocks are products of two "
         "small tables, written once. Uniform covers; others take rows.",
         true, true, 1},
    };
    i.create = create;
    i.verify = verify;
    i.memory_needed = memory_needed;
    return i;
  }();
  return info;
}

}  // namespace perturb::membrane

// Static facts of the membrane for menus, `list`, `bench` and the contract tests.
#include "cuda/membrane/actions.h"
#include "cuda/membrane/membrane.h"

namespace perturb::membrane {

const SimulationInfo& membrane_simulation() {
  static const SimulationInfo info = [] {
    SimulationInfo i;
    i.id = "membrane";
    i.title = "Membrane";
    i.summary = "A membrane under a load, struck, or driven at resonance, solved live with a meshfree method.";
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
        {"displacement", "Displacement u, moving", "height", -0.01, 0.01, "balance", true, false, true},
        {"amplitude", "Amplitude |u|", "height", 0, 0.01, "magma", false, false, true},
        {"sand", "Sand on the nodal lines", "", 0, 1, "grey", false},
        {"load", "Load f", "height/length²", -1, 1, "balance", true, false, true},
        {"error", "Error |u - u0|, where u0 is known", "height", 0, 0.001, "viridis", false, false, true},
        {"patch_error", "Error by patch (root mean square)", "height", 0, 0.001, "viridis", false, false, true},
        {"over", "Patches over a point", "", 0, 6, "viridis", false, false, true},
        {"degree", "Local degree p", "", 0, 6, "viridis", false, false, true},
        {"sparsity", "Sparsity pattern of the matrices", "", 0, 1, "grey", false},
    };
    i.timed_preset = "drum";  // under a constant load the solution is already there
    i.kernels = {
        {"rows", "Row of blocks",
         "Each patch gathers its rows of the matrices from the cells under it. Works for any cover; no entry is "
         "written twice.",
         true, true, 1},
        {"cells", "Cell per thread",
         "As in the paper: the host schedules cells by their number of patches, and a thread loops over the points of "
         "its cell and adds to the blocks of all its patches. Uniform covers only; other covers use rows.",
         true, true, 1},
        {"tensor", "Tensor",
         "Weights, polynomials, quadrature rules and integrals factor by direction, so blocks are products of two "
         "small tables, written once. Uniform covers only; other covers use rows.",
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

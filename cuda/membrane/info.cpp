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
    i.paper_page = "membrane";
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
        {.id = "displacement",
         .label = "Displacement u(t)",
         .unit = "height",
         .minimum = -0.01,
         .maximum = 0.01,
         .colormap = "balance",
         .is_signed = true,
         .can_overlay = true},
        {.id = "amplitude",
         .label = "Amplitude |u|",
         .unit = "height",
         .maximum = 0.01,
         .colormap = "magma",
         .can_overlay = true},
        {.id = "sand", .label = "Sand on the nodal lines", .unit = "", .colormap = "grey"},
        {.id = "load",
         .label = "Load f",
         .unit = "height/length²",
         .minimum = -1,
         .colormap = "balance",
         .is_signed = true,
         .can_overlay = true},
        {.id = "error",
         .label = "Error |u - u0| for known u0",
         .unit = "height",
         .maximum = 0.001,
         .colormap = "viridis",
         .can_overlay = true},
        {.id = "patch_error",
         .label = "Error by patch (root mean square)",
         .unit = "height",
         .maximum = 0.001,
         .colormap = "viridis",
         .can_overlay = true},
        {.id = "over",
         .label = "Patches over a point",
         .unit = "",
         .maximum = 6,
         .colormap = "viridis",
         .can_overlay = true},
        {.id = "degree",
         .label = "Local degree p",
         .unit = "",
         .maximum = 6,
         .colormap = "viridis",
         .can_overlay = true},
        {.id = "sparsity", .label = "Sparsity pattern of the matrices", .unit = "", .colormap = "grey"},
    };
    i.timed_preset = "drum";  // under a constant load the solution is already there
    i.kernels = {
        {.id = "rows",
         .title = "Row of blocks",
         .idea = "Each patch gathers its rows of the matrices from the cells under it. Works for any cover; no entry "
                 "is written twice.",
         .steps_per_pass = 1},
        {.id = "cells",
         .title = "Cell per thread",
         .idea =
             "As in the paper: the host schedules cells by their number of patches, and a thread loops over the points "
             "of its cell and adds to the blocks of all its patches. Uniform covers only; other covers use rows.",
         .steps_per_pass = 1},
        {.id = "tensor",
         .title = "Tensor",
         .idea = "Weights, polynomials, quadrature rules and integrals factor by direction, so blocks are products of "
                 "two small tables, written once. Uniform covers only; other covers use rows.",
         .steps_per_pass = 1},
    };
    i.create = create;
    i.verify = verify;
    i.memory_needed = memory_needed;
    return i;
  }();
  return info;
}

}  // namespace perturb::membrane

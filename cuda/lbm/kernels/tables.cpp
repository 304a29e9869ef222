#include "cuda/lbm/kernels/tables.h"

#include "cuda/core/simulation/simulation.h"
#include "cuda/lbm/kernels/kernels.h"
#include "cuda/lbm/lbm.h"

namespace perturb::lbm {

Shown shown_quantity(const std::string& id) { return static_cast<Shown>(quantity_index(lbm_simulation(), id)); }

const std::vector<Quantity>& lbm_quantities() {
  static const std::vector<Quantity> quantities = {
      {.id = "speed",
       .label = "Speed",
       .unit = "cell/step",
       .minimum = 0,
       .maximum = 0.15,
       .colormap = "inferno",
       .can_overlay = true},
      {.id = "vorticity",
       .label = "Vorticity",
       .unit = "1/step",
       .minimum = -0.02,
       .maximum = 0.02,
       .colormap = "balance",
       .is_signed = true,
       .can_overlay = true},
      {.id = "density",
       .label = "Density",
       .unit = "",
       .minimum = 0.98,
       .maximum = 1.02,
       .colormap = "viridis",
       .can_overlay = true},
      {.id = "dye", .label = "Dye", .unit = "", .minimum = 0, .maximum = 1, .colormap = "magma", .can_overlay = true},
      {.id = "velocity_x",
       .label = "Velocity to the right",
       .unit = "cell/step",
       .minimum = -0.15,
       .maximum = 0.15,
       .colormap = "balance",
       .is_signed = true,
       .can_overlay = true},
      {.id = "velocity_y",
       .label = "Velocity upwards",
       .unit = "cell/step",
       .minimum = -0.15,
       .maximum = 0.15,
       .colormap = "balance",
       .is_signed = true,
       .can_overlay = true},
  };
  return quantities;
}

const std::vector<KernelVariant>& kernel_variants() {
  static const std::vector<KernelVariant> kernels = {
      {.id = "fused",
       .title = "Fused",
       .idea = "Streaming and collision in one kernel, populations in nine planes, four cells per thread. On the CPU: "
               "whole rows with vector instructions.",
       .on_cpu = true,
       .on_cuda = true,
       .steps_per_pass = 1,
       .name = Kernel::fused},
      {.id = "unsplit",
       .title = "Unsplit",
       .idea = "After the paper's first version: a boundary kernel with one loop over rows and columns, then a kernel "
               "that branches on solid or fluid.",
       .on_cpu = false,
       .on_cuda = true,
       .steps_per_pass = 1,
       .name = Kernel::unsplit},
      {.id = "split",
       .title = "Split",
       .idea = "After the paper's final version: the boundary loop split in two, and each branch of the second kernel "
               "in its own kernel.",
       .on_cpu = false,
       .on_cuda = true,
       .steps_per_pass = 1,
       .name = Kernel::split},
      {.id = "half",
       .title = "Half",
       .idea = "Populations stored in 16 bits, scaled and shifted by their weights, computed in FP32: half the bytes.",
       .on_cpu = true,
       .on_cuda = true,
       .steps_per_pass = 1,
       .name = Kernel::half,
       .stated_error = 2e-3},
      {.id = "in-place",
       .title = "In place",
       .idea = "One copy of the populations (AA pattern): odd steps read where even ones wrote.",
       .on_cpu = true,
       .on_cuda = true,
       .steps_per_pass = 2,
       .name = Kernel::in_place},
      {.id = "temporal",
       .title = "Temporal",
       .idea = "Several steps per pass over memory. CUDA: a warp streams upwards and keeps only nine numbers per cell "
               "between two time levels, or a block steps a tile in shared memory. CPU: rows stay in the cache for up "
               "to eight steps.",
       .on_cpu = true,
       .on_cuda = true,
       .steps_per_pass = 6,
       .name = Kernel::temporal},
  };
  return kernels;
}

}  // namespace perturb::lbm

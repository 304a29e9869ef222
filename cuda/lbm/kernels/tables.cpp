#include "cuda/lbm/kernels/tables.h"

#include "cuda/core/simulation/simulation.h"
#include "cuda/lbm/kernels/kernels.h"
#include "cuda/lbm/lbm.h"

namespace perturb::lbm {

Shown shown_quantity(const std::string& id) { return static_cast<Shown>(quantity_index(lbm_simulation(), id)); }

const std::vector<Quantity>& lbm_quantities() {
  static const std::vector<Quantity> quantities = {
      {"speed", "Speed", "cell/step", 0, 0.15, "inferno", false, false, true},
      {"vorticity", "Vorticity", "1/step", -0.02, 0.02, "balance", true, false, true},
      {"density", "Density", "", 0.98, 1.02, "viridis", false, false, true},
      {"dye", "Dye", "", 0, 1, "magma", false, false, true},
      {"velocity_x", "Velocity to the right", "cell/step", -0.15, 0.15, "balance", true, false, true},
      {"velocity_y", "Velocity upwards", "cell/step", -0.15, 0.15, "balance", true, false, true},
  };
  return quantities;
}

const std::vector<KernelVariant>& kernel_variants() {
  static const std::vector<KernelVariant> kernels = {
      {"fused", "Fused",
       "Streaming and collision in one kernel, populations in nine planes, four cells per thread. On the CPU: whole "
       "rows with vector instructions.",
       true, true, 1, Kernel::fused},
      {"unsplit", "Unsplit",
       "After the paper's first version: a boundary kernel with one loop over rows and columns, then a kernel that "
       "branches on solid or fluid.",
       false, true, 1, Kernel::unsplit},
      {"split", "Split",
       "After the paper's final version: the boundary loop split in two, and each branch of the second kernel in its "
       "own kernel.",
       false, true, 1, Kernel::split},
      {"half", "Half",
       "Populations stored in 16 bits, scaled and shifted by their weights, computed in FP32: half the bytes.", true,
       true, 1, Kernel::half, 2e-3},
      {"in-place", "In place", "One copy of the populations (AA pattern): odd steps read where even ones wrote.", true,
       true, 2, Kernel::in_place},
      {"temporal", "Temporal",
       "Several steps per pass over memory. CUDA: a warp streams upwards and keeps only nine numbers per cell between "
       "two time levels, or a block steps a tile in shared memory. CPU: rows stay in the cache for up to eight steps.",
       true, true, 6, Kernel::temporal},
  };
  return kernels;
}

}  // namespace perturb::lbm

// Static facts of the wave tank, for menus, `list`, `bench` and the contract tests.
#include "cuda/wave/actions.h"
#include "cuda/wave/kernels/kernels.h"
#include "cuda/wave/model/step_params.h"
#include "cuda/wave/parameters.h"
#include "cuda/wave/wave.h"

namespace perturb::wave {

const SimulationInfo& wave_simulation() {
  static const SimulationInfo info = [] {
    SimulationInfo i;
    i.id = "wave";
    i.title = "Wave tank";
    i.summary = "Droplets, slits, lenses and moving sources on a tank of water.";
    i.paper = "Alesiani, GPGPU on Accelerating Wave PDE, CodeProject (2012)";
    i.equation = "u_tt + k u_t = c² (u_xx + u_yy)";
    i.default_width = i.default_height = 512;
    i.parameters.assign(parameter_table().begin(), parameter_table().end());
    i.actions = action_kinds();
    i.tools = tools();
    // In the order of Shown.
    i.quantities = {
        {"height", "Height u", "height", -0.05, 0.05, "balance", true, false, true},
        {"velocity", "Velocity u_t", "height/time", -0.02, 0.02, "balance", true, false, true},
        {"water", "Water, lit by slope", "height/length", -0.02, 0.02, "water", true},
        {"speed", "Speed map", "c", 0, 1.5, "viridis", false, false, true},
        {"intensity", "Mean intensity <u²>", "height²", 0, 0.002, "inferno", false, false, true},
        {"surface", "Surface in space", "height", -0.05, 0.05, "water", true, true},
    };
    i.kernels = {
        {"fused", "Fused",
         "One pass over memory per step, one thread per cell. On the CPU: whole rows with vector instructions, in "
         "place.",
         true, true, 1, Kernel::fused},
        {"vectorised", "Vectorised",
         "Four cells per thread, 16 bytes per access: fewer instructions for the same bytes.", false, true, 1,
         Kernel::vectorised},
        {"temporal", "Temporal",
         "Several steps per pass over memory. CUDA: a warp streams through a strip of columns and keeps the time "
         "levels in registers; five-point stencil only. CPU: a thread moves up its rows as a wavefront that stays in "
         "the cache.",
         true, true, max_wave_steps_per_pass, Kernel::temporal},
        {"convolution", "Convolution",
         "After the paper's last CUDA version: small blocks with a halo in shared memory. Per step one convolution "
         "kernel (the paper has three), two sums and two copies.",
         false, true, 1, Kernel::convolution},
    };
    i.create = create;
    i.verify = verify;
    i.memory_needed = memory_needed;
    return i;
  }();
  return info;
}

}  // namespace perturb::wave

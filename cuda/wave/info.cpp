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
    i.paper_page = "wave";
    i.paper = "Alesiani, GPGPU on Accelerating Wave PDE, CodeProject (2012)";
    i.equation = "u_tt + k u_t = c² (u_xx + u_yy)";
    i.default_width = i.default_height = 512;
    i.parameters.assign(parameter_table().begin(), parameter_table().end());
    i.actions = action_kinds();
    i.tools = tools();
    // In the order of Shown.
    i.quantities = {
        {.id = "height",
         .label = "Height",
         .unit = "height",
         .minimum = -0.05,
         .maximum = 0.05,
         .colormap = "balance",
         .is_signed = true,
         .can_overlay = true},
        {.id = "velocity",
         .label = "Velocity u_t",
         .unit = "height/time",
         .minimum = -0.02,
         .maximum = 0.02,
         .colormap = "balance",
         .is_signed = true,
         .can_overlay = true},
        {.id = "water",
         .label = "Water, lit by slope",
         .unit = "height/length",
         .minimum = -0.02,
         .maximum = 0.02,
         .colormap = "water",
         .is_signed = true},
        {.id = "speed", .label = "Speed map", .unit = "c", .maximum = 1.5, .colormap = "viridis", .can_overlay = true},
        {.id = "intensity",
         .label = "Mean intensity <u²>",
         .unit = "height²",
         .maximum = 0.002,
         .colormap = "inferno",
         .can_overlay = true},
        {.id = "surface",
         .label = "Surface in space",
         .unit = "height",
         .minimum = -0.05,
         .maximum = 0.05,
         .colormap = "water",
         .is_signed = true,
         .has_depth = true},
    };
    i.kernels = {
        {.id = "fused",
         .title = "Fused",
         .idea = "One pass over memory per step, one thread per cell. On the CPU: whole rows with vector instructions, "
                 "in place.",
         .name = Kernel::fused},
        {.id = "vectorised",
         .title = "Vectorised",
         .idea = "Four cells per thread, 16 bytes per access: fewer instructions for the same bytes.",
         .on_cpu = false,
         .name = Kernel::vectorised},
        {.id = "temporal",
         .title = "Temporal",
         .idea = "Several steps per pass over memory. CUDA: a warp streams through a strip of columns and keeps the "
                 "time levels in registers; five-point stencil only. CPU: a thread moves up its rows as a wavefront "
                 "that stays in the cache.",
         .steps_per_pass = max_wave_steps_per_pass,
         .name = Kernel::temporal},
        {.id = "convolution",
         .title = "Convolution",
         .idea = "After the paper's last CUDA version: small blocks with a halo in shared memory. Per step one "
                 "convolution kernel (the paper has three), two sums and two copies.",
         .on_cpu = false,
         .name = Kernel::convolution},
    };
    i.create = create;
    i.verify = verify;
    i.memory_needed = memory_needed;
    return i;
  }();
  return info;
}

}  // namespace perturb::wave

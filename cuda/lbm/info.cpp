// Static facts of the flow simulation, for menus, `list`, `bench` and the contract tests.
#include "cuda/lbm/actions.h"
#include "cuda/lbm/kernels/tables.h"
#include "cuda/lbm/lbm.h"
#include "cuda/lbm/parameters.h"
#include "cuda/lbm/setup.h"

namespace perturb::lbm {

const SimulationInfo& lbm_simulation() {
  static const SimulationInfo info = [] {
    SimulationInfo i;
    i.id = "lbm";
    i.title = "Lattice Boltzmann flow";
    i.summary = "Vortex streets, cavities, channels and any obstacle you draw.";
    i.paper_page = "flow";
    i.paper =
        "Carrillo, Siegel & Li, Improving the execution time of a Lattice-Boltzmann kernel using the NVIDIA G80 "
        "architecture (2010)";
    i.equation = "f_i(x + e_i, t + 1) = f_i - (f_i - feq_i)/τ";
    i.default_width = 768;
    i.default_height = 256;
    i.parameters.assign(parameter_table().begin(), parameter_table().end());
    i.actions = action_kinds();
    i.tools = tools();
    i.quantities = lbm_quantities();
    i.kernels = kernel_variants();
    i.timed_preset = "taylor-green";  // the first scene's probe forces every kernel to single steps
    i.create = create;
    i.verify = verify;
    i.memory_needed = [](const Backend& backend, const Setup& setup) { return lbm_bytes_of(backend, setup); };
    return i;
  }();
  return info;
}

}  // namespace perturb::lbm

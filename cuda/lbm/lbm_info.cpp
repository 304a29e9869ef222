// The flow's static facts, gathered from its tables.
#include "cuda/lbm/lbm.h"
#include "cuda/lbm/lbm_actions.h"
#include "cuda/lbm/lbm_params.h"
#include "cuda/lbm/lbm_setup.h"
#include "cuda/lbm/lbm_studies.h"
#include "cuda/lbm/lbm_tables.h"

namespace perturb {

static SimulationInfo make_info() {
  SimulationInfo info;
  info.id = "lbm";
  info.title = "Lattice Boltzmann flow";
  info.summary = "Vortex streets, cavities, channels and whatever you draw into the stream.";
  info.equation = "f_i(x + e_i, t + 1) = f_i - (f_i - feq_i)/τ";
  info.default_width = 768, info.default_height = 256;
  info.parameters.assign(lbm_parameter_table().begin(), lbm_parameter_table().end());
  info.actions = lbm_action_kinds();
  info.tools = lbm_tools();
  info.quantities = lbm_quantities();
  info.kernels = lbm_kernel_variants();
  info.studies = lbm_studies();
  info.create = lbm_create;
  info.verify = lbm_verify;
  info.memory_needed = [](const Backend&, const Setup& setup) { return lbm_bytes_of(setup); };
  return info;
}

const SimulationInfo& lbm_simulation() {
  static const SimulationInfo info = make_info();
  return info;
}

}  // namespace perturb

#include "cuda/lbm/kernels/edited_pass.h"

#include <algorithm>

#include "cuda/core/simulation/edited_pass.h"
#include "cuda/lbm/kernels/edited_rows.h"
#include "cuda/lbm/kernels/kernels.h"

namespace perturb::lbm {

int edited_pass(Backend& backend, EditedKernel& kernel, const StepParams& params, int features, Lattice& lattice,
                int steps) {
  // On CUDA the populations are copied to the kernel and back, on the CPU the rows of a pass stay in the cache.
  constexpr int max_on_device = 32;
  const int taken = std::min(steps, backend.is_cuda() ? max_on_device : cpu_max_steps(params.width, 1));
  lattice.need_next();
  lattice.share(kernel);
  const Populations<float> g = lattice.now();
  const std::size_t bytes = lattice.full_bytes();

  EditedFlow flow{};
  flow.width = params.width;
  flow.height = params.height;
  flow.levels = taken;
  flow.params = params;
  flow.params.links.data = nullptr;
  flow.features = features;
  flow.stride = g.stride;
  flow.apart = g.apart;
  EditedPass pass(backend, kernel);
  pass.read(flow.from, g.data, bytes);
  pass.write(flow.fields[0], lattice.next().data, bytes);
  if (taken > 1) pass.scratch(flow.fields[1], bytes);
  if (!params.links.empty())
    pass.read(flow.links, params.links.data, static_cast<std::size_t>(params.links.stride) * params.height);
  pass.run(flow);
  lattice.swap();
  return taken;
}

}  // namespace perturb::lbm

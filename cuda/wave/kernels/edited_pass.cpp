#include "cuda/wave/kernels/edited_pass.h"

#include <cstddef>
#include <vector>

#include "cuda/core/simulation/edited_pass.h"
#include "cuda/wave/kernels/edited_rows.h"

namespace perturb::wave {

static_assert(max_edited_sources == max_wave_sources && max_edited_levels == max_wave_steps_per_pass);

template <class Real>
int edited_pass(Backend& backend, EditedKernel& kernel, const StepParams<Real>& params, Surface<Real>& surface,
                int steps) {
  surface.share(kernel);
  const Levels<Real> levels = surface.levels();
  const std::size_t field = static_cast<std::size_t>(levels.u.stride) * params.height * sizeof(Real);

  EditedTank tank{};
  tank.width = params.width;
  tank.height = params.height;
  tank.levels = steps;
  tank.stride = levels.u.stride;
  tank.left = params.left;
  tank.right = params.right;
  tank.bottom = params.bottom;
  tank.top = params.top;
  tank.courant2 = params.courant2;
  tank.inertia = params.inertia;
  tank.sources = params.sources.count;
  for (int s = 0; s < tank.sources; ++s)
    for (int level = 0; level < steps; ++level) {
      const HardSource<Real>& from = params.sources.hard_sources[s][level];
      tank.hard_sources[s][level] = {{from.x0, from.y0, from.x1, from.y1}, from.radius, from.height};
    }

  EditedPass pass(backend, kernel);
  pass.read(tank.u, levels.u.data, field);
  pass.read(tank.u_previous, levels.u_previous.data, field);
  pass.write(tank.fields[0], levels.spare.data, field);
  if (steps > 1) pass.write(tank.fields[1], levels.spare_previous.data, field);
  if (!params.medium.empty()) pass.read(tank.medium, params.medium.data, field);
  pass.read(tank.sponge_x, params.sponge_x.data, params.sponge_x.size * sizeof(Real));
  pass.read(tank.sponge_y, params.sponge_y.data, params.sponge_y.size * sizeof(Real));
  const std::vector<Real> zeros(backend.is_cuda() ? 0 : static_cast<std::size_t>(params.width));
  pass.read(tank.zeros, zeros.data(), zeros.size() * sizeof(Real));
  pass.run(tank);
  steps > 1 ? surface.swap_spares() : surface.swap_spare();
  return steps;
}

template int edited_pass<float>(Backend&, EditedKernel&, const StepParams<float>&, Surface<float>&, int);
template int edited_pass<double>(Backend&, EditedKernel&, const StepParams<double>&, Surface<double>&, int);

}  // namespace perturb::wave

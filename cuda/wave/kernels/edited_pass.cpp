#include "cuda/wave/kernels/edited_pass.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "cuda/wave/kernels/edited_rows.h"

namespace perturb::wave {

static_assert(most_edited_sources == max_wave_sources && most_edited_levels == max_wave_steps_per_pass);

namespace {

// Row of the first height that is not finite, or -1.
template <class Real>
int first_bad_row(const Real* field, int width, int height, int stride) {
  for (int j = 0; j < height; ++j) {
    const Real* row = field + static_cast<std::ptrdiff_t>(j) * stride;
    int bad = 0;  // not a bool: the loop is vectorised
    for (int i = 0; i < width; ++i) bad |= std::abs(row[i]) <= std::numeric_limits<Real>::max() ? 0 : 1;
    if (bad) return j;
  }
  return -1;
}

[[noreturn]] void throw_not_finite(int i, int j) {
  throw EditedKernelError("The edited kernel gave a height that is not a finite number, in cell ({}, {}).", i, j);
}

template <class Real>
void require_finite_heights(const Real* field, const StepParams<Real>& tank, int stride) {
  const int j = first_bad_row(field, tank.width, tank.height, stride);
  if (j < 0) return;
  const Real* row = field + static_cast<std::ptrdiff_t>(j) * stride;
  int i = 0;
  while (std::isfinite(row[i])) ++i;
  throw_not_finite(i, j);
}

}  // namespace

template <class Real>
int edited_pass(Backend& backend, EditedKernel& kernel, const StepParams<Real>& tank, Surface<Real>& surface,
                int steps) {
  const Levels<Real> levels = surface.levels();
  const int stride = levels.u.stride;
  const std::size_t field = static_cast<std::size_t>(stride) * tank.height * sizeof(Real);
  const auto padded = [](std::size_t bytes) { return (bytes + 127) / 128 * 128; };

  EditedTank all{};
  std::size_t size = padded(sizeof all);
  const auto place = [&](std::size_t bytes) {
    const auto at = static_cast<long long>(size);
    size += padded(bytes);
    return at;
  };
  all.width = tank.width, all.height = tank.height, all.stride = stride;
  all.left = tank.left, all.right = tank.right, all.bottom = tank.bottom, all.top = tank.top;
  all.courant2 = tank.courant2, all.inertia = tank.inertia;
  all.u = place(field), all.u_previous = place(field);
  if (!tank.medium.empty()) all.medium = place(field);
  if (!tank.sponge_x.empty())
    all.sponge_x = place(tank.sponge_x.size * sizeof(Real)), all.sponge_y = place(tank.sponge_y.size * sizeof(Real));
  all.sources = tank.sources.count;
  for (int s = 0; s < all.sources; ++s)
    for (int level = 0; level < steps; ++level) {
      const HardSource<Real>& from = tank.sources.hard_sources[s][level];
      all.hard_sources[s][level] = {{from.x0, from.y0, from.x1, from.y1}, from.radius, from.height};
    }

  char* const memory = kernel.memory(size);
  // A kernel on the device shares its memory with the backend; another one of a CUDA run is on the host.
  const bool within = kernel.is_on_device() || !backend.is_cuda();
  const auto give = [&](long long to, const void* from, std::size_t bytes) {
    within ? backend.copy_within(memory + to, from, bytes) : backend.copy_to_host(memory + to, from, bytes);
  };
  const auto take = [&](void* to, long long from) {
    within ? backend.copy_within(to, memory + from, field) : backend.copy_from_host(to, memory + from, field);
  };
  kernel.is_on_device() ? backend.copy_from_host(memory, &all, sizeof all)
                        : static_cast<void>(std::memcpy(memory, &all, sizeof all));
  give(all.u, levels.u.data, field);
  give(all.u_previous, levels.u_previous.data, field);
  if (all.medium) give(all.medium, tank.medium.data, field);
  if (all.sponge_x) {
    give(all.sponge_x, tank.sponge_x.data, tank.sponge_x.size * sizeof(Real));
    give(all.sponge_y, tank.sponge_y.data, tank.sponge_y.size * sizeof(Real));
  }
  kernel.run(tank.width, tank.height, steps);
  if (kernel.is_on_device()) {
    backend.copy_to_host(&all, memory, sizeof all);
    if (all.bad_cell > 0) throw_not_finite((all.bad_cell - 1) % tank.width, (all.bad_cell - 1) / tank.width);
  } else {
    for (const long long level : {all.u, all.u_previous})
      require_finite_heights(reinterpret_cast<const Real*>(memory + level), tank, stride);
  }
  take(levels.u.data, all.u);
  take(levels.u_previous.data, all.u_previous);
  if (steps % 2 == 1) surface.swap_levels();
  return steps;
}

template int edited_pass<float>(Backend&, EditedKernel&, const StepParams<float>&, Surface<float>&, int);
template int edited_pass<double>(Backend&, EditedKernel&, const StepParams<double>&, Surface<double>&, int);

}  // namespace perturb::wave

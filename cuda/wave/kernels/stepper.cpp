#include "cuda/wave/kernels/stepper.h"

#include <algorithm>
#include <array>
#include <span>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/setup.h"
#include "cuda/core/simulation/simulation.h"
#include "cuda/wave/kernels/kernels.h"
#include "cuda/wave/kernels/launches.h"
#include "cuda/wave/wave.h"

namespace perturb::wave {

namespace {

Kernel kernel_at(std::size_t place) { return kernel_of<Kernel>(wave_simulation(), place); }
std::size_t place_in_table(Kernel kernel) { return kernel_index_of(wave_simulation(), kernel); }

// The kernels that `auto` tries, the preferred one first: all for this backend except the paper's, which is for
// comparison only.
std::span<const std::size_t> candidates(bool cuda, Stencil stencil) {
  static const std::array<std::size_t, 3> on_cuda{place_in_table(Kernel::temporal), place_in_table(Kernel::vectorised),
                                                  place_in_table(Kernel::fused)};
  static const std::array<std::size_t, 2> on_cpu{place_in_table(Kernel::temporal), place_in_table(Kernel::fused)};
  if (cuda) return std::span(on_cuda).subspan(stencil == Stencil::nine ? 1 : 0);
  return on_cpu;
}

}  // namespace

template <class Real>
Stepper<Real>::Stepper(Backend& backend, int width, int height, Stencil stencil)
    : backend_(backend), width_(width), height_(height), stencil_(stencil), auto_kernel_(backend, wave_simulation()) {
  constexpr int bytes = static_cast<int>(sizeof(Real));
  for (std::size_t k = 0; k < wave_simulation().kernels.size(); ++k) {
    const Kernel kernel = kernel_at(k);
    steps_per_pass_.push_back(backend.is_cuda()
                                  ? std::min(kernel_steps(kernel, width, height, bytes), max_wave_steps_per_pass)
                              : kernel == Kernel::temporal ? cpu_max_steps(width, bytes)
                                                           : 1);
  }
  // A streaming warp has no access to the corners outside its own lanes.
  if (backend.is_cuda() && stencil == Stencil::nine) steps_per_pass_[place_in_table(Kernel::temporal)] = 0;
}

template <class Real>
void Stepper<Real>::require(std::size_t kernel) const {
  if (stencil_ == Stencil::nine && backend_.is_cuda() && kernel_at(kernel) == Kernel::temporal)
    throw InputError(
        "The kernel temporal supports only the five-point stencil. Choose another kernel, or the stencil with five "
        "points.");
  if (steps_per_pass_[kernel] == 0)
    throw InputError("The kernel {} cannot run on a tank of {} x {} cells.", wave_simulation().kernels[kernel].id,
                     width_, height_);
}

template <class Real>
int Stepper<Real>::max_steps(std::size_t kernel) const {
  return std::max(1, steps_per_pass_[kernel]);
}

template <class Real>
AutoKernel::Work Stepper<Real>::work(const StepParams<Real>& tank) const {
  // Properties that determine the time of a step.
  std::string kind = sizeof(Real) == 8 ? "fp64 " : "fp32 ";
  kind += std::to_string(width_) + "x" + std::to_string(height_);
  if (!tank.medium.empty()) kind += " map";
  if (!tank.sponge_x.empty()) kind += " sponge";
  if (tank.has_absorbing()) kind += " absorbing";
  if (tank.sources.count > 0) kind += " sources";
  if (stencil_ == Stencil::nine) kind += " nine points";
  return {kind, candidates(backend_.is_cuda(), stencil_)};
}

template <class Real>
std::size_t Stepper<Real>::index_of(const std::string& kernel, const StepParams<Real>& tank) const {
  return kernel == "auto" ? auto_kernel_.best(work(tank)) : kernel_index(wave_simulation(), kernel);
}

template <class Real>
int Stepper<Real>::pass(const StepParams<Real>& tank, Surface<Real>& surface, int steps, std::size_t kernel) {
  const std::size_t chosen = kernel;
  // A single step gains nothing from a multi-step sweep, so a last single step of a group uses `vectorised`.
  if (steps == 1 && automatic_ && backend_.is_cuda() && kernel_at(kernel) == Kernel::temporal)
    kernel = place_in_table(Kernel::vectorised);
  const int taken = std::min(steps, max_steps(kernel));
  if (taken > longest_.steps) longest_ = {chosen, kernel, taken};
  const Levels<Real> levels = surface.levels();
  if (backend_.is_cuda()) {
    if (run_kernel(backend_, kernel_at(kernel), tank, levels, taken, automatic_ ? LoopBlock() : loop_block_))
      surface.swap_spares();
    else
      surface.swap_levels();
  } else {
    cpu_steps(backend_, tank, levels.u, levels.u_previous, taken);
    if (taken % 2 == 1) surface.swap_levels();
  }
  return taken;
}

template <class Real>
StepCost Stepper<Real>::cost(const std::string& kernel, const StepParams<Real>& tank) const {
  const int steps = max_steps(index_of(kernel, tank));
  // One step reads both levels and writes the new one; several steps in one pass read two levels and write two. The
  // medium is read once per pass.
  double fields = steps == 1 ? 3 : 4;
  double flops = 10;  // wave_update: three additions, one product and three fused multiply-adds (two each)
  if (stencil_ == Stencil::nine) flops += 8;
  if (!tank.medium.empty()) {
    fields += 1;
    flops += 2;
  }
  if (!tank.sponge_x.empty()) flops += 4;
  StepCost cost;
  cost.cells = static_cast<double>(width_) * height_;
  cost.bytes = cost.cells * sizeof(Real) * fields / steps;
  cost.flops = cost.cells * flops;
  cost.rate_unit = "cell/s";
  return cost;
}

template <class Real>
LaunchShape Stepper<Real>::launch_shape(const std::string& kernel, const StepParams<Real>& tank) const {
  const std::size_t k = index_of(kernel, tank);
  if (!backend_.is_cuda()) return {};
  return wave_kernel_shape(kernel_at(k), width_, height_, static_cast<int>(sizeof(Real)));
}

template <class Real>
LaunchMap Stepper<Real>::launch_map(const std::string& kernel, const StepParams<Real>& tank) const {
  const std::size_t chosen = index_of(kernel, tank);
  const Pass pass =
      longest_.steps > 0 && longest_.chosen == chosen ? longest_ : Pass{chosen, chosen, max_steps(chosen)};
  LaunchMap map;
  if (backend_.is_cuda()) {
    const int resident = kernel_at(pass.kernel) == Kernel::temporal ? temporal_resident(tank, pass.steps) : 0;
    const bool is_chosen = kernel_at(pass.kernel) == Kernel::fused && kernel != "auto";
    map = cuda_launch_map(kernel_at(pass.kernel), tank, pass.steps, resident, is_chosen ? loop_block_ : LoopBlock());
    map.block_is_a_choice = is_chosen;
  } else {
    map = cpu_launch_map(backend_.threads(), tank, pass.steps);
  }
  map.kernel = wave_simulation().kernels[pass.kernel].title;
  return map;
}

template class Stepper<float>;
template class Stepper<double>;

}  // namespace perturb::wave

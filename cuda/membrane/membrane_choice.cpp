#include "cuda/membrane/membrane_choice.h"

#include <algorithm>
#include <array>
#include <string>

#include "cuda/core/kernel_choice.h"
#include "cuda/core/shown.h"
#include "cuda/membrane/membrane.h"
#include "cuda/membrane/membrane_discretisation.h"

namespace perturb::membrane {

namespace {
// Large enough to fill the device, and done in a moment.
constexpr int level_on_cuda = 6, level_on_cpu = 4;
}  // namespace

Kernel fastest_kernel(Backend& backend, int degree) {
  const SimulationInfo& info = membrane_simulation();
  const std::array<std::size_t, 2> candidates{kernel_index(info, "tensor"), kernel_index(info, "rows")};
  const std::string kind = "assembly, degree " + std::to_string(degree);
  AutoKernel choice(backend, info);
  const auto kernel_of = [&](std::size_t k) { return k == candidates[0] ? Kernel::tensor : Kernel::rows; };
  AutoKernel::Turn turn = choice.next(kind, candidates, 1);
  if (!turn.timed) return kernel_of(turn.kernel);
  Parameters p;
  p.degree = degree, p.level = backend.is_cuda() ? level_on_cuda : level_on_cpu;
  Discretisation small(backend, Cover(p.level, degree), p);
  const Form form = membrane_form(p, degree);
  for (; turn.timed; turn = choice.next(kind, candidates, 1)) {
    small.assemble(kernel_of(turn.kernel), form, true, true);
    choice.done(turn);
  }
  return kernel_of(turn.kernel);
}

}  // namespace perturb::membrane

#include "cuda/wave/setup.h"

#include <algorithm>

#include "cuda/core/backend/check.h"
#include "cuda/core/backend/field.h"
#include "cuda/core/simulation/setup.h"
#include "cuda/wave/model/objects.h"
#include "cuda/wave/wave.h"

namespace perturb::wave {

GridSize wave_size_of(const Setup& setup) { return grid_size_of(setup, {512, 512}, 1, largest_side, "A tank"); }

Parameters parameters_of(const Setup& setup) {
  auto parameters = parameters_from<Parameters>(setup, parameter_table());
  pair_sides_given(parameters, setup, partner);
  return parameters;
}

static bool has_built_objects(const Setup& setup) {
  return std::any_of(setup.actions.begin(), setup.actions.end(), [](const Action& action) {
    return std::find(built_kinds().begin(), built_kinds().end(), action.kind) != built_kinds().end();
  });
}

bool uses_medium(const Setup& setup) {
  return has_built_objects(setup) || std::any_of(setup.actions.begin(), setup.actions.end(), [](const Action& action) {
           return action.kind.rfind("wall-", 0) == 0 || action.kind.rfind("speed-", 0) == 0;
         });
}

static bool wave_has_screen(const Setup& setup) {
  return std::any_of(setup.actions.begin(), setup.actions.end(),
                     [](const Action& action) { return action.kind == "screen"; });
}

std::size_t wave_bytes_of(GridSize size, Precision precision, int fields) {
  const std::size_t field = precision == Precision::fp64 ? Field<double>::bytes_of(size.width, size.height)
                                                         : Field<float>::bytes_of(size.width, size.height);
  const std::size_t real = precision == Precision::fp64 ? sizeof(double) : sizeof(float);
  // The rest: the sponge by column and row, partial sums.
  const std::size_t rows = static_cast<std::size_t>(size.width) + static_cast<std::size_t>(size.height);
  return field * static_cast<std::size_t>(fields) + rows * real + (std::size_t{256} << 10);
}

// CUDA kernels need four fields; CPU kernels work in place on two. Objects need a second field of the medium.
std::size_t memory_needed(const Backend& backend, const Setup& setup) {
  return wave_bytes_of(wave_size_of(setup), parameters_of(setup).precision,
                       (backend.is_cuda() ? cuda_fields : cpu_fields) + (uses_medium(setup) ? 1 : 0) +
                           (has_built_objects(setup) ? 1 : 0) + (wave_has_screen(setup) ? 1 : 0));
}

}  // namespace perturb::wave

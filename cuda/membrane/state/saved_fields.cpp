// Every dataset that a saved state of this simulation may contain.
#include "cuda/core/simulation/state.h"
#include "cuda/membrane/measure/resonators.h"
#include "cuda/membrane/model/cell.h"
#include "cuda/membrane/model/modes.h"
#include "cuda/membrane/parameters.h"

namespace perturb::membrane {

const std::vector<SavedField>& membrane_saved_fields() {
  constexpr std::size_t max_patches = std::size_t{1} << (2 * max_level), max_answers = std::size_t{1} << 24;
  static const std::vector<SavedField> fields = {
      {"u", {ElementType::float64}, {grid_height, grid_width}},
      {"coefficients", {ElementType::float64}, {up_to(max_patches), up_to(max_functions)}},
      {"velocity", {ElementType::float64}, {up_to(max_patches), up_to(max_functions)}},
      {"lag", {ElementType::float64}, {up_to(max_patches), up_to(max_functions)}},
      {"phase", {ElementType::float64}, {up_to(max_answers), exactly(2)}},
      {"convergence", {ElementType::float64}, {up_to(max_answers), exactly(4)}},
      {"modes", {ElementType::float64}, {up_to(Modes::vectors * max_patches), up_to(max_functions)}},
      {"mode_values", {ElementType::float64}, {up_to(Modes::vectors), exactly(2)}},
      {"ear", {ElementType::float64}, {exactly(ResonatorBank::resonator_count), exactly(2)}},
      {"listened", {ElementType::float64}, {exactly(1)}},
      {"patch_center", {ElementType::float64}, {up_to(max_patches), exactly(2)}},
      {"patch_half_width", {ElementType::float64}, {up_to(max_patches)}},
      {"degree", {ElementType::int64}, {up_to(max_patches)}},
      {"clock", {ElementType::float64}, {exactly(4)}},
      {"factored", {ElementType::int64}, {exactly(1)}},
      {"unsolved", {ElementType::int64}, {exactly(1)}},
      {"solved_for", {ElementType::float64}, {up_to(parameter_table().size())}},
      {"solved_formula", {ElementType::uint8}, {up_to(max_formula_text)}},
      {"response", {ElementType::float64}, {up_to(max_answers), exactly(2)}},
  };
  return fields;
}

}  // namespace perturb::membrane

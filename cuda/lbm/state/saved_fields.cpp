// All datasets that a saved state of this simulation may contain.
#include "cuda/core/simulation/edited_pass.h"
#include "cuda/core/simulation/edited_state.h"
#include "cuda/core/simulation/state.h"
#include "cuda/lbm/model/cell.h"
#include "cuda/lbm/model/motion.h"
#include "cuda/lbm/model/tracers.h"
#include "cuda/lbm/objects.h"
#include "cuda/lbm/state/saved.h"

namespace perturb::lbm {

const std::vector<SavedField>& lbm_saved_fields() {
  static const std::vector<SavedField> fields = {
      {"density", {ElementType::float32}, {grid_height, grid_width}},
      {"velocity", {ElementType::float32}, {grid_height, grid_width, exactly(2)}},
      {"wall", {ElementType::uint8}, {grid_height, grid_width}},
      {"wall_distance", {ElementType::float32}, {grid_height, grid_width}},
      {"populations", {ElementType::float32}, {exactly(lbm_links), grid_height, grid_width}},
      {"populations_shifted", {ElementType::float32}, {exactly(lbm_links), grid_height, grid_width}},
      {"probe", {ElementType::float64}, {exactly(2)}},
      {"moving_body", {ElementType::float64}, {exactly(Motion::saved_numbers)}},
      {"dye", {ElementType::float32}, {grid_height, grid_width}},
      {"tracers", {ElementType::float64}, {up_to(max_tracers), exactly(4)}},
      {"dye_sources", {ElementType::float64}, {up_to(max_dye_sources), exactly(3)}},
      {"dye_source_ids", {ElementType::float64}, {up_to(max_dye_sources)}},
      {"bodies", {ElementType::float64}, {up_to(max_placed_bodies), exactly(body_columns)}},
      edited_kernel_field(),
      {"disturbed_from", {ElementType::float64}, {exactly(2)}},
      edited_kernel_in_use_field(),
      {"last_object", {ElementType::float64}, {exactly(1)}},
      {"changed", {ElementType::float64}, {exactly(1)}},
      {"other_wall", {ElementType::uint8}, {grid_height, grid_width}},
      {"other_wall_distance", {ElementType::float32}, {grid_height, grid_width}},
  };
  return fields;
}

}  // namespace perturb::lbm

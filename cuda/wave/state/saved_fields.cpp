// All datasets that a saved state of this simulation may contain.
#include "cuda/core/simulation/edited_pass.h"
#include "cuda/core/simulation/edited_state.h"
#include "cuda/core/simulation/state.h"
#include "cuda/wave/measure/screen.h"
#include "cuda/wave/model/objects.h"
#include "cuda/wave/model/source.h"
#include "cuda/wave/model/step_params.h"
#include "cuda/wave/state/saved.h"

namespace perturb::wave {

const std::vector<SavedField>& wave_saved_fields() {
  static const std::vector<SavedField> fields = {
      {"u", any_real(), {grid_height, grid_width}},
      {"u_previous", any_real(), {grid_height, grid_width}},
      {"wall", {ElementType::uint8}, {grid_height, grid_width}},
      {"speed", any_real(), {grid_height, grid_width}},
      {"painted_wall", {ElementType::uint8}, {grid_height, grid_width}},
      {"painted_speed", any_real(), {grid_height, grid_width}},
      {"objects", {ElementType::float64}, {up_to(max_overlays), exactly(built_columns)}},
      {"sources", {ElementType::float64}, {up_to(max_wave_sources), up_to(source_columns)}},
      {"screen", {ElementType::float64}, {exactly(screen_columns)}},
      {"intensity", any_real(), {grid_height, grid_width}},
      {"openings", {ElementType::float64}, {exactly(2), grid_height}},
      edited_kernel_field(),
      edited_kernel_in_use_field(),
      {"created", {ElementType::float64}, {exactly(1)}},
      {"clock", {ElementType::float64}, {exactly(2)}},
      {"modes", {ElementType::float64}, {up_to(max_saved_modes), exactly(4)}},
      {"changed", {ElementType::float64}, {exactly(1)}},
  };
  return fields;
}

}  // namespace perturb::wave

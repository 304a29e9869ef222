// Every dataset that a saved state of this simulation may hold.
#include "cuda/core/simulation/state.h"
#include "cuda/particles/model/fixtures.h"
#include "cuda/particles/parameters.h"

namespace perturb::particles {

const std::vector<SavedField>& particles_saved_fields() {
  static const std::vector<SavedField> fields = {
      {"position", any_real(), {up_to(max_discs), exactly(2)}},
      {"velocity", any_real(), {up_to(max_discs), exactly(2)}},
      {"origin", any_real(), {up_to(max_discs), exactly(2)}},
      {"wall_collisions", {ElementType::uint32}, {up_to(max_discs)}},
      {"disc_collisions", {ElementType::uint32}, {up_to(max_discs)}},
      {"radius", any_real(), {up_to(max_discs)}},
      {"mass", any_real(), {up_to(max_discs)}},
      {"piston", {ElementType::float64}, {exactly(1)}},
      {"piston_target", {ElementType::float64}, {exactly(1)}},
      {"fixtures", {ElementType::float64}, {up_to(Fixtures::max_count), exactly(saved_fixture_numbers)}},
      {"energy_gains", {ElementType::int64}, {exactly(2)}},
  };
  return fields;
}

}  // namespace perturb::particles

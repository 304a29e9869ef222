// Every dataset that a saved state of this simulation may hold.
#include "cuda/core/simulation/state.h"
#include "cuda/fibers/actions.h"
#include "cuda/fibers/model/cell.h"
#include "cuda/fibers/parameters.h"

namespace perturb::fibers {

const std::vector<SavedField>& fibers_saved_fields() {
  static const std::vector<SavedField> fields = [] {
    std::vector<SavedField> list;
    for (const char* name : {"position", "tangent", "velocity", "spin", "position_previous", "tangent_previous",
                             "velocity_previous", "spin_previous"})
      list.push_back({name, {ElementType::float64}, {up_to(max_fibers), exactly(3)}});
    list.push_back({"half_length", {ElementType::float64}, {up_to(max_fibers)}});
    list.push_back({"force_coefficients", {ElementType::float64}, {up_to(max_fibers), up_to(max_terms), exactly(3)}});
    for (const char* name : {"tracers", "tracers_velocity"})
      list.push_back({name, {ElementType::float64}, {up_to(max_tracers), exactly(3)}});
    list.push_back({"tracers_age", {ElementType::float64}, {up_to(max_tracers)}});
    list.push_back({"ring_break", {ElementType::float64}, {exactly(1)}});
    list.push_back({"start", {ElementType::float64}, {exactly(3)}});
    list.push_back({"pull", {ElementType::float64}, {exactly(6)}});
    return list;
  }();
  return fields;
}

}  // namespace perturb::fibers

#include "cuda/core/simulation/catalog.h"

#include "cuda/core/backend/check.h"

namespace perturb {

#define SIMULATION(name)                                \
  namespace name {                                      \
  const SimulationInfo& name##_simulation();            \
  const std::vector<SavedField>& name##_saved_fields(); \
  }
#include "catalog.inc"
#undef SIMULATION

const std::vector<const SimulationInfo*>& catalog() {
  static const std::vector<const SimulationInfo*> list = {
#define SIMULATION(name) &name::name##_simulation(),
#include "catalog.inc"
#undef SIMULATION
  };
  return list;
}

const std::vector<SavedField>* find_saved_fields(const std::string& id) {
  using Fields = const std::vector<SavedField>& (*)();
  static constexpr Fields lists[] = {
#define SIMULATION(name) name::name##_saved_fields,
#include "catalog.inc"
#undef SIMULATION
  };
  for (std::size_t k = 0; k < catalog().size(); ++k)
    if (catalog()[k]->id == id) return &lists[k]();
  return nullptr;
}

const SimulationInfo& find_simulation(const std::string& id) {
  std::vector<std::string> ids;
  for (const SimulationInfo* info : catalog()) {
    if (info->id == id) return *info;
    ids.push_back(info->id);
  }
  throw InputError("There is no simulation \"{}\"{}", id, did_you_mean(id, ids, choose_one_of(ids)));
}

}  // namespace perturb

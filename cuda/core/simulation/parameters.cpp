#include "cuda/core/simulation/parameters.h"

#include "cuda/core/backend/check.h"

namespace perturb {

const Parameter* find_parameter(std::span<const Parameter> table, std::string_view id) {
  for (const Parameter& p : table)
    if (p.id == id) return &p;
  for (const Parameter& p : table)
    if (!p.former.empty() && p.former == id) return &p;
  return nullptr;
}

const Parameter& ParameterSet::find(const std::string& id) const {
  if (const Parameter* p = find_parameter(table_, id)) return *p;
  throw InputError("There is no parameter \"" + id + "\"" +
                   did_you_mean(id, ids_of(table_), "; perturb list shows them all."));
}

void ParameterSet::set(const std::string& id, double value) {
  const Parameter& p = find(id);
  p.check(value);
  p.set(object_, value);
}

void ParameterSet::set_text(const std::string& id, const std::string& text) {
  const Parameter& p = find(id);
  p.set(object_, p.parse(text));
}

}  // namespace perturb

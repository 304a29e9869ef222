#include "app/session/quantity_suggestion.h"

#include <algorithm>

namespace perturb {

QuantitySuggestion suggest_quantity(const std::vector<Action>& actions, const RunStatus& run, const Quantity& shown) {
  const auto is_shown = [&](const std::string& quantity) { return quantity == shown.id; };
  const auto is_on = [&](const std::string& parameter) { return run.value_of(parameter) != 0; };
  for (const Action& action : actions) {
    const ActionKind* kind = find_kind(run.info->actions, action.kind);
    if (!kind || kind->visible_in.empty() || std::any_of(kind->visible_in.begin(), kind->visible_in.end(), is_shown) ||
        std::any_of(kind->visible_with.begin(), kind->visible_with.end(), is_on))
      continue;
    return {kind->label, kind->visible_in.front(), 0};
  }
  return {};
}

}  // namespace perturb

#include "app/session/unseen.h"

#include <algorithm>
#include <variant>

namespace perturb {

Offer offer_after(Experiment& experiment, std::size_t before, const Quantity& shown) {
  const SimulationInfo& info = experiment.info();
  const ParameterSet parameters = experiment.simulation().parameters();
  const auto is_shown = [&](const std::string& quantity) { return quantity == shown.id; };
  const auto is_on = [&](const std::string& parameter) { return parameters.get(parameter) != 0; };
  for (std::size_t k = before; k < experiment.log().size(); ++k) {
    const auto* action = std::get_if<Action>(&experiment.log()[k].deed);
    const ActionKind* kind = action ? find_kind(info.actions, action->kind) : nullptr;
    if (!kind || kind->seen_in.empty() || std::any_of(kind->seen_in.begin(), kind->seen_in.end(), is_shown) ||
        std::any_of(kind->seen_with.begin(), kind->seen_with.end(), is_on))
      continue;
    return {kind->label, kind->seen_in.front(), 0};
  }
  return {};
}

}  // namespace perturb

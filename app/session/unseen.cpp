#include "app/session/unseen.h"

#include <algorithm>

namespace perturb {

Offer offer_after(const std::vector<Action>& actions, const RunStatus& run, const Quantity& shown) {
  const auto is_shown = [&](const std::string& quantity) { return quantity == shown.id; };
  const auto is_on = [&](const std::string& parameter) { return run.value_of(parameter) != 0; };
  for (const Action& action : actions) {
    const ActionKind* kind = find_kind(run.info->actions, action.kind);
    if (!kind || kind->seen_in.empty() || std::any_of(kind->seen_in.begin(), kind->seen_in.end(), is_shown) ||
        std::any_of(kind->seen_with.begin(), kind->seen_with.end(), is_on))
      continue;
    return {kind->label, kind->seen_in.front(), 0};
  }
  return {};
}

}  // namespace perturb

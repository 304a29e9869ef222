// Something the user did, at a step: what is stored, replayed from scripts and (by replaying) undone.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "cuda/core/action.h"

namespace perturb {

struct ParameterChange {
  std::string id;
  double value = 0;
};

// Happens before the step after `step` is taken: step 0 is before the first.
struct Event {
  std::int64_t step = 0;
  std::variant<Action, ParameterChange> deed;
};

}  // namespace perturb

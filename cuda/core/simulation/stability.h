// A limit of stability that a user's change must not exceed.
#pragma once

#include <string>

#include "cuda/core/simulation/action.h"

namespace perturb {

// Implemented by simulations of which a parameter or an action can make a stable run unstable. Both functions throw
// InputError if this change would, by theory or by what was measured last, and change nothing. A change that the
// simulation rejects for another reason may pass. For changes by the user only: presets, scripts and the command line
// may exceed the limits.
class StabilityLimit {
 public:
  virtual void require_stable_with(const std::string& parameter, double value) = 0;
  virtual void require_stable_after(const Action& action) = 0;

 protected:
  ~StabilityLimit() = default;
};

}  // namespace perturb

// Limits of stability that a user's change must not exceed, and remedies for a run that has stopped.
#pragma once

#include <string>
#include <vector>

#include "cuda/core/simulation/action.h"
#include "cuda/core/simulation/format.h"

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

// A parameter that may keep a run finite.
struct StabilityRemedy {
  std::string parameter;
  double value = 0;
};

// A number with this many significant digits, as a user would type it.
inline double rounded(double value, int digits) {
  double result = value;
  read_number(format_number(value, digits), result);
  return result;
}

// Implemented by simulations that can name changes of one live parameter which may keep a run finite. Called when it
// has stopped because its numbers are no longer finite. The least change of the physics comes first. None is promised
// to work: each is tried on a copy of the run.
class StabilityRemedies {
 public:
  virtual std::vector<StabilityRemedy> remedies() const = 0;

 protected:
  ~StabilityRemedies() = default;
};

}  // namespace perturb

#include "cuda/lbm/measure/reynolds.h"

#include <algorithm>
#include <string>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/format.h"
#include "cuda/lbm/model/scheme.h"

namespace perturb::lbm {

double viscosity_of(const Parameters& p, int length) {
  const double speed = given_speed(p);
  if (!(speed > 0))
    throw InputError(
        "A Reynolds number needs a speed that is given, and here is neither an inlet nor a moving wall with one: "
        "make a side one of them, or set viscosity.");
  const double viscosity = speed * length / p.reynolds;
  const auto table = parameter_table();
  const Parameter& record =
      *std::find_if(table.begin(), table.end(), [](const Parameter& parameter) { return parameter.id == "viscosity"; });
  if (viscosity < record.minimum || viscosity > record.maximum)
    throw InputError("With a speed of " + format_number(speed, 3) + " and a length of " + std::to_string(length) +
                     " cells the Reynolds number " + format_number(p.reynolds, 4) + " would need a viscosity of " +
                     format_number(viscosity, 3) + ": choose one from " +
                     format_number(speed * length / record.maximum, 3) + " to " +
                     format_number(std::min(speed * length / record.minimum, 10000.), 3) + ", or another speed.");
  return viscosity;
}

}  // namespace perturb::lbm

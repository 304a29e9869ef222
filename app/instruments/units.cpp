#include "app/instruments/units.h"

namespace perturb {

std::string length_unit_of(const SimulationInfo& info) {
  for (const Tool& tool : info.tools)
    for (const ValueInfo& field : tool.brush)
      if (field.id == "radius" && !field.unit.empty()) return field.unit;
  return "length";
}

}  // namespace perturb

// Units in which the values of a scene are displayed: cm and s instead of the simulation's length and time. Files,
// scripts, formulas and lessons use the simulation's own units.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/core/backend/message.h"
#include "cuda/core/simulation/diagnostics.h"
#include "cuda/core/simulation/parameters.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb {

// One unit of the simulation in the displayed unit. `of` is a base unit ("length"), a whole unit ("1/length"), or the
// id of a value, which replaces the other two for this value.
struct UnitScale {
  std::string of;
  std::optional<double> scale;  // none: the scale follows from the base units, and only the name changes
  std::string name;             // "cm"
  bool operator==(const UnitScale&) const = default;
};
using DisplayUnits = std::vector<UnitScale>;  // empty: the simulation's units

// Parses the text of a unit: "0.1 cm", or "Hz" without a number. Throws InputError, also if `of` is neither a unit nor
// an id of a value in the simulation's tables.
UnitScale parse_unit_scale(const SimulationInfo& info, const std::string& of, const std::string& text);
// Whether it is one of the words of which units are composed, such as "length".
bool is_base_unit(std::string_view word);
// The text that parse_unit_scale reads.
std::string text_of(const UnitScale& unit);

// The unit of a displayed value, and the factor from the simulation's value to the displayed one.
struct DisplayUnit {
  std::string text;
  double factor = 1;
};
// Compound units ("length/time", "1/(length time)", "height²") are converted base by base; bases that the scene does
// not define stay. A unit with any other word in it, such as "of the load", stays as it is. `id`: of the value.
DisplayUnit display_unit(const DisplayUnits& units, const std::string& unit, const std::string& id = {});

// The simulation's unit of time(): a flow counts steps.
std::string time_unit_of(const SimulationInfo& info);

// A real number's record in the displayed unit; other values stay.
ValueInfo in_display_unit(const ValueInfo& info, const DisplayUnit& unit);
// A reading with its unit, as with_unit() composes it, in the displayed unit; other texts stay.
Message in_display_units(const DisplayUnits& units, const Message& reading);
// An error of the simulation, which states values in its own units, with the scale of the unit of the value that it
// rejects: "... (1 1/time = 10 Hz)". Without a scale, the message itself.
Message with_scale(const Message& error, const std::string& unit, const DisplayUnit& shown);
// The unit of times: that of the scene, or the simulation's with the factor 1.
DisplayUnit time_unit(const DisplayUnits& units, const SimulationInfo& info);
// A curve and its theory with both axes in displayed units. Logarithms stay logarithms, of the displayed value. Only
// plots call it: files contain the simulation's units.
Curve in_display_units(const DisplayUnits& units, const SimulationInfo& info, Curve curve);
// describe_layer() in displayed units.
Message layer_text(const DisplayUnits& units, const SimulationInfo& info, const ViewSettings& view);
// "t = 1.25 s"; without a unit of the scene "t = 1.25".
std::string time_text(const DisplayUnits& units, const SimulationInfo& info, double time, bool is_short = false);

}  // namespace perturb

// Units in which the values of a scene are displayed: cm and s instead of the simulation's length and time. All that a
// user reads is converted here: panels, plots and their exports, reports, messages and lessons. Presets, scripts,
// options, formulas and tables of --csv use the simulation's own units.
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
// not define stay. A unit with any other word in it, such as "of the load", stays as it is. `id`: of the value; the
// inverse of a second is named Hz if it says "frequency". Long units without a scale get a short name: "energy".
DisplayUnit display_unit(const DisplayUnits& units, const std::string& unit, const std::string& id = {});

// The scene's units for a domain of this size, in the simulation's lengths: positions and sizes that are fractions of
// the domain (unit_of_width, unit_of_height) become lengths.
DisplayUnits units_in_domain(DisplayUnits units, const SimulationInfo& info, double width, double height);
// Whether it has the scale of a unit, and not that of one value.
bool is_scale_of_unit(const UnitScale& unit);
// "1 length = 0.1 cm; 1 time = 0.004 s"; empty without scales.
std::string scale_text(const DisplayUnits& units);

// The simulation's unit of time(): a flow counts steps. And that of a frequency, in periods per time.
std::string time_unit_of(const SimulationInfo& info);
std::string frequency_unit_of(const SimulationInfo& info);
// The simulation's unit of lengths, that of the radius of its tools.
std::string length_unit_of(const SimulationInfo& info);

// A real number's record in the displayed unit; other values stay.
ValueInfo in_display_unit(const ValueInfo& info, const DisplayUnit& unit);
// A text in which all numbers with a unit, as with_unit() and range_with_unit() compose them, are in the displayed
// unit. A parameter that the text names is the value's id.
Message in_display_units(const DisplayUnits& units, const Message& text);
// A number of the simulation with its displayed unit: "5.97 cm"; a dash for one that is not finite.
Message quantity_text(const DisplayUnits& units, double value, const std::string& unit, const std::string& id = {},
                      int digits = 4);
// The unit of times: that of the scene, or the simulation's with the factor 1.
DisplayUnit time_unit(const DisplayUnits& units, const SimulationInfo& info);
// The number of a time with its unit: "1.25 s"; without a scale "1.25 time units".
Message clock_text(const DisplayUnits& units, const SimulationInfo& info, double time);
// A curve and its theory with both axes in displayed units. Logarithms stay logarithms, of the displayed value.
Curve in_display_units(const DisplayUnits& units, const SimulationInfo& info, Curve curve);
// describe_layer() in displayed units.
Message layer_text(const DisplayUnits& units, const SimulationInfo& info, const ViewSettings& view);
// "t = 1.25 s"; without a unit of the scene "t = 1.25 time units" or "t = 4000 steps". `is_short`: three digits.
Message time_text(const DisplayUnits& units, const SimulationInfo& info, double time, bool is_short = false);

}  // namespace perturb

// Messages about gauges that exceed their limit, for every front end.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "cuda/core/simulation/diagnostics.h"
#include "cuda/core/simulation/parameters.h"

namespace perturb {

// Whether the gauge exceeds its limit, so that its message must be shown.
bool gauge_is_crossed(const Gauge& gauge);
// Explains the gauge and gives a remedy. A remedy that is a parameter's id becomes "Lower " and `name(parameter)`.
template <class Name>
std::string gauge_advice(const Gauge& gauge, const std::vector<Parameter>& parameters, const Name& name) {
  std::string remedy = gauge.remedy;
  for (const Parameter& p : parameters)
    if (p.id == gauge.remedy) remedy = "Lower " + name(p) + ".";
  return gauge.help + (remedy.empty() || gauge.help.empty() ? "" : " ") + remedy;
}

// Messages for a text front end. Each crossing is printed once, until the gauge has been below its limit again. A gauge
// near its limit is reported only once: a value that oscillates about that bound would fill a terminal.
class GaugeLines {
 public:
  // One or two sentences for each gauge that has exceeded its limit, or come near it, since the last call.
  std::vector<std::string> new_lines(const std::vector<Gauge>& gauges, const std::vector<Parameter>& parameters);

 private:
  std::set<std::string> crossed_, near_;  // ids
};

}  // namespace perturb

// What a gauge that is past its limit says, for every front of a run.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "cuda/core/simulation/diagnostics.h"
#include "cuda/core/simulation/parameters.h"

namespace perturb {

// Past its limit: its words are to be shown.
bool gauge_is_crossed(const Gauge& gauge);
// What it means and what to do about it. A remedy that is a parameter's id becomes "Lower " and `name(parameter)`.
template <class Name>
std::string gauge_advice(const Gauge& gauge, const std::vector<Parameter>& parameters, const Name& name) {
  std::string remedy = gauge.remedy;
  for (const Parameter& p : parameters)
    if (p.id == gauge.remedy) remedy = "Lower " + name(p) + ".";
  return gauge.help + (remedy.empty() || gauge.help.empty() ? "" : " ") + remedy;
}

// For a front of lines instead of panels: each crossing is told once, until the gauge has been back below its limit.
// That a gauge came near its limit is told once in all: a number that swings about that bound would fill a terminal.
class GaugeLines {
 public:
  // A sentence or two for each gauge that has crossed its limit since the last call, or come near it.
  std::vector<std::string> new_lines(const std::vector<Gauge>& gauges, const std::vector<Parameter>& parameters);

 private:
  std::set<std::string> crossed_, near_;  // ids
};

}  // namespace perturb

// Stability numbers beside their limits.
#pragma once

#include <string>

#include "app/ui/panels/panels.h"

namespace perturb {

// A bar for each gauge: green, amber near the limit, red at it and beyond (amber for one that only warns). As high
// whatever they show.
void draw_gauges(const Panel& panel);
// What is to be done about those that are at their limits, in words; no height where there are none.
float gauge_advice_height(const Panel& panel);
void draw_gauge_advice(const Panel& panel);
// Green, amber or red.
ImU32 gauge_color(const Gauge& gauge);
// "1.82 of 2".
std::string gauge_numbers(const Gauge& gauge);
// What the gauge means and which parameter to lower, in words.
std::string gauge_advice(const RunStatus& run, const Gauge& gauge);

}  // namespace perturb

// Stability numbers beside their limits.
#pragma once

#include <string>

#include "app/ui/panels.h"

namespace perturb {

// A bar for each gauge: green, amber near the limit, red beyond it (amber for one that only warns), with the remedy in words.
void draw_gauges(const Panel& panel);
// Green, amber or red.
ImU32 gauge_color(const Gauge& gauge);
// What the gauge means and which parameter to lower, in words.
std::string gauge_advice(const Experiment& experiment, const Gauge& gauge);

}  // namespace perturb

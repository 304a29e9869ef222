// Stability gauges with their limits.
#pragma once

#include <string>

#include "app/ui/panels/panel.h"

namespace perturb {

// A bar for each gauge: green, amber near the limit, red at or above it (amber for an advisory one). The height does
// not depend on the values.
void draw_gauges(const Panel& panel);
// Height of the advice on gauges at their limits; 0 if there is none.
float gauge_advice_height(const Panel& panel);
void draw_gauge_advice(const Panel& panel);
// Green, amber or red.
ImU32 gauge_color(const Gauge& gauge);
// "1.82 of 2", in the selected language.
std::string gauge_numbers(const Gauge& gauge);

}  // namespace perturb

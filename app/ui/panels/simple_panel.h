// The tab "Physics" in the simple view: the scene's readings and main controls, and one indicator instead of the
// stability gauges.
#pragma once

#include "app/ui/panels/panel.h"

namespace perturb {

// The choice between the simple and the full view, for the top of the tab.
void draw_view_choice(const Panel& panel);

// "Numerics: fine", near a limit or past it: the worst of the gauges. A click opens the full view, which has them all.
void draw_numerics_indicator(const Panel& panel);

// The readings of the scene in large figures.
void draw_readings(const Panel& panel);

// The numbers of the selected object, and the main controls. A scene that names no controls shows all parameters; so
// does a step of a lesson that locks none.
void draw_simple_physics(const Panel& panel);

}  // namespace perturb

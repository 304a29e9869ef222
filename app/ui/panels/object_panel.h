// The objects of the scene: in the panel, where the selected one is tuned, and drawn over the view.
#pragma once

#include "app/ui/panels/panel.h"

namespace perturb {

// A list of the objects. Nothing if the scene has no objects.
void draw_object_list(const Panel& panel);

// The selected object: a slider for each number of its kind, the position last, and a button that removes it. Its name
// is above them if the list is not. Nothing if no object is selected.
void draw_selected_object(const Panel& panel, bool with_heading);

// A button at the right end of the line above, which opens the list of kinds of which an object can be added. Nothing
// if there is none.
void draw_add_object(const Panel& panel);

// Over the view: the outline and the handles of the selected object, and a knob at every other one while the pointer or
// the crosshair is over the view.
void draw_objects(const Panel& panel);

}  // namespace perturb

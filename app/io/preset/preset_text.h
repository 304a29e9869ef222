// The text of a preset. presets.h describes the format.
#pragma once

#include <cstdint>
#include <string>

#include "app/run/scene.h"

namespace perturb {

// Parses a preset. Error messages call the file `name`; images are read relative to its folder. If `simulation` is
// empty, it is read from the file, or from the name of its folder. `preset` becomes the preset's name in the setup.
// Throws InputError with file, line and column.
Scene parse_scene(const std::string& text, const std::string& name, const std::string& simulation,
                  const std::string& preset);

// Whether a simulation with this id exists, as for the name of a preset's folder.
bool is_simulation(const std::string& id);

// Position in menus; the last one if the text gives none.
std::int64_t order_of_preset(const std::string& text, const std::string& name);

}  // namespace perturb

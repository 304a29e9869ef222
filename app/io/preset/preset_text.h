// The text of a preset. The format is told at the top of presets.h.
#pragma once

#include <cstdint>
#include <string>

#include "app/run/scene.h"

namespace perturb {

// Parses it; `name` is what errors call the file, and images are looked for beside it. An empty `simulation` is read
// from the file, or from the name of its folder; `preset` is what the setup calls it. Throws InputError with file, line
// and column.
Scene parse_scene(const std::string& text, const std::string& name, const std::string& simulation,
                  const std::string& preset);

// Whether a simulation has this id, as the folder of a preset may.
bool is_simulation(const std::string& id);

// Its place in menus; where it names none, the last.
std::int64_t order_of_preset(const std::string& text, const std::string& name);

}  // namespace perturb

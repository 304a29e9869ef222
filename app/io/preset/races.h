// Prepared races: a scene with lanes that show one finding about kernels, precision or numerics.
#pragma once

#include <string>
#include <vector>

#include "app/run/run.h"

namespace perturb {

struct PreparedRace {
  std::string id;  // for the command line: the file's name
  Scene scene;     // with lanes, and the race's own title and hint
};

// Those of assets/races, by id.
const std::vector<PreparedRace>& prepared_races();
// Null: there is none with this id.
const PreparedRace* find_race(const std::string& id);

// How the scene browser names a race, and OpenScene takes it: "race one-rounding".
std::string path_of_race(const std::string& id);
// Of such a path, or of one that load_scene takes.
Scene load_scene_or_race(const std::string& path);

// A race file: `scene`, `title`, `hint`, `by` ("steps" or "time"), and the tables [view] and [[lane]] of a preset. Its
// error messages call the file `name`.
Scene parse_race(const std::string& text, const std::string& name);

}  // namespace perturb

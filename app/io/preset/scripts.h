// Script files (TOML).
//
// A script lists the events of a run with their steps (0: before the first). Names are checked against the simulation's
// tables, and every error message gives file, line and column:
//
//   [[event]]
//   step = 100
//   action = "droplet"                   # the other keys are its fields
//   x = 0.5
//   y = 0.5
//   [[event]]
//   step = 200
//   set = "damping"                      # a parameter
//   value = 0.01
//   [[event]]
//   step = 300
//   kernel = "auto"                      # how steps are computed
//   [[event]]
//   step = 400
//   view = { quantity = "height" }       # the keys are those of a preset's [view]
//
// Before its events, a script may give the start of the run and its number of steps, as in the scripts that the program
// writes:
//
//   start = ["wave/rain", "--seed", "3"] # command-line arguments; options given with --script override them
//   steps = 1000
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/run/run.h"

namespace perturb {

// The events of a script, checked against the tables of `simulation`. Throws InputError with file, line and column.
std::vector<Event> load_script(const std::string& path, const std::string& simulation);
// The part of a script before its events; no arguments if the caller chooses the start.
struct ScriptStart {
  std::vector<std::string> arguments;
  std::optional<std::int64_t> steps;
};
ScriptStart load_script_start(const std::string& path);
// The events in the text of a script. Error messages call the file `name`.
std::vector<Event> parse_script(const std::string& text, const std::string& name, const std::string& simulation);

}  // namespace perturb

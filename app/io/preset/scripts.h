// Script files (TOML).
//
// A script says what happens during a run, at which step (0: before the first). The files' own words are checked
// against the simulation's tables, and every error tells file, line and column:
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
//   view = { quantity = "height" }       # what is shown; the keys are those of a preset's [view]
//
// Before its events a script may say how the run begins, and how many steps it had, as the program writes it:
//
//   start = ["wave/rain", "--seed", "3"] # words of a command line; an option given beside --script takes their place
//   steps = 1000
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/run/event.h"

namespace perturb {

// A script's events, checked against what `simulation` knows. Throws InputError with file, line and column.
std::vector<Event> load_script(const std::string& path, const std::string& simulation);
// What a script says before its events; no words where it leaves the start to others.
struct ScriptStart {
  std::vector<std::string> arguments;
  std::optional<std::int64_t> steps;
};
ScriptStart load_script_start(const std::string& path);
// The events in the text of a script; `name` is what errors call the file.
std::vector<Event> parse_script(const std::string& text, const std::string& name, const std::string& simulation);

}  // namespace perturb

// Preset and script files (TOML), and the presets that the program carries.
//
// A preset says how a run begins. All keys are optional; one that is not known is an error:
//
//   simulation = "wave"                  # needed only where the file's folder is not named after it
//   title = "Double slit"                # in menus
//   hint = "Click left of the wall."     # tells a first-time user what to try
//   order = 3                            # place in menus; equal ones by name, none last
//   size = [512, 512]                    # cells
//   seed = 1
//   steps_per_frame = 16                 # how fast the window begins to run it
//   [parameters]                         # by id: numbers, true or false, choices as strings
//   damping = 0.002
//   left = "absorbing"
//   [view]
//   quantity = "height"
//   colormap = "ripple"
//   range = [-1, 1]
//   automatic = false                    # the range follows the data
//   smooth = true                        # linear magnification, else nearest
//   center = [0.5, 0.5]                  # the point in the middle of the picture, in fractions of the domain
//   zoom = 1                             # 1: all of it
//   orbit = [30, 20]                     # where a scene with depth is seen from: around and above, in degrees
//   [[action]]                           # done in order before the first step
//   kind = "wall-line"                   # the other keys are the fields of this kind of action
//   x0 = 0.4
//   [[action]]
//   kind = "wall-image"
//   image = "harbour.png"                # beside the preset
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
#include "cuda/core/setup.h"
#include "cuda/core/state.h"

namespace perturb {

// The presets of a simulation embedded at build time, in the order they are offered (the first is the default).
std::vector<std::string> preset_ids(const std::string& simulation);
// "wave" (its first preset), "wave/rain", or a path to a .toml file. Throws InputError with the nearest name, or file,
// line and column.
Setup load_setup(const std::string& scene);
// How to begin again a run that was saved: its preset, where that is still known, with the state's size, seed and
// parameters. Throws InputError for a simulation that this program lacks or a parameter that it does not take.
Setup setup_of(const State& state);
// A script's events, checked against what `simulation` knows. Throws InputError with file, line and column.
std::vector<Event> load_script(const std::string& path, const std::string& simulation);
// What a script says before its events; no words where it leaves the start to others.
struct ScriptStart {
  std::vector<std::string> words;
  std::optional<std::int64_t> steps;
};
ScriptStart load_script_start(const std::string& path);
// Parses the text of a preset; `name` is what errors call the file, and images are looked for beside it. An empty
// `simulation` is read from the file, or from the name of its folder. Used by load_setup.
Setup parse_setup(const std::string& text, const std::string& name, const std::string& simulation,
                  const std::string& preset);
// The same for the text of a script.
std::vector<Event> parse_script(const std::string& text, const std::string& name, const std::string& simulation);

}  // namespace perturb

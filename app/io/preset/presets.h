// Preset files (TOML), and the presets that the program carries. Words are checked against the simulation's tables, and
// every error tells file, line and column.
//
// A preset says how a run begins. All keys are optional; one that is not known is an error:
//
//   simulation = "wave"                  # needed only where the file's folder is not named after it
//   title = "Double slit"                # in menus
//   hint = "Click left of the wall."     # tells a first-time user what to try
//   touch_hint = "Tap left of the wall." # the same for fingers, where the hint names a mouse button or a key
//   try = ["Add a source.", "..."]       # what to try, and what is to be seen then
//   keywords = ["Diffraction"]           # a search finds the scene by these words too
//   order = 3                            # place in menus; equal ones by name, none last
//   size = [512, 512]                    # cells
//   seed = 1
//   steps_per_frame = 16                 # how fast the window begins to run it
//   past_limit = "missed"                # the gauge that the scene shows past its limit, on purpose
//   [parameters]                         # by id: numbers, true or false, choices as strings
//   damping = 0.002
//   left = "absorbing"
//   [view]
//   quantity = "height"
//   colormap = "ripple"
//   range = [-1, 1]
//   automatic = false                    # the range follows the data
//   smooth = true                        # linear magnification, else nearest
//   layer = { quantity = "speed", as = "lines", lines = 7, range = [0, 1.5] }   # over it; or as = "colors"
//   center = [0.5, 0.5]                  # the point in the middle of the picture, in fractions of the domain
//   zoom = 1                             # 1: all of it
//   orbit = [30, 20]                     # where a scene with depth is seen from: around and above, in degrees
//   [[action]]                           # done in order before the first step
//   kind = "wall-line"                   # the other keys are the fields of this kind of action
//   x0 = 0.4
//   [[action]]
//   kind = "wall-image"
//   image = "harbour.png"                # beside the preset
#pragma once

#include <string>
#include <vector>

#include "app/io/preset/preset_text.h"
#include "app/run/scene.h"
#include "cuda/core/simulation/state.h"

namespace perturb {

// The presets of a simulation embedded at build time, in the order they are offered (the first is the default).
std::vector<std::string> preset_ids(const std::string& simulation);
// "wave" (its first preset), "wave/rain", or a path to a .toml file. Throws InputError with the nearest name, or file,
// line and column.
Scene load_scene(const std::string& scene);
// The text of the preset that load_scene reads for this scene; empty where there is none.
std::string preset_text(const std::string& scene);
// How to begin again a run that was saved: its preset, where that is still known, with the state's size, seed and
// parameters. Throws InputError for a simulation that this program lacks or a parameter that it does not take.
Scene scene_of(const State& state);

}  // namespace perturb

// Preset files (TOML): the built-in ones, reading, and writing. Names are checked against the simulation's tables, and
// every error message gives file, line and column.
//
// A preset describes the start of a run. All keys are optional; an unknown key is an error:
//
//   simulation = "wave"                  # only needed if the file's folder is not named after it
//   title = "Double slit"                # in menus
//   hint = "Click left of the wall."     # suggests a first action to new users
//   touch_hint = "Tap left of the wall." # the same for touch screens, if the hint names a mouse button or a key
//   kiosk_hint = "Press the water."      # for visitors; a kiosk shows the scenes that have one in turn
//   try = ["Add a source.", "..."]       # suggestions with their expected effect
//   keywords = ["Diffraction"]           # additional search terms
//   order = 3                            # position in menus; equal ones by name, without an order last
//   size = [512, 512]                    # cells
//   seed = 1
//   steps_per_frame = 16                 # initial speed in the window
//   count = "Number of fibers"           # what the first of size counts: the window may open the scene with fewer
//   plot = "temperature_profile"         # the curve or measurement that the plots open with; otherwise the first curve
//   past_limit = "missed"                # the gauge whose limit the scene exceeds on purpose
//   [parameters]                         # by id: numbers, true or false, choices as strings
//   damping = 0.002
//   left = "absorbing"
//   [view]
//   quantity = "height"
//   colormap = "ripple"
//   range = [-1, 1]
//   automatic = false                    # the range follows the data
//   smooth = true                        # linear magnification, otherwise nearest neighbour
//   layer = { quantity = "speed", as = "lines", lines = 7, range = [0, 1.5] }   # drawn over it; or as = "colors"
//   theory = true                        # theory is drawn over the image
//   center = [0.5, 0.5]                  # the centre of the image, as fractions of the domain
//   zoom = 1                             # 1: the whole domain
//   orbit = [30, 20]                     # viewing direction in scenes with depth: around and above, in degrees
//   [simple]                             # the simple view of the panel
//   controls = ["wave_speed", "damping"] # ids of parameters: three to six in a built-in preset
//   readings = ["energy"]                # ids of diagnostics; one that the run lacks is shown as missing
//   [units]                              # displayed units; files keep those of the simulation
//   length = "0.1 cm"                    # one length unit is 0.1 cm
//   time = "0.004 s"
//   "length/time" = "0.25 m/s"           # a compound unit as a whole; otherwise it follows from its parts
//   frequency = "Hz"                     # a value by its id; without a number only the name changes
//   [[action]]                           # applied in order before the first step
//   kind = "wall-line"                   # the other keys are the fields of this kind of action
//   x0 = 0.4
//   [[action]]
//   kind = "wall-image"
//   image = "harbour.png"                # relative to the preset's folder
//   [[lighter]]                          # the same physics for slower machines (app/run/lighter.h), each lighter than
//                                        # the one before; only used in built-in presets
//   coarser = 2                          # cells and steps are twice as long; everything is converted by its unit
//   steps_per_frame = 8                  # the other keys are changes of the scene
//   parameters = { count = 750 }
//   by = "time"                          # of a race: its lanes get the same time instead of the same steps
//   [[lane]]                             # of a race: two to four; how each differs from this scene
//   kernel = "temporal"
//   backend = "cpu"
//   precision = "fp64"                   # any parameter, by id
//   nudge = true                         # the start differs by one rounding
//   difference = true                    # its picture shows the difference from the first lane
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/run/run.h"
#include "cuda/core/simulation/state.h"

namespace perturb {

// The built-in presets of a simulation, in menu order (the first is the default).
std::vector<std::string> preset_ids(const std::string& simulation);
// Loads "wave" (its first preset), "wave/rain", or a path to a .toml file. "lbm/cylinder-lighter-1" is a lighter
// variant of a preset, and "lbm/cylinder-full" the preset where a slow machine would open a variant. Throws InputError
// with the most similar name, or with file, line and column.
Scene load_scene(const std::string& scene);
// The preset of which this one is a variant: "cylinder" for "cylinder-lighter-1"; otherwise the same.
std::string full_preset_of(const std::string& preset);
// Whether it is a built-in preset or a variant of one.
bool is_built_in(const std::string& simulation, const std::string& preset);
// The text of the preset that load_scene reads for this scene; empty if there is none.
std::string preset_text(const std::string& scene);
// The scene that restarts a saved run: its preset, if it still exists, with the state's size, seed and parameters.
// Throws InputError if this version lacks the simulation or rejects a parameter.
Scene scene_of(const State& state);

// Parses a preset. Error messages call the file `name`; images are read relative to its folder. If `simulation` is
// empty, it is read from the file, or from the name of its folder. `preset` becomes the preset's name in the setup.
// Throws InputError with file, line and column.
Scene parse_scene(const std::string& text, const std::string& name, const std::string& simulation,
                  const std::string& preset);

// Whether a simulation with this id exists, as for the name of a preset's folder.
bool is_simulation(const std::string& id);

// Position in menus; the last one if the text gives none.
std::int64_t order_of_preset(const std::string& text, const std::string& name);

// The text of a preset with the contents of `scene`. Images have the names given by the actions.
std::string text_of_preset(const Scene& scene);

// Saves the preset as <name>.toml in `folder`, which is created if missing, and its images next to it. `name` is
// preset_file_stem(scene.title). Returns the file's path. Throws Error.
std::string save_preset(Scene scene, const std::string& folder);

}  // namespace perturb

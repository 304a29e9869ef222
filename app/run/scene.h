// A scene: how a run begins, and how it is shown and told about. What a preset file says, with the command line's
// changes applied.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cuda/core/paint/camera.h"
#include "cuda/core/paint/view_settings.h"
#include "cuda/core/simulation/setup.h"

namespace perturb {

struct Scene {
  Setup setup;
  std::string title, hint;            // the hint tells a first-time user what to try
  std::string touch_hint;             // the same for fingers, where the hint names a mouse button or a key
  std::vector<std::string> tries;     // what to try with it, a sentence or two each, and what is to be seen then
  std::vector<std::string> keywords;  // by which a search finds it besides its title and hint
  int steps_per_frame = 0;            // how fast the window begins to run it; 0: the program's default
  std::string past_limit;             // the id of a gauge that the scene shows past its limit, on purpose
  ViewSettings view;
  Camera camera;  // what the picture begins with, and comes home to
  // The scene as its preset file said when it was read; null for the program's own presets. Files change and vanish, so
  // none is read a second time for a run.
  std::shared_ptr<const Scene> as_read{};
};

}  // namespace perturb

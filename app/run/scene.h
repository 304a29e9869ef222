// A scene: the start of a run, its view and its texts. Contents of a preset file with the changes of the command line.
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
  std::string title, hint;            // the hint suggests a first action to new users
  std::string touch_hint;             // the same for touch screens, if the hint names a mouse button or a key
  std::vector<std::string> tries;     // suggestions, one or two sentences each, with the expected effect
  std::vector<std::string> keywords;  // search terms in addition to title and hint
  int steps_per_frame = 0;            // initial speed in the window; 0: the program's default
  std::string past_limit;             // id of a gauge whose limit the scene exceeds on purpose
  ViewSettings view;
  Camera camera;  // initial view, and the one that "reset view" restores
  // The scene as read from its preset file; null for built-in presets. Files change or vanish, so a run never reads its
  // file a second time.
  std::shared_ptr<const Scene> as_read{};
};

}  // namespace perturb

// The program's picture without a window.
#pragma once

#include <memory>
#include <string>

#include "app/app.h"
#include "app/run/experiment.h"
#include "cuda/core/picture.h"

namespace perturb {

class LessonRun;

// Pictures of an experiment as it stands: for screenshots and recordings. Whoever holds it takes the steps between
// frames. Keeps its context current on this thread.
class OffscreenView {
 public:
  // `with_ui`: with the panels drawn over it, as the window has them.
  OffscreenView(Experiment& experiment, const AppOptions& options, int width, int height, bool with_ui);
  ~OffscreenView();
  OffscreenView(const OffscreenView&) = delete;
  OffscreenView& operator=(const OffscreenView&) = delete;

  // The panels show this lesson as it stands.
  void show_lesson(const LessonRun& lesson);
  Picture frame();
  // How pixels get into the picture, and why not in a better way; known after the first frame.
  std::string path() const;
  std::string note() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace perturb

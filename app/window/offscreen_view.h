// The program's picture without a window.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/run/experiment.h"
#include "app/window/app.h"
#include "cuda/core/paint/picture.h"
#include "cuda/core/simulation/diagnostics.h"

namespace perturb {

class LessonSession;

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
  void show_lesson(const LessonSession& lesson);
  Picture frame();
  // The instruments in the picture: probes read at every step that read_every() divides (0: there are none), when this
  // is called there; and all curves as they are now.
  std::int64_t read_every() const;
  void read_probes();
  std::vector<Curve> curves();
  // How pixels get into the picture, and why not in a better way; known after the first frame.
  std::string path() const;
  std::string note() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace perturb

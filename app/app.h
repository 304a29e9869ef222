// The program with a picture: an experiment, a context to draw into, panels, and the order of a frame.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "app/experiment.h"
#include "app/gl/context.h"
#include "app/gl/window.h"

namespace perturb {

struct AppOptions {
  bool interop = true;
  double ui_scale = 0;  // pixels per design pixel; 0: the monitor's own scale
  bool show_ui = true;
  std::string backend_note;      // why `auto` fell back, for the status line
  int steps_per_frame = 0;       // 0: the program's default
  std::int64_t frame_limit = 0;  // stop after this many frames; 0: until closed
  bool report_first_frame =
      false;  // writes "first frame after 0.42 s" to stderr, counted from the start of the process
};

// Runs the window until it is closed, or a signal asks the program to end; returns the exit code.
int run_window(Experiment& experiment, const AppOptions& options, const WindowOptions& window_options);

// Pictures of an experiment as it stands, without a window: for screenshots and recordings. Whoever holds it takes the
// steps between frames. Keeps its context current on this thread.
class OffscreenView {
 public:
  // `with_ui`: with the panels drawn over it, as the window has them.
  OffscreenView(Experiment& experiment, const AppOptions& options, int width, int height, bool with_ui);
  ~OffscreenView();
  OffscreenView(const OffscreenView&) = delete;
  OffscreenView& operator=(const OffscreenView&) = delete;

  Picture frame();
  // How pixels get into the picture, and why not in a better way; known after the first frame.
  std::string path() const;
  std::string note() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// One picture, width x height; with the panels drawn over it if asked.
Picture take_picture(Experiment& experiment, const AppOptions& options, int width, int height, bool with_ui);

}  // namespace perturb

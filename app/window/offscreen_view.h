// Renders the view without a window.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/run/experiment.h"
#include "app/window/app.h"
#include "cuda/core/paint/pixels.h"
#include "cuda/core/simulation/diagnostics.h"

namespace perturb {

class LessonSession;

// Images of an experiment in its current state, for screenshots and recordings. The caller takes the steps between
// frames. Keeps its context current on this thread.
class OffscreenView {
 public:
  // `with_ui`: with the panels drawn over it, as in the window; otherwise only the titles of a race's lanes.
  OffscreenView(Experiment& experiment, const AppOptions& options, int width, int height, bool with_ui);
  ~OffscreenView();
  OffscreenView(const OffscreenView&) = delete;
  OffscreenView& operator=(const OffscreenView&) = delete;

  // Shows this lesson, at its current step, in the panels.
  void show_lesson(const LessonSession& lesson);
  Picture frame();
  // The instruments in the view, and the history of numbers that panels show: stop at the next step at which something
  // is to be read, and call read() there. Then all curves of the current state in these units.
  std::int64_t next_reading(std::int64_t step) const;
  void read();
  std::vector<Curve> curves(const DisplayUnits& units);
  // Writes a lab report of the current state (write_report_page()).
  void write_report(const std::string& path);
  // How pixels reach the image, and why no faster path is used; known after the first frame.
  std::string path() const;
  std::string note() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace perturb

// Reports the processor time of frames, by part and by what was open.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace perturb {

// Processor time of the window's thread: waiting, and the time of other threads and programs, is not included. If
// OpenGL renders on the CPU, rendering counts for the part that triggers it.
class FrameReport {
 public:
  // events: user input, and the passes that it needs; view: jobs, their results, the image on the screen; panels: their
  // layout and drawing; film: reading images back and passing them on; swap: end of the frame.
  enum class Part { events, view, panels, film, swap };
  static constexpr std::size_t parts = 5;

  void begin_frame();
  // Assigns the time since the last call, or since the start of the frame, to this part.
  void lap(Part part);
  // `open`: what was visible, "tab Plots"; `vertices`: of the panels' triangles.
  void end_frame(const std::string& open, int vertices);
  // Durations of the undos and redos in seconds of wall-clock time.
  void take_undos(const std::vector<double>& seconds) { undos_ = seconds; }
  // One line for each `open` with at least ten frames: medians of the vertices and the parts, median and 95th
  // percentile of panels and film together; below them the undos, if any.
  std::string table() const;

 private:
  struct Frame {
    std::array<double, parts> seconds{};
    int vertices = 0;
  };
  Frame now_;
  std::vector<double> undos_;
  double mark_ = 0;
  std::map<std::string, std::vector<Frame>> frames_;
};

}  // namespace perturb

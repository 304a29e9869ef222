// What frames of the window cost the processor, by their parts and by what was open.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace perturb {

// Processor time of the window's thread: what it waits for, and what other threads and programs take, is not in it.
// Where OpenGL draws on the CPU, drawing is in the parts that ask for it.
class FrameReport {
 public:
  // events: what the user does, and the looks that this needs; picture: orders, their answers, the picture on the
  // screen; panels: their layout and drawing; film: pictures read back and handed on; swap: the frame's end.
  enum class Part { events, view, panels, film, swap };
  static constexpr std::size_t parts = 5;

  void begin_frame();
  // What has been done since the last call, or since the frame began, was of this part.
  void lap(Part part);
  // `open`: what was to be seen, "tab Plots"; `vertices`: of the panels' triangles.
  void end_frame(const std::string& open, int vertices);
  // How long each undo and redo took the run, in seconds of the clock.
  void take_undos(const std::vector<double>& seconds) { undos_ = seconds; }
  // A line for each of those, of ten frames at least: medians of the vertices and the parts, median and 95 % of panels
  // and film together; below them the undos, where there were any.
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

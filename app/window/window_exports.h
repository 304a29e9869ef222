// Exports of the window: images for files and the clipboard, videos, lab reports.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/io/image/film_writer.h"
#include "app/render/gl/context.h"
#include "app/render/gl/pixel_reader.h"
#include "app/session/session.h"
#include "cuda/core/backend/stop.h"
#include "cuda/core/paint/pixels.h"

namespace perturb {

// The viewport's part of the current frame as drawn so far; and the same saved as a PNG file named after the scene and
// the step: the session shows where it is, or the error.
Picture read_viewport(const GlContext& context, const Viewport& viewport);
void save_screenshot(const GlContext& context, const Viewport& viewport, Session& session);

// Executes the commands of a session that need the window: images, reports, videos.
class WindowExports {
 public:
  // All arguments must outlive it. A hanging ffmpeg process is ended earlier if `stop` is requested.
  WindowExports(const GlContext& context, Session& session, const StopRequest& stop)
      : context_(context), session_(session), stop_(stop) {}
  // An unfinished video is saved as far as it has been recorded.
  ~WindowExports();
  WindowExports(const WindowExports&) = delete;
  WindowExports& operator=(const WindowExports&) = delete;

  // Starts what the command asks for; images follow when they are drawn. Call between two frames.
  void execute(const Command& command, const Viewport& viewport);
  // Continues the videos. Call between two frames.
  void update(const Viewport& viewport);
  // Whether the next image is needed as it is drawn, without waiting for a later one.
  bool is_filming() const { return film_ != nullptr; }
  // Call after the image has been drawn, without panels: `is_capture`: it is the requested capture; `is_new`: it is the
  // next frame of the video.
  void after_view(const Viewport& viewport, double scale, bool is_capture, bool is_new);
  // Call after the panels have been drawn.
  void after_panels();

 private:
  void begin_film(const Viewport& viewport);
  void end_film(const Message& why);
  void capture_frame();
  void flush_frame();
  void update_film();
  void export_image(const Command& command, const Viewport& viewport);
  void save_curves();

  const GlContext& context_;
  Session& session_;
  const StopRequest& stop_;
  std::vector<Command> pending_;  // until the image is drawn
  bool whole_window_ = false;
  std::unique_ptr<FilmWriter> film_, closing_;  // being recorded; being finished
  PixelReader reader_;
  Viewport film_view_, film_part_;  // at its start: the view, and the part of it that the video contains
  std::int64_t film_step_ = -1, film_frames_ = 0, film_all_ = 0;
  double film_rate_ = 60;
  Message film_end_;
  std::chrono::steady_clock::time_point film_began_;
};

}  // namespace perturb

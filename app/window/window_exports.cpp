#include "app/window/window_exports.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "app/io/files/output.h"
#include "app/io/image/clipboard_picture.h"
#include "app/io/image/image.h"
#include "app/window/curves_image.h"
#include "app/window/frame_presenter.h"
#include "app/window/report.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

namespace {

// The part of an image that a viewport shows.
Picture cut_out(const Picture& whole, const Viewport& part) {
  Picture picture{part.width, part.height, {}};
  for (int row = 0; row < part.height; ++row) {
    const auto start = whole.pixels.begin() + (static_cast<std::ptrdiff_t>(part.y + row) * whole.width + part.x);
    picture.pixels.insert(picture.pixels.end(), start, start + part.width);
  }
  return picture;
}

}  // namespace

Picture read_viewport(const GlContext& context, const Viewport& viewport) {
  return cut_out(context.read_back(), viewport);
}

void save_screenshot(const GlContext& context, const Viewport& viewport, Session& session) {
  const std::string path = session.output().unused(".png", OutputFolders::Kind::picture);
  try {
    save_png(read_viewport(context, viewport), path);
    session.output().show_saved("Image saved: {} in {}", path);
  } catch (const Error& error) {
    session.show_error(error.message() +
                       Message("Choose another folder with {}.", shown_chord(CommandId::output_folder)));
  }
}

namespace {

// A window shows 60 frames per second; a GIF measures time in hundredths of a second.
constexpr double video_rate = 60, gif_rate = 50;

std::string format_seconds(double seconds) { return format_number(seconds, 3) + " s"; }

}  // namespace

WindowExports::~WindowExports() {
  try {
    if (film_) end_film("");
    if (closing_) closing_->finish();
  } catch (const Error&) {
    // The window is closed: the error cannot be shown.
  }
}

void WindowExports::execute(const Command& command, const Viewport& viewport) {
  if (is(command, CommandId::film))
    film_ ? end_film("") : begin_film(viewport);
  else if (is(command, CommandId::end_film) && film_)
    end_film("");
  else if (is_export(command, ExportKind::curves_image))
    save_curves();
  else if (is_export(command, ExportKind::whole_window))
    whole_window_ = true;
  else if (needs_image(command))
    pending_.push_back(command);
}

void WindowExports::update(const Viewport& viewport) {
  if (film_ && !(viewport.width == film_view_.width && viewport.height == film_view_.height))
    end_film("The view changed its size. The video ends here.");
  update_film();
}

void WindowExports::save_curves() {
  try {
    session_.readings().read_all();
    const std::vector<Curve> curves = session_.measurements().all_curves();
    if (curves.empty()) throw InputError("No curves yet. Run the simulation, or add a probe or a line cut.");
    const std::string path = session_.output().unused("-curves.png", OutputFolders::Kind::picture);
    save_png(curves_image(curves), path);
    session_.output().show_saved("Curves saved: {} in {}", path);
  } catch (const Error& error) {
    session_.show_error(error.message());
  }
}

void WindowExports::after_view(const Viewport& viewport, double scale, bool is_capture, bool is_new) {
  if (is_new && film_) capture_frame();
  if (!is_capture) return;
  const std::vector<Command> now = std::exchange(pending_, {});
  if (now.empty()) return;
  const Viewport part = exported_part(session_, viewport);
  try {
    if (session_.interface().exports.caption) {
      const Scene& scene = *session_.run().scene;
      draw_caption(context_, part, scale,
                   Message("{} \u2013 {}, {}", Message(scene.title.empty() ? session_.info().title : scene.title),
                           Message(session_.view().quantity().label),
                           time_text(session_.display_units(), session_.info(), session_.run().time)));
    }
    for (const Command& command : now) export_image(command, part);
  } catch (const Error& error) {
    session_.show_error(error.message());
  }
}

void WindowExports::export_image(const Command& command, const Viewport& viewport) {
  if (is_export(command, ExportKind::image_to_clipboard)) {
    copy_picture_to_clipboard(read_viewport(context_, viewport));
    session_.show_message("Image copied");
  } else if (is_export(command, ExportKind::report)) {
    session_.readings().read_all();
    write_report(session_, read_viewport(context_, viewport));
  } else {
    save_screenshot(context_, viewport, session_);
  }
}

void WindowExports::after_panels() {
  if (!std::exchange(whole_window_, false)) return;
  const std::string path = session_.output().unused("-window.png", OutputFolders::Kind::picture);
  try {
    save_png(context_.read_back(), path);
    session_.output().show_saved("Window saved: {} in {}", path);
  } catch (const Error& error) {
    session_.show_error(error.message());
  }
}

// ---- videos

void WindowExports::begin_film(const Viewport& viewport) {
  const ExportChoices& choice = session_.interface().exports;
  const Viewport part = exported_part(session_, viewport);
  try {
    if (closing_) throw InputError("The last video is still being saved. Try again in a moment.");
    const std::string ending = choice.film_as_gif ? ".gif" : ".mp4";
    const std::string stem = session_.output().stem(OutputFolders::Kind::picture);
    // Without ffmpeg, the frames are written to a folder with this name.
    const std::string path = unused_stem(stem, {ending, "-frames"}) + ending;
    film_rate_ = choice.film_as_gif ? gif_rate : video_rate;
    Message note;
    film_ = std::make_unique<FilmWriter>(Recorder::make(path, part.width, part.height, film_rate_, &note, &stop_));
    if (!note.empty()) session_.show_message(note);
  } catch (const Error& error) {
    session_.show_error(error.message());
    return;
  }
  film_view_ = viewport;
  film_part_ = part;
  film_all_ = std::max<std::int64_t>(1, std::llround(choice.film_seconds * film_rate_));
  film_frames_ = 0;
  film_step_ = -1;
  film_end_ = {};
  film_began_ = std::chrono::steady_clock::now();
  session_.playback().set_film(FilmProgress{0, film_all_, 0});
  session_.playback().set_playing(true);
}

void WindowExports::capture_frame() {
  // One frame for each time the run advances: none while paused, and none twice.
  if (session_.run().steps == film_step_ || film_frames_ >= film_all_) return;
  film_step_ = session_.run().steps;
  try {
    flush_frame();
    reader_.start(film_part_);
    ++film_frames_;
    if (film_frames_ >= film_all_) end_film("");
  } catch (const Error& error) {
    session_.show_error(error.message());
    film_.reset();
    session_.playback().set_film({});
  }
}

// Writes the frame that was requested before this one.
void WindowExports::flush_frame() {
  if (!reader_.is_under_way()) return;
  Picture picture = film_->spare();
  reader_.take(picture);
  film_->add(std::move(picture), FilmWriter::Channels::bgra);
}

void WindowExports::end_film(const Message& why) {
  try {
    flush_frame();
    if (film_->pictures() == 0) {
      session_.show_message("No video saved: it has no frames yet.");
      film_.reset();
    } else {
      film_->close();
      closing_ = std::move(film_);
      film_end_ = why;
      session_.show_message(why + "Saving the video…");
    }
  } catch (const Error& error) {
    session_.show_error(error.message());
    film_.reset();
  }
  session_.playback().set_film({});
}

void WindowExports::update_film() {
  if (film_) {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - film_began_).count();
    FilmProgress progress{film_frames_, film_all_, 0};
    if (film_frames_ > 2)
      progress.seconds_left =
          seconds / static_cast<double>(film_frames_) * static_cast<double>(film_all_ - film_frames_);
    session_.playback().set_film(progress);
    if (!session_.run().stop_reason.empty()) end_film("The run has stopped. The video ends here.");
  }
  if (!closing_ || !closing_->is_done()) return;
  try {
    closing_->finish();
    session_.show_message(film_end_ + Message("Video saved, {} frames, {}: {}", closing_->pictures(),
                                              format_seconds(static_cast<double>(closing_->pictures()) / film_rate_),
                                              in_its_folder(closing_->destination())));
  } catch (const Error& error) {
    session_.show_error(error.message());
  }
  closing_.reset();
}

}  // namespace perturb

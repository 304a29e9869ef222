#include "app/window/app.h"

#include <atomic>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/i18n/language.h"
#include "app/io/files/desktop.h"
#include "app/io/files/failure_log.h"
#include "app/io/files/folders.h"
#include "app/io/files/printable.h"
#include "app/lessons/lesson_progress.h"
#include "app/render/display/canvas.h"
#include "app/render/gl/window.h"
#include "app/run/interrupts.h"
#include "app/run/lighter.h"
#include "app/run/live_count.h"
#include "app/session/input_events.h"
#include "app/session/kiosk.h"
#include "app/session/session.h"
#include "app/sound/sound_device.h"
#include "app/ui/panels/panels.h"
#include "app/ui/panels/view_overlays.h"
#include "app/ui/widgets/gui.h"
#include "app/ui/widgets/input_queue.h"
#include "app/window/frame_presenter.h"
#include "app/window/frame_timing.h"
#include "app/window/run_share.h"
#include "app/window/window_exports.h"
#include "app/window/window_images.h"
#include "app/window/window_settings.h"
#include "cuda/core/backend/timeline.h"

namespace perturb {

namespace {

// While the run is still busy, frames are drawn on input, and at least at this interval (seconds).
constexpr double frame_while_computing = 0.05;

// Label for the cost of a frame.
std::string frame_label(const Session& session) {
  constexpr const char* tabs[] = {"tab Lesson", "tab Physics", "tab View", "tab Plots", "tab Kernels"};
  const InterfaceState& interface = session.interface();
  const std::string panels = interface.presentation ? "presentation"
                             : !interface.panels    ? "view only"
                                                    : tabs[static_cast<int>(interface.tab)];
  const char* const dialog = interface.overlay == Overlay::browser ? ", browser"
                             : interface.overlay != Overlay::none  ? ", a dialog"
                                                                   : "";
  return panels + dialog + (session.playback().film() ? ", recording" : "");
}

std::string window_title(const Session& session) {
  const std::string scene = tr(session.run().scene->title);
  return scene.empty() ? "Perturb" : scene + " \u2013 Perturb";
}

// Whether the next frame differs without any input.
bool is_animated(Session& session) {
  return session.playback().playing() || session.playback().is_returning() || !session.is_idle() ||
         session.playback().film() || session.kernel_editor().is_compiling() || session.puzzles().is_checking() ||
         session.audio_output().probe() != 0 || session.singing().is_on() ||
         session.interface().overlay == Overlay::browser;
}

// The window with its parts, and the sequence of a frame.
class FrameLoop {
 public:
  FrameLoop(Experiment& experiment, const AppOptions& options, const WindowOptions& window_options,
            Interrupts& interrupts);
  // Draws frames until the window is closed.
  void run();
  // Saves what the next start needs, and prints the reports.
  void finish();

 private:
  using Part = FrameReport::Part;

  // Settings of the last session, then the options of the command line.
  void apply_options();
  bool continues() const;
  Layout layout_now() const;
  // Waits for input as long as nothing moves. Returns false if the window is minimised: there is nothing to draw.
  bool wait();
  // Handles the events since the last frame, including the user's changes of the simulation, in as many passes as
  // needed.
  void handle_events();
  void execute(const std::vector<Command>& commands);
  // In full screen and in a presentation.
  void hold_off_screen_saver();
  void draw_panels(const std::vector<InputEvent>& events);
  // Requests the next image; returns whether there is one.
  bool advance(const Viewport& viewport);
  // The image, the exports that need it, and the panels over it. Returns whether the image is new.
  bool draw_frame();
  void draw_view(bool as_is);
  // Waits until this frame has its minimum duration, and returns its duration.
  double next_frame();
  void end_frame(bool is_new);
  // Writes changed settings once they have settled: not while a slider or the edge of the window moves.
  void keep_settings(double seconds);

  const AppOptions& options_;
  Interrupts& interrupts_;
  Window window_;
  InputQueue input_;
  TrickleQueue trickle_queue_;
  Gui gui_;
  Canvas canvas_;
  GlThumbnailTextures thumbnails_;
  std::atomic<bool> waits_for_run_{false};  // outlives the run thread
  Session session_;
  RunShare share_{session_};
  Panels panels_;
  SettingsFile settings_file_;
  Settings seen_settings_, tried_settings_;  // at the last check; written last, or failed to be
  double settings_age_ = 0;                  // seconds since the last check
  std::optional<Kiosk> kiosk_;
  FrameClock clock_;
  IdleThrottle throttle_;
  FramePresenter presenter_;
  WindowExports exports_;
  FrameReport report_;
  Layout layout_;
  std::vector<InputEvent> events_;  // of the last pass
  std::string title_;
  bool holds_off_screen_saver_ = false;
  std::int64_t frame_ = 0;
};

FrameLoop::FrameLoop(Experiment& experiment, const AppOptions& options, const WindowOptions& window_options,
                     Interrupts& interrupts)
    : options_(options),
      interrupts_(interrupts),
      window_(window_options),
      input_(window_.handle()),
      gui_(Gui::Renderer::opengl, window_.handle()),
      canvas_(options.interop),
      session_(experiment, options.steps_per_frame, Runner::Where::own_thread),
      settings_file_(options.keep_in),
      clock_(Window::display_rate(), options.frame_rate),
      presenter_(session_, canvas_),
      exports_(window_, session_, interrupts.request()) {
  window_.set_icon(window_icon());
  experiment.set_recording(options.kiosk.empty());  // no undo in kiosk mode
  session_.on_idle([this] {
    if (waits_for_run_) Window::wake();
  });
  session_.file_opener().set_size_chooser([backends = experiment.backends()](Scene& scene) {
    choose_lighter(backends, scene);
    choose_live_count(backends, scene);
  });
  apply_options();
  if (!options.kiosk.empty()) kiosk_.emplace(options.kiosk);
}

void FrameLoop::apply_options() {
  // The same speed on any display, unless a number of steps per frame is requested.
  if (options_.steps_per_frame == 0) session_.pace().set_unit(Pace::Unit::per_second);
  apply_settings(options_.settings, session_, panels_);
  if (options_.settings.reduced_motion) session_.playback().set_playing(false);
  InterfaceState interface = session_.interface();
  Preferences& preferences = interface.preferences;
  if (!options_.theme.empty()) preferences.theme = theme_of(options_.theme);
  preferences = with_panel(preferences, options_.panel);
  if (!options_.language.empty()) preferences.language = options_.language;
  use_language(preferences.language.empty() ? language_of_environment() : preferences.language);
  interface.kiosk = !options_.kiosk.empty();
  session_.set_interface(std::move(interface));
  show_at_start(options_, session_, panels_);
  if (!options_.output_folder.empty()) session_.output().set_chosen(options_.output_folder);
  Message folders_note;
  session_.output().set_default_folders(pictures_folder(&folders_note), documents_folder());
  if (!folders_note.empty()) session_.show_error(folders_note);
  session_.file_opener().set_script_reader(options_.read_script);
  session_.audio_output().set_sound_opener(open_sound_device);
  session_.singing().set_microphone_opener(open_microphone);
  session_.lessons().set_progress_file(lesson_progress_path());
  if (const std::string folder = state_folder(); !folder.empty()) {
    log_failures_in(folder + "/failures.log");
    // In kiosk mode, runs are not autosaved, and visitors are not offered a recovery.
    if (options_.kiosk.empty()) session_.autosave_controller().enable(folder + "/sessions", options_.fresh);
  }
  // Errors of opening and reading; shown until they are dismissed.
  if (!options_.note.empty()) session_.show_error(options_.note);
  for (const Instrument& instrument : options_.instruments) session_.instrument_controller().add(instrument);
  if (!options_.lesson.empty()) session_.post(OpenLesson{options_.lesson});
  if (!options_.file.empty()) session_.post(OpenFile{options_.file});
}

bool FrameLoop::continues() const {
  return !window_.should_close() && !interrupts_.stop_requested() &&
         (options_.frame_limit == 0 || frame_ < options_.frame_limit);
}

void FrameLoop::run() {
  Timeline::name_this_thread("window");
  while (continues()) {
    const Timeline::Scope frame(TimeUse::frame, "frame");
    if (!wait()) continue;
    report_.begin_frame();
    handle_events();
    report_.lap(Part::events);
    const bool is_new = draw_frame();
    end_frame(is_new);
  }
}

bool FrameLoop::wait() {
  const Timeline::Scope scope(TimeUse::waiting, "wait for input or the run");
  waits_for_run_ = !session_.is_idle();
  if (waits_for_run_ && !session_.is_idle())
    window_.wait_events(frame_while_computing);
  else if (throttle_.max_wait() > 0)
    window_.wait_events(throttle_.max_wait());
  else
    window_.poll_events();
  waits_for_run_ = false;
  if (window_.width() > 0 && window_.height() > 0) return true;
  share_.update();
  window_.wait_events(0.1);
  return false;
}

Layout FrameLoop::layout_now() const {
  const InterfaceState& interface = session_.interface();
  const double scale =
      (options_.ui_scale > 0 ? options_.ui_scale : window_.content_scale()) * interface.preferences.text_scale;
  Layout layout = make_layout(window_.width(), window_.height(), window_.pixels_per_coordinate(), scale,
                              interface.panels, interface.dock_height());
  layout.lanes = session_.run().scene->lanes.size();
  return layout;
}

void FrameLoop::handle_events() {
  const Timeline::Scope scope(TimeUse::events, "events");
  thumbnails_.upload_new();
  std::vector<InputEvent> input_events = input_.take();
  throttle_.update(input_events, kiosk_ || options_.frame_limit != 0 || share_.is_on() || trickle_queue_.waiting() ||
                                     is_animated(session_));
  trickle_queue_.add(kiosk_ ? kiosk_->filter_events(std::move(input_events)) : std::move(input_events));
  if (!gui_.is_typing()) trickle_queue_.drop_repeats();
  layout_ = layout_now();
  for (;;) {
    events_ = trickle_queue_.next();
    session_.handle(events_, layout_,
                    gui_.is_typing()       ? Session::Keyboard::typing
                    : gui_.is_navigating() ? Session::Keyboard::navigating
                                           : Session::Keyboard::free,
                    panels_.feedback());
    const std::vector<Command> commands = session_.take_window_commands();
    layout_ = layout_now();
    execute(commands);
    // Commands refer to the current state: later events wait.
    if (!trickle_queue_.waiting() || !commands.empty()) break;
    draw_panels(events_);
    gui_.end_pass();
  }
  hold_off_screen_saver();
  if (title_ != window_title(session_)) window_.set_title(title_ = window_title(session_));
}

void FrameLoop::hold_off_screen_saver() {
  const bool wanted = window_.fullscreen() || session_.interface().presentation;
  if (wanted == holds_off_screen_saver_) return;
  holds_off_screen_saver_ = wanted;
  if (const unsigned long id = window_.x11_id(); id != 0) perturb::hold_off_screen_saver(id, wanted);
}

void FrameLoop::execute(const std::vector<Command>& commands) {
  bool needs_capture = false;
  for (const Command& command : commands) {
    needs_capture = needs_capture || needs_image(command);
    if (const auto* copy = std::get_if<CopyText>(&command))
      window_.set_clipboard(copy->text);
    else if (is(command, CommandId::quit))
      window_.request_close();
    else if (is(command, CommandId::fullscreen))
      window_.set_fullscreen(!window_.fullscreen());
    else if (is(command, CommandId::share))
      share_.toggle();
    else
      exports_.execute(command, layout_.viewport());
  }
  exports_.update(layout_.viewport());
  if (needs_capture) presenter_.request_capture();
}

void FrameLoop::draw_panels(const std::vector<InputEvent>& events) {
  const Timeline::Scope scope(TimeUse::panels, "panels");
  gui_.set_theme(session_.theme());
  gui_.keep_page_keys(session_.lesson() && session_.interface().overlay == Overlay::none);
  gui_.begin_frame(layout_, 0, events);
  if (kiosk_) panels_.set_invitation(kiosk_->shows_invitation() ? kiosk_->invitation() : "");
  panels_.set_share(share_.shown());
  panels_.draw(session_, gui_.style(), layout_, display_info_of(canvas_, options_.backend_note), &thumbnails_);
}

void FrameLoop::draw_view(bool as_is) {
  const Timeline::Scope scope(TimeUse::painting, "draw the image");
  canvas_.draw(layout_.viewport(), as_is);
  draw_outside_domain(session_, layout_.viewport());
}

bool FrameLoop::advance(const Viewport& viewport) {
  const Timeline::Scope scope(TimeUse::painting, "new image");
  return presenter_.advance(viewport);
}

bool FrameLoop::draw_frame() {
  const Viewport viewport = layout_.viewport();
  const bool is_new = advance(viewport);
  share_.update();
  if (is_new) ++frame_;
  window_.begin_frame();
  const bool is_capture = presenter_.take_capture();
  draw_view(is_capture || exports_.is_filming());
  report_.lap(Part::view);
  exports_.after_view(viewport, layout_.unit * layout_.pixels_per_coordinate, is_capture, is_new);
  // Only the saved image has a caption.
  if (is_capture && session_.interface().exports.caption) draw_view(true);
  report_.lap(Part::film);
  draw_panels(events_);
  {
    const Timeline::Scope scope(TimeUse::panels, "draw the panels");
    gui_.end_frame();
  }
  report_.lap(Part::panels);
  exports_.after_panels();
  report_.lap(Part::film);
  return is_new;
}

double FrameLoop::next_frame() {
  const Timeline::Scope scope(TimeUse::waiting, "limit of the frame rate");
  return clock_.next_frame();
}

void FrameLoop::end_frame(bool is_new) {
  // The swap waits for the display, so it does not count as work; but if OpenGL renders on the CPU, it renders then.
  double busy = clock_.seconds();
  {
    const Timeline::Scope scope(TimeUse::swap, "swap");
    window_.end_frame();
  }
  report_.lap(Part::swap);
  if (is_new) report_.end_frame(frame_label(session_), gui_.vertices());
  if (window_.gl_info().software) busy = clock_.seconds();
  if (is_new && frame_ == 1 && options_.report_first_frame)
    std::fprintf(stderr, "first frame after %.2f s\n", seconds_since_process_start());
  const double lasted = next_frame();
  session_.end_frame(lasted, busy);
  if (kiosk_) kiosk_->end_frame(session_, lasted);
  keep_settings(lasted);
}

void FrameLoop::keep_settings(double seconds) {
  constexpr double seconds_between_checks = 0.25;
  settings_age_ += seconds;
  if (options_.keep_in.empty() || settings_age_ < seconds_between_checks) return;
  settings_age_ = 0;
  Settings now = settings_of(session_, panels_, window_);
  if (now == seen_settings_ && now != tried_settings_ && !throttle_.is_held()) {
    tried_settings_ = now;
    try {
      settings_file_.keep(now);
    } catch (const Error& error) {
      if (!session_.message().is_error) session_.show_message(error.message());
    }
  }
  seen_settings_ = std::move(now);
}

void FrameLoop::finish() {
  share_.stop();
  if (options_.frame_limit == 0)
    if (const Message failure = session_.autosave_controller().save_at_exit(); !failure.empty())
      std::fprintf(stderr, "perturb: %s\n", failure.english().c_str());
  report_.take_undos(session_.run_switcher().undo_seconds());
  if (options_.report_frames) std::fputs(report_.table().c_str(), stderr);
  try {
    settings_file_.keep(settings_of(session_, panels_, window_));
  } catch (const Error& error) {
    std::fprintf(stderr, "perturb: %s The window's settings are not saved.\n",
                 escape_for_terminal(error.what()).c_str());
  }
}

}  // namespace

int run_window(Experiment& experiment, const AppOptions& options, const WindowOptions& window_options) {
  // A signal closes the window like its close button, and cancels a slow step.
  Interrupts interrupts;
  // The run thread observes its own stop request; this one is for a run that has to be on this thread.
  const StopScopes scopes(experiment.backends(), interrupts.request());
  try {
    FrameLoop loop(experiment, options, window_options, interrupts);
    loop.run();
    loop.finish();
  } catch (const Stopped&) {
  }
  return 0;
}

}  // namespace perturb

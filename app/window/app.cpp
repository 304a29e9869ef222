#include "app/window/app.h"

#include <atomic>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/i18n/language.h"
#include "app/io/files/failure_log.h"
#include "app/io/files/folders.h"
#include "app/io/files/printable.h"
#include "app/lessons/lesson_progress.h"
#include "app/render/display/canvas.h"
#include "app/render/gl/window.h"
#include "app/run/interrupts.h"
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
#include "app/window/window_exports.h"
#include "app/window/window_images.h"
#include "app/window/window_settings.h"

namespace perturb {

namespace {

// While the run is still busy, frames are drawn on input, and at least at this interval (seconds).
constexpr double frame_while_computing = 0.05;

// Label for the cost of a frame.
std::string frame_label(const UiState& state) {
  constexpr const char* tabs[] = {"tab Lesson", "tab Physics", "tab View", "tab Plots", "tab Kernels"};
  const std::string panels = state.presentation ? "presentation"
                             : !state.panels    ? "view only"
                                                : tabs[static_cast<int>(state.tab)];
  return panels +
         (state.overlay == Overlay::browser ? ", browser"
          : state.overlay != Overlay::none  ? ", a dialog"
                                            : "") +
         (state.film ? ", recording" : "");
}

std::string window_title(const Session& session) {
  const std::string scene = tr(session.run().scene->title);
  return scene.empty() ? "Perturb" : scene + " \u2013 Perturb";
}

// Whether the next frame differs without any input.
bool is_animated(Session& session) {
  const UiState& state = session.state();
  return state.playing || !session.is_idle() || state.film || state.audible_probe != 0 ||
         state.overlay == Overlay::browser;
}

void show_frames(Experiment& experiment, const AppOptions& options, const WindowOptions& window_options,
                 Interrupts& interrupts) {
  Window window(window_options);
  window.set_icon(window_icon());
  InputQueue input(window.handle());
  TrickleQueue trickle_queue;
  Gui gui(Gui::Renderer::opengl, window.handle());
  Canvas canvas(options.interop);
  GlThumbnailTextures thumbnails;
  std::atomic<bool> waits_for_run{false};           // outlives the run thread
  experiment.set_recording(options.kiosk.empty());  // no undo in kiosk mode
  Session session(experiment, options.steps_per_frame, Runner::Where::own_thread);
  session.on_idle([&waits_for_run] {
    if (waits_for_run) Window::wake();
  });
  // The same speed on any display, unless a number of steps per frame is requested.
  if (options.steps_per_frame == 0) session.pace().set_unit(Pace::Unit::per_second);
  apply_settings(options.settings, session);
  if (!options.theme.empty()) session.state().theme = theme_of(options.theme);
  if (!options.language.empty()) session.state().language = options.language;
  use_language(session.state().language.empty() ? language_of_environment() : session.state().language);
  if (!options.output_folder.empty()) session.state().output_folder = options.output_folder;
  Message folders_note;
  session.output().set_default_folders(pictures_folder(&folders_note), documents_folder());
  if (!folders_note.empty()) session.show_error(folders_note);
  session.file_opener().set_script_reader(options.read_script);
  session.audio_output().set_sound_opener(open_sound_device);
  SettingsFile kept(options.keep_in);
  session.lessons().set_progress_file(lesson_progress_path());
  if (const std::string folder = state_folder(); !folder.empty()) log_failures_in(folder + "/failures.log");
  // In kiosk mode, runs are not autosaved, and visitors are not offered a recovery.
  session.state().kiosk = !options.kiosk.empty();
  if (const std::string folder = state_folder(); !folder.empty() && options.kiosk.empty())
    session.autosave_controller().enable(folder + "/sessions");
  // Errors of opening and reading; shown until they are dismissed.
  if (!options.note.empty()) session.show_error(options.note);
  if (options.show_plots) session.state().tab = Tab::plots, session.state().drawer_open = true;
  for (const Instrument& instrument : options.instruments) session.instrument_controller().add(instrument);
  if (!options.lesson.empty()) session.state().ask(OpenLesson{options.lesson});
  std::optional<Kiosk> kiosk;
  if (!options.kiosk.empty()) kiosk.emplace(options.kiosk);
  std::string title;
  bool reported = false;
  FrameReport report;

  const bool software_gl = window.gl_info().software;
  FrameClock clock(Window::display_rate(), options.frame_rate);
  IdleThrottle throttle;
  const auto continues = [&](std::int64_t frame) {
    return !window.should_close() && !interrupts.stop_requested() &&
           (options.frame_limit == 0 || frame < options.frame_limit);
  };
  FramePresenter presenter(session, canvas, experiment.backend());
  WindowExports exports(window, session, interrupts.request());
  for (std::int64_t frame = 0; continues(frame);) {
    waits_for_run = !session.is_idle();
    if (waits_for_run && !session.is_idle())
      window.wait_events(frame_while_computing);
    else if (throttle.max_wait() > 0)
      window.wait_events(throttle.max_wait());
    else
      window.poll_events();
    waits_for_run = false;
    if (window.width() == 0 || window.height() == 0) {  // minimised: nothing to draw, the run is idle
      window.wait_events(0.1);
      continue;
    }
    const auto layout_now = [&] {
      const double scale =
          (options.ui_scale > 0 ? options.ui_scale : window.content_scale()) * session.state().text_scale;
      return make_layout(window.width(), window.height(), window.pixels_per_coordinate(), scale,
                         session.state().panels);
    };
    const auto draw_pass = [&](const Layout& layout, const std::vector<InputEvent>& events) {
      gui.set_theme(session.state().theme);
      gui.keep_page_keys(session.lesson() && session.state().overlay == Overlay::none);
      gui.begin_frame(layout, 0, events);
      const DisplayInfo info = display_info_of(canvas, options.backend_note);
      const Panel panel{session, gui.style(), layout, info, &thumbnails};
      draw_panels(panel);
      if (kiosk && kiosk->shows_invitation()) draw_invitation(panel, kiosk->invitation());
    };

    report.begin_frame();
    // Handles events, including the user's changes of the simulation, in as many passes as needed; only the last pass
    // is drawn.
    thumbnails.upload_new();
    std::vector<InputEvent> input_events = input.take();
    throttle.update(input_events, kiosk || options.frame_limit != 0 || trickle_queue.waiting() || is_animated(session));
    trickle_queue.add(kiosk ? kiosk->filter_events(std::move(input_events)) : std::move(input_events));
    if (!gui.is_typing()) trickle_queue.drop_repeats();
    Layout layout = layout_now();
    std::vector<InputEvent> events;
    WindowRequests window_requests;
    for (;;) {
      events = trickle_queue.next();
      session.handle(events, layout,
                     gui.is_typing()       ? Session::Keyboard::typing
                     : gui.is_navigating() ? Session::Keyboard::navigating
                                           : Session::Keyboard::free);
      window_requests = session.take_window_requests();
      layout = layout_now();
      // Requests refer to the current state: later events wait.
      if (!trickle_queue.waiting() || window_requests.any()) break;
      draw_pass(layout, events);
      gui.end_pass();
    }
    const Viewport viewport = layout.viewport();
    if (window_requests.quit) window.request_close();
    if (!window_requests.clipboard.empty()) window.set_clipboard(window_requests.clipboard);
    if (window_requests.toggle_fullscreen) window.set_fullscreen(!window.fullscreen());
    if (title != window_title(session)) window.set_title(title = window_title(session));

    exports.handle(window_requests, viewport);
    if (window_requests.any_image()) presenter.request_capture();
    report.lap(FrameReport::Part::events);
    const bool is_new = presenter.advance(viewport);
    if (is_new) ++frame;
    window.begin_frame();
    const bool is_capture = presenter.take_capture();
    const auto draw_view = [&](bool as_is) {
      canvas.draw(viewport, as_is);
      draw_outside_domain(session, viewport);
    };
    draw_view(is_capture || exports.is_filming());
    report.lap(FrameReport::Part::view);
    const double scale = layout.unit * layout.pixels_per_coordinate;
    exports.after_view(viewport, scale, is_capture, is_new);
    // Only the saved image has a caption.
    if (is_capture && session.state().caption) draw_view(true);
    report.lap(FrameReport::Part::film);

    // Draws the panels over the view.
    draw_pass(layout, events);
    gui.end_frame();
    report.lap(FrameReport::Part::panels);
    exports.after_panels();
    report.lap(FrameReport::Part::film);

    // The swap waits for the display, so it does not count as work; but if OpenGL renders on the CPU, it renders then.
    double busy = clock.seconds();
    window.end_frame();
    report.lap(FrameReport::Part::swap);
    if (is_new) report.end_frame(frame_label(session.state()), gui.vertices());
    if (software_gl) busy = clock.seconds();
    if (frame > 0 && !reported && options.report_first_frame)
      std::fprintf(stderr, "first frame after %.2f s\n", seconds_since_process_start());
    reported = frame > 0;
    const double lasted = clock.next_frame();
    session.end_frame(lasted, busy);
    if (kiosk) kiosk->end_frame(session, lasted);
  }
  if (options.frame_limit == 0)
    if (const Message failure = session.autosave_controller().save_at_exit(); !failure.empty())
      std::fprintf(stderr, "perturb: %s\n", failure.english().c_str());
  report.take_undos(session.run_switcher().undo_seconds());
  if (options.report_frames) std::fputs(report.table().c_str(), stderr);
  try {
    kept.keep(settings_of(session, window));
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
  const StopScope scope(experiment.backend(), interrupts.request());
  try {
    show_frames(experiment, options, window_options, interrupts);
  } catch (const Stopped&) {
  }
  return 0;
}

}  // namespace perturb

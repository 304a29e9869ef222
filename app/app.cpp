#include "app/app.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <thread>

// glad brings OpenGL; GLFW then leaves out its own.
#include <glad/gl.h>
#include <GLFW/glfw3.h>
#include <unistd.h>

#include "app/display/canvas.h"
#include "app/files/image.h"
#include "app/interrupts.h"
#include "app/ui/gui.h"
#include "app/ui/input.h"
#include "app/ui/panels.h"
#include "app/ui/session.h"
#include "app/ui/turns.h"

namespace perturb {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

// Sentences one after the other.
std::string joined(const std::string& a, const std::string& b) { return a.empty() || b.empty() ? a + b : a + "  " + b; }

// The part of a picture that a viewport shows.
Picture cut_out(const Picture& whole, const Viewport& part) {
  Picture picture{part.width, part.height, {}};
  for (int row = 0; row < part.height; ++row) {
    const auto start = whole.pixels.begin() + (static_cast<std::ptrdiff_t>(part.y + row) * whole.width + part.x);
    picture.pixels.insert(picture.pixels.end(), start, start + part.width);
  }
  return picture;
}

void save_screenshot(const GlContext& context, const Viewport& viewport, Session& session) {
  const std::string path = session.output_stem() + ".png";
  try {
    save_png(cut_out(context.read_back(), viewport), path);
    session.tell("Picture saved: " + path);
  } catch (const Error& error) {
    session.tell(error.what());
  }
}

// The shortest frame. Vertical sync paces most displays; this paces those without it, and those so fast that "steps per
// frame" would mean another speed there: 144 Hz gives 72 frames a second, 60 Hz its 60.
double shortest_frame() {
  GLFWmonitor* monitor = glfwGetPrimaryMonitor();
  const GLFWvidmode* mode = monitor ? glfwGetVideoMode(monitor) : nullptr;
  const double rate = mode && mode->refreshRate >= 24 ? mode->refreshRate : 60;
  const double refreshes = std::max(1.0, std::floor(rate / 60 + 0.5));
  return (refreshes - 0.1) / rate;
}

double seconds_since_process_start() {
#if defined(__linux__)
  // Field 22 of /proc/self/stat: when the process started, in clock ticks since boot. The name in
  // field 2 may hold blanks.
  std::ifstream file("/proc/self/stat");
  std::string text;
  std::getline(file, text);
  std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 2)));
  std::string field;
  for (int i = 3; i <= 22 && fields >> field; ++i) {
  }
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  const double ticks = std::strtod(field.c_str(), nullptr) / static_cast<double>(sysconf(_SC_CLK_TCK));
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec) - ticks;
#else
  static const Clock::time_point start = Clock::now();
  return seconds_between(start, Clock::now());
#endif
}

std::string window_title(const Experiment& experiment) {
  const std::string& scene = experiment.setup().title;
  return scene.empty() ? "Perturb" : scene + " \u2013 Perturb";
}

void show_frames(Experiment& experiment, const AppOptions& options, const WindowOptions& window_options,
                 const Interrupts& interrupts) {
  Window window(window_options);
  InputQueue input(window.handle());
  Turns turns;
  Gui gui(Gui::Renderer::opengl, window.handle());
  Canvas canvas(options.interop);
  Session session(experiment, options.steps_per_frame);
  session.state().panels = options.show_ui;
  std::string title;

  const bool software_gl = window.facts().software;
  const double pause = shortest_frame();
  Clock::time_point frame_start = Clock::now();
  const auto goes_on = [&](std::int64_t frame) {
    return !window.should_close() && !interrupts.asked() && (options.frame_limit == 0 || frame < options.frame_limit);
  };
  for (std::int64_t frame = 0; goes_on(frame); ++frame) {
    window.poll_events();
    if (window.width() == 0 || window.height() == 0) {  // minimised: nothing to draw, the run rests
      window.wait_events(0.1);
      continue;
    }
    const auto layout_now = [&] {
      const double scale =
          (options.ui_scale > 0 ? options.ui_scale : window.content_scale()) * session.state().text_scale;
      return make_layout(window.width(), window.height(), window.pixels_per_coordinate(), scale,
                         session.state().panels);
    };
    const auto look = [&](const Layout& layout, const std::vector<InputEvent>& events) {
      gui.begin_frame(layout, 0, events);
      draw_panels({session, gui.style(), layout, {canvas.path(), joined(options.backend_note, canvas.note())}});
    };

    // Events, and with them what the user does to the simulation: as many looks as they need,
    // the last of which is drawn.
    turns.add(input.take());
    if (!gui.is_typing()) turns.drop_repeats();
    Layout layout = layout_now();
    std::vector<InputEvent> events;
    Wishes wishes;
    for (;;) {
      events = turns.next();
      session.handle(events, layout,
                     gui.is_typing()       ? Session::Keyboard::typing
                     : gui.is_navigating() ? Session::Keyboard::navigating
                                           : Session::Keyboard::free);
      wishes = session.take_wishes();
      layout = layout_now();
      // What is wished for belongs to this moment: what comes after it waits.
      if (!turns.waiting() || wishes.any()) break;
      look(layout, events);
      gui.end_look();
    }
    const Viewport viewport = layout.viewport();
    if (wishes.quit) window.request_close();
    if (!wishes.clipboard.empty()) glfwSetClipboardString(window.handle(), wishes.clipboard.c_str());
    if (wishes.toggle_fullscreen) window.set_fullscreen(!window.fullscreen());
    if (title != window_title(experiment)) window.set_title(title = window_title(experiment));

    // Physics, queued on CUDA.
    session.advance();
    session.observe(false);

    // The picture: map, paint, unmap, and the quad that shows it.
    canvas.paint(experiment.simulation(), session.state().camera, session.resolved_view(), viewport.width,
                 viewport.height);
    window.begin_frame();
    canvas.draw(viewport, wishes.screenshot);
    if (wishes.screenshot) save_screenshot(window, viewport, session);

    // Panels over it.
    look(layout, events);
    glViewport(0, 0, window.width(), window.height());
    gui.end_frame();

    // The swap waits for the display, so it is no work; but where OpenGL draws on the CPU, that is when it draws.
    double busy = seconds_between(frame_start, Clock::now());
    window.end_frame();
    if (software_gl) busy = seconds_between(frame_start, Clock::now());
    if (frame == 0 && options.report_first_frame)
      std::fprintf(stderr, "first frame after %.2f s\n", seconds_since_process_start());

    const double rest = pause - seconds_between(frame_start, Clock::now());
    if (rest > 0) std::this_thread::sleep_for(std::chrono::duration<double>(rest));
    const Clock::time_point now = Clock::now();
    session.end_frame(seconds_between(frame_start, now), busy);
    frame_start = now;
  }
}

}  // namespace

int run_window(Experiment& experiment, const AppOptions& options, const WindowOptions& window_options) {
  // A signal closes the window as its button does; a step that takes long is given up for it.
  Interrupts interrupts;
  const StopScope scope(experiment.backend(), interrupts.request());
  try {
    show_frames(experiment, options, window_options, interrupts);
  } catch (const Stopped&) {
  }
  return 0;
}

struct OffscreenView::Parts {
  Parts(Experiment& e, const AppOptions& options, int width, int height, bool with_ui)
      : experiment(e),
        context(make_offscreen_context(width, height)),
        canvas(options.interop),
        session(e, options.steps_per_frame),
        layout(make_layout(width, height, 1, options.ui_scale > 0 ? options.ui_scale : 1, with_ui)),
        backend_note(options.backend_note) {
    if (with_ui) gui = std::make_unique<Gui>(Gui::Renderer::opengl);
  }

  Experiment& experiment;
  std::unique_ptr<GlContext> context;
  Canvas canvas;
  std::unique_ptr<Gui> gui;
  Session session;
  Layout layout;
  std::string backend_note;
  bool first = true;
};

OffscreenView::OffscreenView(Experiment& experiment, const AppOptions& options, int width, int height, bool with_ui)
    : parts_(std::make_unique<Parts>(experiment, options, width, height, with_ui)) {}

OffscreenView::~OffscreenView() = default;

Picture OffscreenView::frame() {
  Parts& p = *parts_;
  const Viewport viewport = p.layout.viewport();
  p.session.observe(true);
  p.canvas.paint(p.experiment.simulation(), p.session.state().camera, p.session.resolved_view(), viewport.width,
                 viewport.height);
  // ImGui measures what is new in one frame and places it in the next.
  const int passes = p.gui && p.first ? 3 : 1;
  p.first = false;
  for (int pass = 0; pass < passes; ++pass) {
    p.context->begin_frame();
    p.canvas.draw(viewport, true);
    if (!p.gui) continue;
    p.gui->begin_frame(p.layout, 1.0 / 60);
    draw_panels({p.session, p.gui->style(), p.layout, {p.canvas.path(), joined(p.backend_note, p.canvas.note())}});
    glViewport(0, 0, p.context->width(), p.context->height());
    p.gui->end_frame();
  }
  Picture picture = p.context->read_back();
  p.context->end_frame();
  return picture;
}

std::string OffscreenView::path() const { return parts_->canvas.path(); }
std::string OffscreenView::note() const { return parts_->canvas.note(); }

Picture take_picture(Experiment& experiment, const AppOptions& options, int width, int height, bool with_ui) {
  return OffscreenView(experiment, options, width, height, with_ui).frame();
}

}  // namespace perturb

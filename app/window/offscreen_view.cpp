#include "app/window/offscreen_view.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "app/io/preset/puzzles.h"
#include "app/render/display/canvas.h"
#include "app/render/gl/context.h"
#include "app/run/sampling.h"
#include "app/session/input_events.h"
#include "app/session/session.h"
#include "app/ui/panels/lane_titles.h"
#include "app/ui/panels/panels.h"
#include "app/ui/widgets/gui.h"
#include "app/window/frame_presenter.h"
#include "app/window/report.h"
#include "app/window/window_settings.h"
#include "cuda/core/backend/timeline.h"

namespace perturb {

struct OffscreenView::Parts {
  Parts(Experiment& e, const AppOptions& options, int width, int height, bool with_ui)
      : experiment(e),
        context(make_offscreen_context(width, height)),
        canvas(options.interop),
        session(e, options.steps_per_frame),
        layout(make_layout(width, height, 1, options.ui_scale > 0 ? options.ui_scale : 1, with_ui)),
        backend_note(options.backend_note),
        has_panels(with_ui),
        pointer(options.microscope ? options.microscope : options.launch) {
    for (const Instrument& instrument : options.instruments) session.instrument_controller().add(instrument);
    session.execute(
        ChangeInterface{&InterfaceState::preferences, with_panel(session.interface().preferences, options.panel)});
    const bool shows_puzzles = options.show == "puzzles";
    if (options.show == "editor" || shows_puzzles) {
      Preferences preferences = session.interface().preferences;
      preferences.edit_kernels = true;  // of this image
      session.execute(ChangeInterface{&InterfaceState::preferences, preferences});
    }
    show_at_start(options, session, panels);
    // With the result of a check. The text is one of the program's own.
    if (shows_puzzles) session.execute(CheckPuzzle{all_puzzles().front().id, all_puzzles().front().start});
    if (with_ui)
      layout = make_layout(width, height, 1, options.ui_scale > 0 ? options.ui_scale : 1, true,
                           session.interface().dock_height());
    layout.lanes = experiment.scene().lanes.size();
    // The images of a race have titles: otherwise its lanes look alike.
    if (with_ui || layout.lanes > 0) gui = std::make_unique<Gui>(Gui::Renderer::opengl);
    if (!options.theme.empty()) session.execute(ChooseTheme{theme_of(options.theme)});
    if (gui) gui->set_theme(session.theme());
  }

  Experiment& experiment;
  std::unique_ptr<GlContext> context;
  Canvas canvas;
  std::unique_ptr<Gui> gui;
  Session session;
  Panels panels;
  Layout layout;
  Message backend_note;
  bool has_panels;
  std::optional<std::pair<double, double>> pointer;  // fractions of the domain
  std::int64_t last_end = Timeline::now();           // of the last frame
  bool first = true;

  // Moves the pointer to the place that the microscope or the launch shows.
  void point() {
    const DomainSize domain = session.domain();
    const Camera::Point at =
        domain_to_screen({pointer->first, pointer->second}, layout.pointer_frame(), session.view().camera(),
                         domain.width, domain.height, session.view().quantity().has_depth);
    InputEvent move;
    move.x = at.x;
    move.y = at.y;
    session.handle({move}, layout, Session::Keyboard::free, panels.feedback());
  }
};

OffscreenView::OffscreenView(Experiment& experiment, const AppOptions& options, int width, int height, bool with_ui)
    : parts_(std::make_unique<Parts>(experiment, options, width, height, with_ui)) {}

OffscreenView::~OffscreenView() = default;

void OffscreenView::show_lesson(const LessonSession& lesson) {
  parts_->session.lessons().show(lesson);
  parts_->first = true;
}

Picture OffscreenView::frame() {
  Parts& p = *parts_;
  const Viewport viewport = p.layout.viewport();
  if (p.pointer) p.point();
  do {
    p.session.observe(true);
  } while (p.session.kernel_controller().is_measuring() || p.session.kernel_controller().is_sweeping() ||
           p.session.puzzles().is_checking());
  p.session.readings().read_all();
  {
    const Timeline::Scope timed(TimeUse::painting, "paint");
    p.canvas.paint(p.experiment.simulation(), p.session.view().camera(), p.session.view().resolved(), viewport.width,
                   viewport.height);
  }
  // ImGui measures new items in one pass and positions them in the next.
  const int passes = p.gui && p.first ? 3 : 1;
  p.first = false;
  if (p.gui) p.gui->set_theme(p.session.theme());  // a lesson may have chosen one
  for (int pass = 0; pass < passes; ++pass) {
    const Timeline::Scope timed(TimeUse::panels, "panels");
    p.context->begin_frame();
    p.canvas.draw(viewport, true);
    draw_outside_domain(p.session, viewport);
    if (!p.gui) continue;
    p.gui->begin_frame(p.layout, 1.0 / 60);
    const DisplayInfo display = display_info_of(p.canvas, p.backend_note);
    if (p.has_panels)
      p.panels.draw(p.session, p.gui->style(), p.layout, display);
    else
      draw_lane_titles(p.panels.arguments(p.session, p.gui->style(), p.layout, display));
    p.gui->end_frame();
  }
  std::optional<Timeline::Scope> swap(std::in_place, TimeUse::swap, "read back");
  Picture picture = p.context->read_back();
  p.context->end_frame();
  swap.reset();
  if (p.session.frame_times().is_measuring()) {
    const std::int64_t end = Timeline::now(), begin = std::exchange(p.last_end, end);
    Timeline::add({TimeUse::frame, "frame", begin, end});
    const double seconds = 1e-9 * static_cast<double>(end - begin);
    p.session.end_frame(seconds, seconds);
  }
  return picture;
}

std::int64_t OffscreenView::next_reading(std::int64_t step) const {
  Parts& p = *parts_;
  const job::Advance wanted = p.session.readings().steps(1);
  const Scene& scene = p.experiment.scene();
  std::int64_t next = std::numeric_limits<std::int64_t>::max();
  if (!wanted.points.empty()) next = std::min(next, next_multiple(step, steps_per_reading(p.experiment.simulation())));
  if (!wanted.lines.empty()) next = std::min(next, next_mean_step(scene, step));
  if (p.has_panels) next = std::min(next, next_multiple(step, steps_per_numbers(scene)));
  return next;
}

void OffscreenView::read() {
  Parts& p = *parts_;
  const Scene& scene = p.experiment.scene();
  const std::int64_t step = p.experiment.simulation().steps(), every = steps_per_reading(p.experiment.simulation());
  if (step > 0 && step % every == 0) p.session.readings().read_probes(every);
  if (next_mean_step(scene, step - 1) == step) p.session.readings().read_means();
  if (p.has_panels && step % steps_per_numbers(scene) == 0) p.session.readings().read_numbers();
}

std::vector<Curve> OffscreenView::curves(const DisplayUnits& units) {
  parts_->session.observe(true);
  parts_->session.readings().read_all();
  return parts_->session.measurements().curves_in(units);
}

namespace {

Picture part_of(const Picture& whole, const Viewport& part) {
  Picture cut{part.width, part.height, {}};
  for (int row = part.y; row < part.y + part.height; ++row) {
    const auto from = whole.pixels.begin() + static_cast<std::ptrdiff_t>(row) * whole.width + part.x;
    cut.pixels.insert(cut.pixels.end(), from, from + part.width);
  }
  return cut;
}

}  // namespace

void OffscreenView::write_report(const std::string& path) {
  Preferences preferences = parts_->session.interface().preferences;
  preferences.scene_units = true;
  parts_->session.execute(ChangeInterface{&InterfaceState::preferences, preferences});
  const Picture whole = frame();
  const Viewport part = exported_part(parts_->session, parts_->layout.viewport());
  write_report_page(parts_->session, part_of(whole, part), path);
}

std::string OffscreenView::path() const { return parts_->canvas.path(); }
std::string OffscreenView::note() const { return parts_->canvas.note().english(); }

}  // namespace perturb

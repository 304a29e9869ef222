#include "app/session/tool_controller.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "cuda/core/paint/orbit.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

namespace {
constexpr double zoom_per_notch = 1.15;
constexpr double radians_per_pixel = 0.008;  // orbit: a full turn in the width of a small window
}  // namespace

bool GestureRecognizer::release_space() {
  const bool tapped = space_down_ && !space_used_;
  space_down_ = space_used_ = false;
  return tapped;
}

void GestureRecognizer::cancel() {
  mode_ = Mode::nothing;
  held_button_ = InputEvent::Button::none;
}

std::optional<PointerSegment> GestureRecognizer::drag() const {
  if (mode_ != Mode::gesture || (last_.x == start_.x && last_.y == start_.y)) return std::nullopt;
  return PointerSegment{start_, last_};
}

Gesture GestureRecognizer::gesture_at(Gesture::Phase phase, const PointerSegment& segment, const InputEvent& event,
                                      const Context& context, const Camera& camera) const {
  Gesture gesture;
  gesture.tool = context.tool;
  gesture.brush = context.brush;
  gesture.phase = phase;
  gesture.button = held_button_ == InputEvent::Button::right ? Gesture::Button::right : Gesture::Button::left;
  gesture.x = segment.to.x;
  gesture.y = segment.to.y;
  gesture.previous_x = segment.from.x;
  gesture.previous_y = segment.from.y;
  gesture.start_x = start_.x;
  gesture.start_y = start_.y;
  gesture.shift = event.shift;
  gesture.control = event.control;
  const Viewport& viewport = context.frame.viewport;
  gesture.pixel = Camera::units_per_pixel(viewport.width, viewport.height, context.domain_width, context.domain_height,
                                          camera.zoom);
  return gesture;
}

void GestureRecognizer::follow(const InputEvent& event, const Context& context) {
  x_ = event.x;
  y_ = event.y;
  over_picture_ = event.kind != InputEvent::Kind::leave &&
                  is_inside(picture_point(x_, y_, context.frame), context.frame.viewport) &&
                  !(context.is_over_panel && context.is_over_panel(x_, y_));
}

bool GestureRecognizer::handle(const InputEvent& event, const Context& context, Camera& camera,
                               const Perform& perform) {
  using Kind = InputEvent::Kind;
  using Button = InputEvent::Button;
  if (event.kind == Kind::key_press || event.kind == Kind::key_release || event.kind == Kind::enter) return false;

  const Viewport& viewport = context.frame.viewport;
  const PicturePoint before = picture_point(x_, y_, context.frame);
  x_ = event.x;
  y_ = event.y;
  const PicturePoint pixel = picture_point(x_, y_, context.frame);
  over_picture_ = event.kind != Kind::leave && is_inside(pixel, viewport) &&
                  !(context.is_over_panel && context.is_over_panel(x_, y_));
  const Camera::Point here =
      pointer_to_domain(x_, y_, context.frame, camera, context.domain_width, context.domain_height, context.has_depth);

  switch (event.kind) {
    case Kind::press:
      if (mode_ != Mode::nothing) return true;  // a second button during a drag is ignored
      if (!over_picture_) return false;
      // Space replaces the middle button, which touchpads lack.
      if (event.button == Button::middle || (event.button == Button::left && space_down_)) {
        mode_ = context.orbits && !event.shift ? Mode::orbit : Mode::pan;
        held_button_ = event.button;
        space_used_ = true;
      } else if (event.button == Button::left || event.button == Button::right) {
        if (!is_in_domain(here)) return true;
        mode_ = Mode::gesture;
        held_button_ = event.button;
        line_ = event.shift;
        start_ = last_ = here;
        perform(gesture_at(Gesture::Phase::press, {here, here}, event, context, camera));
      }
      return true;

    case Kind::move:
      if (mode_ == Mode::pan) {
        const double unit = Camera::units_per_pixel(viewport.width, viewport.height, context.domain_width,
                                                    context.domain_height, camera.zoom);
        camera.center_x -= (pixel.x - before.x) * unit / context.domain_width;
        camera.center_y -= (pixel.y - before.y) * unit / context.domain_height;
        return true;
      }
      if (mode_ == Mode::orbit) {
        // The part of the scene in front of the centre follows the pointer.
        turn_orbit(camera, (before.x - pixel.x) * radians_per_pixel, (before.y - pixel.y) * radians_per_pixel);
        if (context.has_depth) camera.pitch = std::max(camera.pitch, min_ground_pitch);
        return true;
      }
      if (mode_ == Mode::gesture) {
        if (here.x == last_.x && here.y == last_.y) return true;
        if (const auto inside = clip_to_domain(last_, here); inside && !line_)
          perform(gesture_at(Gesture::Phase::move, *inside, event, context, camera));
        last_ = here;
        return true;
      }
      return over_picture_;

    case Kind::release:
      if (mode_ == Mode::nothing || event.button != held_button_) return false;
      if (mode_ == Mode::gesture) {
        if (const auto inside = clip_to_domain(start_, here);
            inside && line_ && (here.x != start_.x || here.y != start_.y))
          perform(gesture_at(Gesture::Phase::move, *inside, event, context, camera));
        const Camera::Point end = {std::clamp(here.x, 0.0, 1.0), std::clamp(here.y, 0.0, 1.0)};
        perform(gesture_at(Gesture::Phase::release, {end, end}, event, context, camera));
      }
      cancel();
      return true;

    case Kind::scroll:
      if (!over_picture_) return false;
      if (event.control && context.wheel) {
        if (!is_in_domain(here)) return true;
        start_ = here;
        Gesture gesture = gesture_at(Gesture::Phase::scroll, {here, here}, event, context, camera);
        gesture.scroll = event.scroll;
        perform(gesture);
        return true;
      }
      if (event.control && context.resize) {
        context.resize(event.scroll);
        return true;
      }
      camera.zoom_at(std::clamp(std::pow(zoom_per_notch, event.scroll), min_zoom / camera.zoom, max_zoom / camera.zoom),
                     pixel.x, pixel.y, viewport.width, viewport.height, context.domain_width, context.domain_height);
      return true;

    default:
      return false;
  }
}

void GestureRecognizer::click(const InputEvent& event, const Context& context, const Camera& camera,
                              const Perform& perform) {
  const Camera::Point here =
      pointer_to_domain(x_, y_, context.frame, camera, context.domain_width, context.domain_height, context.has_depth);
  if (!over_picture_ || mode_ != Mode::nothing || !is_in_domain(here)) return;
  start_ = here;
  perform(gesture_at(Gesture::Phase::press, {here, here}, event, context, camera));
  perform(gesture_at(Gesture::Phase::release, {here, here}, event, context, camera));
}

namespace {
constexpr double brush_per_notch = 1.15;
}  // namespace

std::map<std::string, double> ToolController::brush_of(const std::string& tool) const {
  std::map<std::string, double> brush;
  if (const auto changed = brushes_.find(tool); changed != brushes_.end()) brush = changed->second;
  for (const Tool& t : client_.info().tools)
    if (t.id == tool)
      for (const ValueInfo& field : t.brush) brush.emplace(field.id, default_of(field));
  return brush;
}

double ToolController::default_of(const ValueInfo& field) const {
  if (asked_ && asked_->id == field.as_parameter && !client_.is_idle()) return asked_->value;
  return client_.run().initial_of(field);
}

void ToolController::change_brush(const std::string& tool, const std::string& field, double value, bool by_wheel) {
  for (const Tool& t : client_.info().tools)
    for (const ValueInfo& f : t.brush) {
      if (t.id != tool || f.id != field || f.as_parameter.empty()) continue;
      if (!change_parameter_({f.as_parameter, value}, by_wheel)) break;
      asked_ = {f.as_parameter, value};
      return;
    }
  brushes_[tool][field] = value;
}

GestureRecognizer::Context ToolController::context(const Layout& layout, const std::string& tool) const {
  const SimulationInfo& info = client_.info();
  GestureRecognizer::Context context;
  context.frame = layout.pointer_frame();
  context.domain_width = client_.run().domain_width;
  context.domain_height = client_.run().domain_height;
  context.has_depth = view_.quantity().has_depth;
  context.orbits = info.orbits || context.has_depth;
  context.tool = tool;
  for (const Tool& t : info.tools) context.wheel = context.wheel || (t.id == tool && t.wheel);
  context.brush = brush_of(tool);
  context.is_over_panel = [this](double x, double y) { return panel_areas_.contains(x, y); };
  return context;
}

void ToolController::on_run_replaced(bool new_scene) {
  recognizer_.cancel();
  if (!new_scene) return;
  reset();
  const std::vector<Tool>& tools = client_.info().tools;
  if (!tools.empty()) tool_ = tools.front().id;
}

void ToolController::choose(const std::string& id) {
  for (const Tool& tool : client_.info().tools)
    if (tool.id == id && tool.immediate) {
      use_at_once(tool);
      return;
    }
  tool_ = id;
}

void ToolController::choose(std::size_t index) {
  const std::vector<Tool>& tools = client_.info().tools;
  if (index >= tools.size() || !lessons_.tool_is_open(tools[index].id)) return;
  choose(tools[index].id);
  recognizer_.cancel();
}

void ToolController::use_at_once(const Tool& tool) { use(tool.id, 0.5, 0.5, tool.label); }

void ToolController::tap(double x, double y) { use(tool_, x, y, {}); }

void ToolController::use(const std::string& tool, double x, double y, const Message& confirmed) {
  Gesture gesture;
  gesture.tool = tool;
  gesture.brush = brush_of(tool);
  gesture.x = gesture.previous_x = gesture.start_x = x;
  gesture.y = gesture.previous_y = gesture.start_y = y;
  perform(gesture, confirmed);
  gesture.phase = Gesture::Phase::release;
  perform(gesture);
}

void ToolController::follow_lesson() {
  const LessonSession* lesson = lessons_.open_lesson();
  if (lesson && !lesson->step().tool.empty()) tool_ = lesson->step().tool;
  if (lessons_.tool_is_open(tool_)) return;
  for (const Tool& tool : client_.info().tools)
    if (lessons_.tool_is_open(tool.id)) {
      tool_ = tool.id;
      return;
    }
}

// ---- mouse and keys

void ToolController::take_mouse(const InputEvent& event, const Layout& layout) {
  // Rebuilt for each event: a key before it may have changed the tool or the scene.
  GestureRecognizer::Context now = context(layout, tool_);
  if (wheel_field(tool_)) now.resize = [this](double notches) { resize_brush(tool_, notches); };
  if (recognizer_.handle(event, now, view_.camera(), [this](const Gesture& g) { perform(g); }))
    pointer_.restart_hover_timer();
}

void ToolController::press_space() {
  if (!recognizer_.wants_to_pan()) recognizer_.press_space();
}

void ToolController::use_by_key(const InputEvent& key, const Layout& layout) {
  for (const Tool& tool : client_.info().tools)
    if (!tool.key.empty() && tool.key == key.key)
      recognizer_.click(key, context(layout, tool.id), view_.camera(), [this](const Gesture& g) { perform(g); });
}

void ToolController::place_pointer(const Layout& layout) {
  const GestureRecognizer::Context now = context(layout, tool_);
  const Camera::Point at = pointer_to_domain(recognizer_.x(), recognizer_.y(), now.frame, view_.camera(),
                                             now.domain_width, now.domain_height, now.has_depth);
  pointer_.move_to(at, now.domain_width, now.domain_height, recognizer_.over_picture());
}

// ---- actions of the tool

void ToolController::perform(const Gesture& gesture, const Message& confirmed) {
  if (gesture.tool.empty() || !client_.run().stop_reason.empty()) return;
  if (!lessons_.tool_is_open(gesture.tool)) {
    client_.show_message("This tool is off in this step of the lesson.");
    return;
  }
  on_gesture_();
  if (gesture.phase != Gesture::Phase::move) acts_on_release_ = false;
  client_.post(job::ApplyGesture{gesture}, [this, confirmed](JobResult& result) {
    try {
      result.check();
      view_.update_suggestion(result.actions);
      on_actions_(result.actions);
      if (!confirmed.empty() && !result.actions.empty())
        client_.show_message(Message("{}: done at step {}", confirmed, result.status->steps));
    } catch (const InputError& error) {
      client_.show_error(error.message());
      recognizer_.cancel();
    }
  });
  if (gesture.phase == Gesture::Phase::press) query_release_effect(gesture);
}

// Shows the effect of a throw while dragging, which happens on release.
void ToolController::query_release_effect(const Gesture& press) {
  Gesture release = press;
  release.phase = Gesture::Phase::release;
  release.x = press.x < 0.5 ? press.x + 0.1 : press.x - 0.1;
  const auto interpret = [release](const Experiment& run) -> std::string {
    try {
      return run.simulation().interpret(release).empty() ? "" : "aims";
    } catch (const InputError&) {
      return "";
    }
  };
  client_.run_job(job::Inspect{interpret}, [this](JobResult& result) { acts_on_release_ = !result.text.empty(); });
}

// ---- size of the tool

const ValueInfo* ToolController::wheel_field(const std::string& tool) const {
  for (const Tool& t : client_.info().tools) {
    if (t.id != tool || t.wheel) continue;
    for (const ValueInfo& field : t.brush)
      if (field.id == "radius") return &field;
  }
  return nullptr;
}

void ToolController::resize_brush(const std::string& tool, double notches) {
  const ValueInfo& field = *wheel_field(tool);
  const double value =
      std::clamp(brush_of(tool).at(field.id) * std::pow(brush_per_notch, notches), field.minimum, field.maximum);
  change_brush(tool, field.id, value, true);
  client_.show_message(Message("{}: {}", Message(field.label), with_unit(format_number(value, 3), field.unit)));
}

}  // namespace perturb

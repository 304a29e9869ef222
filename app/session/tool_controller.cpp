#include "app/session/tool_controller.h"

#include <algorithm>
#include <cmath>

#include "cuda/core/simulation/format.h"

namespace perturb {

namespace {
constexpr double brush_per_notch = 1.15;
}  // namespace

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
  const auto brush = state_.brushes.find(tool);
  if (brush != state_.brushes.end()) context.brush = brush->second;
  context.is_over_panel = [this](double x, double y) { return panel_areas_.contains(x, y); };
  return context;
}

void ToolController::on_run_replaced(bool new_scene) {
  recognizer_.cancel();
  if (!new_scene) return;
  const std::vector<Tool>& tools = client_.info().tools;
  const bool has_tool =
      std::any_of(tools.begin(), tools.end(), [&](const Tool& tool) { return tool.id == state_.tool; });
  if (!has_tool) state_.tool = tools.empty() ? "" : tools.front().id;
  for (const Tool& tool : tools)
    for (const ValueInfo& field : tool.brush) state_.brushes[tool.id].emplace(field.id, field.initial);
}

void ToolController::choose(std::size_t index) {
  const std::vector<Tool>& tools = client_.info().tools;
  if (index >= tools.size() || !lessons_.tool_is_open(tools[index].id)) return;
  state_.tool = tools[index].id;
  recognizer_.cancel();
}

// ---- mouse and keys

void ToolController::take_mouse(const InputEvent& event, const Layout& layout) {
  // Rebuilt for each event: a key before it may have changed the tool or the scene.
  GestureRecognizer::Context now = context(layout, state_.tool);
  if (wheel_field(state_.tool)) now.resize = [this](double notches) { resize_brush(state_.tool, notches); };
  if (recognizer_.handle(event, now, state_.camera, [this](const Gesture& g) { perform(g); }))
    pointer_.restart_hover_timer();
}

void ToolController::press_space() {
  if (!recognizer_.wants_to_pan()) recognizer_.press_space();
}

void ToolController::use_by_key(const InputEvent& key, const Layout& layout) {
  for (const Tool& tool : client_.info().tools)
    if (!tool.key.empty() && tool.key == key.key)
      recognizer_.click(key, context(layout, tool.id), state_.camera, [this](const Gesture& g) { perform(g); });
}

void ToolController::place_pointer(const Layout& layout) {
  const GestureRecognizer::Context now = context(layout, state_.tool);
  const Camera::Point at = pointer_to_domain(recognizer_.x(), recognizer_.y(), now.frame, state_.camera,
                                             now.domain_width, now.domain_height, now.has_depth);
  pointer_.move_to(at, now.domain_width, now.domain_height, recognizer_.over_picture());
}

// ---- actions of the tool

void ToolController::perform(const Gesture& gesture) {
  if (gesture.tool.empty() || !client_.run().stop_reason.empty()) return;
  if (!lessons_.tool_is_open(gesture.tool)) {
    client_.show_message("This step of the lesson goes without this tool.");
    return;
  }
  state_.hint = false;
  if (gesture.phase != Gesture::Phase::move) acts_on_release_ = false;
  client_.post(gesture, [this](JobResult& result) {
    try {
      result.check();
      view_.update_suggestion(result.actions);
    } catch (const InputError& error) {
      client_.show_error(error.what());
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
  double& value = state_.brushes[tool].emplace(field.id, field.initial).first->second;
  value = std::clamp(value * std::pow(brush_per_notch, notches), field.minimum, field.maximum);
  client_.show_message(field.label + ": " + format_number(value, 3) + (field.unit.empty() ? "" : " " + field.unit));
}

}  // namespace perturb

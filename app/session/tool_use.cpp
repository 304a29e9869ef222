#include "app/session/tool_use.h"

#include <algorithm>
#include <cmath>

#include "cuda/core/words.h"

namespace perturb {

namespace {
constexpr double brush_per_notch = 1.15;
}  // namespace

Hand::Scene ToolUse::scene(const Layout& layout, const std::string& tool) const {
  const SimulationInfo& info = client_.info();
  Hand::Scene scene;
  scene.frame = layout.pointer_frame();
  scene.domain_width = client_.run().domain_width;
  scene.domain_height = client_.run().domain_height;
  scene.in_space = view_.quantity().in_space;
  scene.orbits = info.orbits || scene.in_space;
  scene.tool = tool;
  for (const Tool& t : info.tools) scene.wheel = scene.wheel || (t.id == tool && t.wheel);
  const auto brush = state_.brushes.find(tool);
  if (brush != state_.brushes.end()) scene.brush = brush->second;
  scene.is_covered = [this](double x, double y) { return covers_.contain(x, y); };
  return scene;
}

void ToolUse::on_run_replaced(bool new_scene) {
  hand_.cancel();
  if (!new_scene) return;
  const std::vector<Tool>& tools = client_.info().tools;
  const bool has_tool =
      std::any_of(tools.begin(), tools.end(), [&](const Tool& tool) { return tool.id == state_.tool; });
  if (!has_tool) state_.tool = tools.empty() ? "" : tools.front().id;
  for (const Tool& tool : tools)
    for (const ValueInfo& field : tool.brush) state_.brushes[tool.id].emplace(field.id, field.initial);
}

void ToolUse::choose(std::size_t index) {
  const std::vector<Tool>& tools = client_.info().tools;
  if (index >= tools.size() || !lessons_.tool_is_open(tools[index].id)) return;
  state_.tool = tools[index].id;
  hand_.cancel();
}

// ---- mouse and keys

void ToolUse::take_mouse(const InputEvent& event, const Layout& layout) {
  // Made anew for each event: a key before it may have changed the tool or the scene.
  Hand::Scene now = scene(layout, state_.tool);
  if (wheel_field(state_.tool)) now.resize = [this](double notches) { resize_brush(state_.tool, notches); };
  if (hand_.handle(event, now, state_.camera, [this](const Gesture& g) { perform(g); })) pointer_.stir();
}

void ToolUse::press_space() {
  if (!hand_.wants_to_pan()) hand_.press_space();
}

void ToolUse::use_by_key(const InputEvent& key, const Layout& layout) {
  for (const Tool& tool : client_.info().tools)
    if (!tool.key.empty() && tool.key == key.key)
      hand_.click(key, scene(layout, tool.id), state_.camera, [this](const Gesture& g) { perform(g); });
}

void ToolUse::place_pointer(const Layout& layout) {
  const Hand::Scene now = scene(layout, state_.tool);
  const Camera::Point at = pointer_to_domain(hand_.x(), hand_.y(), now.frame, state_.camera, now.domain_width,
                                             now.domain_height, now.in_space);
  pointer_.move_to(at, now.domain_width, now.domain_height, hand_.over_picture());
}

// ---- what it does

void ToolUse::perform(const Gesture& gesture) {
  if (gesture.tool.empty() || !client_.run().stop_reason.empty()) return;
  if (!lessons_.tool_is_open(gesture.tool)) {
    client_.show_message("This step of the lesson goes without this tool.");
    return;
  }
  state_.hint = false;
  if (gesture.phase != Gesture::Phase::move) aims_ = false;
  client_.post(gesture, [this](JobResult& result) {
    try {
      result.check();
      view_.update_suggestion(result.actions);
    } catch (const InputError& error) {
      client_.show_error(error.what());
      hand_.cancel();
    }
  });
  if (gesture.phase == Gesture::Phase::press) look_for_aim(gesture);
}

// Whoever throws sees where to: letting go elsewhere would do something.
void ToolUse::look_for_aim(const Gesture& press) {
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
  client_.run_job(job::Inspect{interpret}, [this](JobResult& result) { aims_ = !result.text.empty(); });
}

// ---- how large it is

const ValueInfo* ToolUse::wheel_field(const std::string& tool) const {
  for (const Tool& t : client_.info().tools) {
    if (t.id != tool || t.wheel) continue;
    for (const ValueInfo& field : t.brush)
      if (field.id == "radius") return &field;
  }
  return nullptr;
}

void ToolUse::resize_brush(const std::string& tool, double notches) {
  const ValueInfo& field = *wheel_field(tool);
  double& value = state_.brushes[tool].emplace(field.id, field.initial).first->second;
  value = std::clamp(value * std::pow(brush_per_notch, notches), field.minimum, field.maximum);
  client_.show_message(field.label + ": " + number_in_words(value, 3) + (field.unit.empty() ? "" : " " + field.unit));
}

}  // namespace perturb

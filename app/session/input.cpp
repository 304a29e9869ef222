// One frame's events: what mouse and keys do with the picture, the tools and the commands.
#include <algorithm>
#include <chrono>
#include <utility>

#include "app/session/session.h"

namespace perturb {

namespace {

// How long a frame waits for the run: what a frame has time for is done by then, and shown in it. Once it took longer,
// frames wait no more until it is done.
constexpr std::chrono::milliseconds patience{70};

}  // namespace

Hand::Scene Session::hand_scene(const Layout& layout, const std::string& tool) const {
  Hand::Scene scene;
  scene.frame = layout.pointer_frame();
  scene.domain_width = run().domain_width;
  scene.domain_height = run().domain_height;
  scene.in_space = shown_quantity().in_space;
  scene.orbits = info().orbits || scene.in_space;
  scene.tool = tool;
  for (const Tool& t : info().tools) scene.wheel = scene.wheel || (t.id == tool && t.wheel);
  const auto brush = state_.brushes.find(tool);
  if (brush != state_.brushes.end()) scene.brush = brush->second;
  scene.is_covered = [this](double x, double y) {
    return covers_all_ || std::any_of(covers_.begin(), covers_.end(), [&](const Rect& r) { return r.contains(x, y); });
  };
  return scene;
}

void Session::handle(const std::vector<InputEvent>& events, const Layout& layout, Keyboard keyboard) {
  runner_.collect();
  answer_by_ = Runner::Clock::now();
  if (runner_.rests()) answer_by_ += patience;
  runner_.look_again();
  for (const Request& request : std::exchange(state_.requests, {})) carry_out(request);
  if (state_.placing && keyboard == Keyboard::navigating) {
    // Chosen in the panel by the keyboard: it comes into sight at once, and arrow keys take it from there.
    InputEvent enter;
    enter.key = "Enter";
    hear_instrument_key(enter, layout);
  }

  for (const InputEvent& event : events) {
    if (event.kind == InputEvent::Kind::drop) {
      open_dropped(event.files);
      continue;
    }
    // The next change of a parameter is another deed, even if it is of the same.
    if (event.kind == InputEvent::Kind::press || (event.kind == InputEvent::Kind::key_press && !event.repeat))
      changing_.clear();
    if (event.kind == InputEvent::Kind::key_press || event.kind == InputEvent::Kind::key_release) {
      handle_key(event, layout, keyboard);
      continue;
    }
    try {
      if (instrument_hand_.handle(event, instrument_scene(layout), instruments_, state_)) {
        hand_.follow(event, hand_scene(layout, state_.tool));
        continue;
      }
    } catch (const InputError& error) {
      tell(error.what());
      state_.placing.reset();
      continue;
    }
    // The mouse takes the tool back.
    if (event.kind == InputEvent::Kind::press) state_.keys_in_panel = false;
    if (event.kind == InputEvent::Kind::press || event.kind == InputEvent::Kind::move) drop_crosshair(layout);
    // Made anew for each event: a key before it may have changed the tool or the scene.
    Hand::Scene scene = hand_scene(layout, state_.tool);
    if (wheel_field(state_.tool)) scene.resize = [this](double notches) { resize_brush(state_.tool, notches); };
    if (hand_.handle(event, scene, state_.camera, [this](const Gesture& g) { perform(g); })) pointer_rest_ = 0;
  }

  const Hand::Scene scene = hand_scene(layout, state_.tool);
  const Camera::Point at = pointer_to_domain(hand_.x(), hand_.y(), scene.frame, state_.camera, scene.domain_width,
                                             scene.domain_height, scene.in_space);
  const bool moved = at.x != fraction_.x || at.y != fraction_.y;
  fraction_ = at;
  pointer_ = {at.x * scene.domain_width, at.y * scene.domain_height};
  pointer_in_domain_ = hand_.over_picture() && is_in_domain(at);
  if (moved) {
    pointer_rest_ = 0;
    pointer_moved_ = true;
    if (backend_.is_cuda()) value_.clear();
  }
  if (!pointer_in_domain_) value_.clear();
  share_view();
}

void Session::choose_tool(std::size_t index) {
  const std::vector<Tool>& tools = info().tools;
  if (index >= tools.size() || !tool_is_open(tools[index].id)) return;
  state_.tool = tools[index].id;
  hand_.cancel();
}

void Session::handle_key(const InputEvent& event, const Layout& layout, Keyboard keyboard) {
  if (event.key.empty()) return;  // for text fields and lists alone
  if (event.kind == InputEvent::Kind::key_release) {
    // The play key acts when it is let go, for while it is held it moves the view.
    if (event.key == "Space" && hand_.release_space() && keyboard == Keyboard::free) do_command(UiCommand::play_pause);
    return;
  }
  if (event.key == "Space") {
    if (keyboard == Keyboard::free && !event.repeat && !hand_.wants_to_pan()) hand_.press_space();
    return;
  }
  const bool in_panel = keyboard != Keyboard::free || state_.keys_in_panel;
  if (event.key == "Tab" && (in_panel || state_.overlay != Overlay::none || state_.list_open)) {
    // Where a search is typed, arrows choose, and Tab has nowhere to go.
    if (state_.overlay != Overlay::browser && state_.overlay != Overlay::files)
      state_.tab_moves += event.shift ? -1 : 1;
    return;
  }
  if (keyboard == Keyboard::navigating && event.key == "Ctrl+Enter") {
    state_.type_value = true;
    return;
  }
  if (keyboard == Keyboard::free && hear_instrument_key(event, layout)) return;
  if (keyboard == Keyboard::free && lead_crosshair(event, layout)) return;
  const KeyBinding* binding = find_binding(event.key);
  if (keyboard == Keyboard::typing && !(binding && binding->while_typing)) return;
  // Esc leaves the value that is being typed; what is open behind it stays.
  if (keyboard == Keyboard::typing && !state_.typing.empty() && binding->command == UiCommand::close_overlay) return;
  // The panels stay, as they were before a box was opened.
  if (binding && binding->command == UiCommand::toggle_panels && state_.overlay != Overlay::none) return;
  if (event.key.size() == 1 && event.key[0] >= '1' && event.key[0] <= '9') {
    choose_tool(static_cast<std::size_t>(event.key[0] - '1'));
    return;
  }
  if (binding) {
    if (!event.repeat || binding->repeats) do_command(binding->command);
    return;
  }
  for (const Tool& tool : info().tools)
    if (!tool.key.empty() && tool.key == event.key)
      hand_.click(event, hand_scene(layout, tool.id), state_.camera, [this](const Gesture& g) { perform(g); });
}

}  // namespace perturb

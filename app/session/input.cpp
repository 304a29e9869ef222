#include "app/session/input.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

constexpr double steps_across = 40;  // arrow presses across the height of the view

}  // namespace

void Crosshair::poke(InputEvent::Kind kind, InputEvent::Button button, const InputEvent& key) {
  InputEvent event;
  event.kind = kind;
  event.button = button;
  event.x = position_->x;
  event.y = position_->y;
  event.scroll = 0;
  // Shift turns the arrows into a drag; passed on as the mouse's Shift, it would mean a straight line.
  event.shift = false;
  event.control = button == InputEvent::Button::none && key.control;
  if (objects_.take_mouse(event, layout_))
    tools_.follow(event, layout_);
  else
    tools_.take_mouse(event, layout_);
}

bool Crosshair::hide() {
  if (!position_) return false;
  if (std::exchange(drags_, false)) poke(InputEvent::Kind::release, InputEvent::Button::left, {});
  position_.reset();
  return true;
}

// Starts at the pointer, or in the middle of the view.
void Crosshair::begin(const InputEvent& key) {
  const Rect view_rect = layout_.lane_rect();
  const GestureRecognizer& gestures = tools_.gestures();
  position_ = gestures.over_picture()
                  ? Camera::Point{gestures.x(), gestures.y()}
                  : Camera::Point{view_rect.x + 0.5 * view_rect.width, view_rect.y + 0.5 * view_rect.height};
  poke(InputEvent::Kind::move, InputEvent::Button::none, key);
}

bool Crosshair::take_key(const InputEvent& key, const Layout& layout) {
  std::string name = key.key;
  if (name.rfind("Ctrl+", 0) == 0) name.erase(0, 5);
  const double across = name == "Right"  ? 1
                        : name == "Left" ? -1
                                         : 0,
               down = name == "Down" ? 1
                      : name == "Up" ? -1
                                     : 0;
  if (across == 0 && down == 0 && name != "Enter") return false;
  layout_ = layout;
  if (!position_) {
    begin(key);
    if (name == "Enter") return true;  // also when the key starts the crosshair: Enter acts from then on
  }
  const bool drags = key.shift && name != "Enter";
  if (drags_ && !drags) {
    poke(InputEvent::Kind::release, InputEvent::Button::left, key);
    drags_ = false;
  }
  if (name == "Enter") {
    const auto button = key.control ? InputEvent::Button::right : InputEvent::Button::left;
    poke(InputEvent::Kind::press, button, key);
    poke(InputEvent::Kind::release, button, key);
    return true;
  }
  if (drags && !drags_) {
    poke(InputEvent::Kind::press, InputEvent::Button::left, key);
    drags_ = true;
  }
  const Rect view_rect = layout_.lane_rect();
  const double way = key.control ? 1 / layout_.pixels_per_coordinate : view_rect.height / steps_across;
  const auto within = [](double at, double from, double length) {
    return std::clamp(at, from, from + std::max(0.0, length - 1));
  };
  position_->x = within(position_->x + way * across, view_rect.x, view_rect.width);
  position_->y = within(position_->y + way * down, view_rect.y, view_rect.height);
  poke(InputEvent::Kind::move, InputEvent::Button::none, key);
  return true;
}

void Input::handle(const std::vector<InputEvent>& events, const Layout& layout, Keyboard keyboard) {
  // An instrument chosen in the panel by keyboard is placed in the visible part at once; arrow keys then move it.
  if (instruments_.placing() && keyboard == Keyboard::navigating) instruments_.place(layout, pointer_);

  for (const InputEvent& event : events) {
    const bool is_key = event.kind == Kind::key_press || event.kind == Kind::key_release;
    if (event.kind == Kind::press || (event.kind == Kind::key_press && !event.repeat)) {
      parameters_.end_undo_step();
      objects_.end_undo_step();
    }
    if (event.kind == Kind::drop)
      execute_(DropFiles{event.files});
    else if (is_key)
      take_key(event, layout, keyboard);
    else
      take_mouse(to_first_lane(event, layout), layout);
  }
  tools_.place_pointer(layout);
}

InputEvent Input::to_first_lane(const InputEvent& event, const Layout& layout) {
  if (layout.lanes == 0) return event;
  // A drag stays in the lane in which it began.
  if (held_buttons_ == 0) lane_ = panels_.areas.contains(event.x, event.y) ? 0 : layout.lane_at(event.x, event.y);
  if (event.kind == Kind::press) ++held_buttons_;
  if (event.kind == Kind::release) held_buttons_ = std::max(0, held_buttons_ - 1);
  if (lane_ >= layout.lanes) lane_ = 0;  // another scene has been opened
  InputEvent moved = event;
  const Camera::Point at = layout.in_first_lane(event.x, event.y, lane_);
  moved.x = at.x;
  moved.y = at.y;
  return moved;
}

void Input::take_mouse(const InputEvent& event, const Layout& layout) {
  try {
    if (!objects_.is_dragging() && instruments_.take_mouse(event, layout)) {
      if (event.kind == Kind::press) objects_.deselect();
      tools_.follow(event, layout);
      return;
    }
  } catch (const InputError& error) {
    client_.show_message(error.message());
    instruments_.stop_placing();
    return;
  }
  // The mouse takes over the tool.
  if (event.kind == Kind::press) keys_in_panel_ = false;
  if (event.kind == Kind::press || event.kind == Kind::move) crosshair_.hide();
  if (is_taken_by_object(event, layout))
    tools_.follow(event, layout);
  else
    tools_.take_mouse(event, layout);
}

bool Input::is_taken_by_object(const InputEvent& event, const Layout& layout) {
  const bool is_press = event.kind == Kind::press;
  // A gesture of the tool keeps the mouse, and so does a key that pans the view.
  if (is_press && (tools_.gestures().is_active() || tools_.gestures().wants_to_pan())) return false;
  if (!objects_.take_mouse(event, layout)) return false;
  if (is_press) instruments_.deselect();
  return true;
}

// The play key acts on release, because holding it pans the view.
void Input::take_space(const InputEvent& event, Keyboard keyboard) {
  if (event.kind == Kind::key_release) {
    if (tools_.release_space() && keyboard == Keyboard::free) execute_(CommandId::play_pause);
  } else if (keyboard == Keyboard::free && !event.repeat && !is_question(interface_.state().overlay)) {
    tools_.press_space();
  }
}

bool Input::is_blocked(const CommandInfo* command, Keyboard keyboard) const {
  if (is_question(interface_.state().overlay) && !(command && command->while_typing)) return true;
  if (keyboard == Keyboard::typing) {
    if (!(command && command->while_typing)) return true;
    // Esc cancels the value being typed; the overlay behind it stays open.
    if (panels_.value_is_typed && command->id == CommandId::close_overlay) return true;
  }
  // While a dialog is open, the panels stay as they were.
  return command && command->id == CommandId::toggle_panels && !overlay_is(Overlay::none);
}

void Input::take_key(const InputEvent& event, const Layout& layout, Keyboard keyboard) {
  if (event.key.empty()) return;  // a key for text fields and lists only
  if (event.key == "Space") {
    take_space(event, keyboard);
    return;
  }
  if (event.kind == Kind::key_release) return;
  // The dialog with the reason why the run stopped handles Enter.
  if (event.key == "Enter" && !client_.run().stop_reason.empty()) return;
  const bool in_panel = keyboard != Keyboard::free || keys_in_panel_;
  if (event.key == "Tab" && (in_panel || !overlay_is(Overlay::none) || panels_.list_open)) {
    // In dialogs with a search field, arrows choose an entry, and Tab has no target.
    if (!overlay_is(Overlay::browser) && !overlay_is(Overlay::files)) panel_keys_.tab_moves += event.shift ? -1 : 1;
    return;
  }
  if (keyboard == Keyboard::navigating && event.key == "Ctrl+Enter") {
    panel_keys_.type_value = true;
    return;
  }
  if (keyboard == Keyboard::free && instruments_.take_key(event, layout, pointer_)) return;
  const bool reaches_objects = keyboard == Keyboard::free && !keys_in_panel_ && overlay_is(Overlay::none);
  if (reaches_objects && !panels_.list_open && objects_.take_key(event, layout)) return;
  const bool view_has_keys = !keys_in_panel_ && overlay_is(Overlay::none) && !panels_.list_open;
  if (keyboard == Keyboard::free && view_has_keys && crosshair_.take_key(event, layout)) return;
  const CommandInfo* command = find_command(event.key);
  if (is_blocked(command, keyboard)) return;
  if (event.key.size() == 1 && event.key[0] >= '1' && event.key[0] <= '9') {
    tools_.choose(static_cast<std::size_t>(event.key[0] - '1'));
    return;
  }
  if (command) {
    if (!event.repeat || command->repeats) execute_(command->id);
    return;
  }
  tools_.use_by_key(event, layout);
}

void Input::focus_panel() {
  panel_keys_.focus_panel = keys_in_panel_ = true;
  crosshair_.hide();
}

bool Input::close_lists() {
  if (!panels_.list_open) return false;
  panel_keys_.close_lists = true;
  return true;
}

}  // namespace perturb

#include "app/session/crosshair.h"

#include <algorithm>
#include <string>

namespace perturb {

namespace {

constexpr double steps_across = 40;  // arrow presses across the height of the view

}  // namespace

void Crosshair::poke(InputEvent::Kind kind, InputEvent::Button button, const InputEvent& key, const Layout& layout) {
  InputEvent event;
  event.kind = kind, event.button = button;
  event.x = state_.crosshair->x, event.y = state_.crosshair->y;
  event.scroll = 0;
  // Shift turns the arrows into a drag; passed on as the mouse's Shift, it would mean a straight line.
  event.shift = false, event.control = button == InputEvent::Button::none && key.control;
  tools_.take_mouse(event, layout);
}

void Crosshair::drop(const Layout& layout) {
  if (!state_.crosshair) return;
  if (drags_) poke(InputEvent::Kind::release, InputEvent::Button::left, {}, layout);
  drags_ = false;
  state_.crosshair.reset();
}

// Starts at the pointer, or in the middle of the view.
void Crosshair::begin(const InputEvent& key, const Layout& layout) {
  const Rect& view_rect = layout.view_rect;
  const GestureRecognizer& gestures = tools_.gestures();
  state_.crosshair = gestures.over_picture()
                         ? Camera::Point{gestures.x(), gestures.y()}
                         : Camera::Point{view_rect.x + 0.5 * view_rect.width, view_rect.y + 0.5 * view_rect.height};
  poke(InputEvent::Kind::move, InputEvent::Button::none, key, layout);
}

bool Crosshair::take_key(const InputEvent& key, const Layout& layout) {
  if (state_.keys_in_panel || state_.overlay != Overlay::none || state_.list_open) return false;
  std::string name = key.key;
  if (name.rfind("Ctrl+", 0) == 0) name.erase(0, 5);
  const double across = name == "Right"  ? 1
                        : name == "Left" ? -1
                                         : 0,
               down = name == "Down" ? 1
                      : name == "Up" ? -1
                                     : 0;
  if (across == 0 && down == 0 && name != "Enter") return false;
  if (!state_.crosshair) {
    begin(key, layout);
    if (name == "Enter") return true;  // also when the key starts the crosshair: Enter acts from then on
  }
  const bool drags = key.shift && name != "Enter";
  if (drags_ && !drags) {
    poke(InputEvent::Kind::release, InputEvent::Button::left, key, layout);
    drags_ = false;
  }
  if (name == "Enter") {
    const auto button = key.control ? InputEvent::Button::right : InputEvent::Button::left;
    poke(InputEvent::Kind::press, button, key, layout);
    poke(InputEvent::Kind::release, button, key, layout);
    return true;
  }
  if (drags && !drags_) {
    poke(InputEvent::Kind::press, InputEvent::Button::left, key, layout);
    drags_ = true;
  }
  const Rect& view_rect = layout.view_rect;
  const double way = key.control ? 1 / layout.pixels_per_coordinate : view_rect.height / steps_across;
  const auto within = [](double at, double from, double length) {
    return std::clamp(at, from, from + std::max(0.0, length - 1));
  };
  state_.crosshair->x = within(state_.crosshair->x + way * across, view_rect.x, view_rect.width);
  state_.crosshair->y = within(state_.crosshair->y + way * down, view_rect.y, view_rect.height);
  poke(InputEvent::Kind::move, InputEvent::Button::none, key, layout);
  return true;
}

}  // namespace perturb

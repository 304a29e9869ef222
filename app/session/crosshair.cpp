// The tool led by keys: arrows move a crosshair, Enter clicks there, and with Shift it drags.
#include <algorithm>
#include <string>

#include "app/session/session.h"

namespace perturb {

namespace {

constexpr double steps_across = 40;  // arrow presses from the picture's foot to its top

}  // namespace

void Session::poke(InputEvent::Kind kind, InputEvent::Button button, const InputEvent& key, const Layout& layout) {
  InputEvent event;
  event.kind = kind, event.button = button;
  event.x = state_.crosshair->x, event.y = state_.crosshair->y;
  event.scroll = 0;
  // Shift says that the arrows drag; as the mouse's it would mean a straight line.
  event.shift = false, event.control = button == InputEvent::Button::none && key.control;
  if (hand_.handle(event, hand_scene(layout, state_.tool), state_.camera, [this](const Gesture& g) { perform(g); }))
    pointer_rest_ = 0;
}

void Session::drop_crosshair(const Layout& layout) {
  if (!state_.crosshair) return;
  if (crosshair_drags_) poke(InputEvent::Kind::release, InputEvent::Button::left, {}, layout);
  crosshair_drags_ = false;
  state_.crosshair.reset();
}

bool Session::lead_crosshair(const InputEvent& key, const Layout& layout) {
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
  const Rect& picture = layout.picture;
  if (!state_.crosshair) {
    // It begins where the mouse is, or in the middle.
    state_.crosshair = hand_.over_picture()
                           ? Camera::Point{hand_.x(), hand_.y()}
                           : Camera::Point{picture.x + 0.5 * picture.width, picture.y + 0.5 * picture.height};
    poke(InputEvent::Kind::move, InputEvent::Button::none, key, layout);
    if (name == "Enter") return true;  // goes in: from now on it acts
  }
  const bool drags = key.shift && name != "Enter";
  if (crosshair_drags_ && !drags) {
    poke(InputEvent::Kind::release, InputEvent::Button::left, key, layout);
    crosshair_drags_ = false;
  }
  if (name == "Enter") {
    const auto button = key.control ? InputEvent::Button::right : InputEvent::Button::left;
    poke(InputEvent::Kind::press, button, key, layout);
    poke(InputEvent::Kind::release, button, key, layout);
    return true;
  }
  if (drags && !crosshair_drags_) {
    poke(InputEvent::Kind::press, InputEvent::Button::left, key, layout);
    crosshair_drags_ = true;
  }
  const double way = key.control ? 1 / layout.pixels_per_coordinate : picture.height / steps_across;
  state_.crosshair->x = std::clamp(state_.crosshair->x + way * across, picture.x, picture.x + picture.width - 1);
  state_.crosshair->y = std::clamp(state_.crosshair->y + way * down, picture.y, picture.y + picture.height - 1);
  poke(InputEvent::Kind::move, InputEvent::Button::none, key, layout);
  return true;
}

}  // namespace perturb

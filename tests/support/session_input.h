// A user's input to a session, and the frames of a session without a window.
#pragma once

#include <string>
#include <type_traits>

#include "app/session/session.h"

namespace perturb {

// The press of a key, as the window reports it.
inline InputEvent key_press(const std::string& key) {
  InputEvent event;
  event.kind = InputEvent::Kind::key_press;
  event.key = key;
  return event;
}
inline InputEvent mouse_event(InputEvent::Kind kind, double x, double y,
                              InputEvent::Button button = InputEvent::Button::none) {
  InputEvent event;
  event.kind = kind;
  event.x = x;
  event.y = y;
  event.button = button;
  return event;
}

// Steps as in frames of the window, however slow the machine is.
inline void advance_frames(Session& session, int frames, double seconds) {
  for (int i = 0; i < frames; ++i) {
    session.pace().forget();
    session.advance();
    session.observe(true);
    session.end_frame(seconds, 0.004);
  }
}

template <class T>
void set_preference(Session& session, T Preferences::*member, std::type_identity_t<T> value) {
  Preferences preferences = session.interface().preferences;
  preferences.*member = value;
  session.execute(ChangeInterface{&InterfaceState::preferences, preferences});
}

}  // namespace perturb

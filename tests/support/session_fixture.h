// A session without a window, used as by a user: receives events and draws frames one after the other.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "app/session/session.h"
#include "tests/support/session_input.h"

namespace perturb {

inline Scene small_tank() {
  Scene scene = load_scene("wave/droplet");
  scene.setup.width = scene.setup.height = 64;
  scene.past_limit = "courant";  // changes may make it unstable
  return scene;
}

class SessionFixture : public testing::Test {
 protected:
  void events(const std::vector<InputEvent>& list, Session::Keyboard keyboard = Session::Keyboard::free) {
    session_.handle(list, layout_, keyboard);
  }
  static InputEvent mouse(InputEvent::Kind kind, double x, double y,
                          InputEvent::Button button = InputEvent::Button::none) {
    return mouse_event(kind, x, y, button);
  }
  static InputEvent key(const std::string& name, InputEvent::Kind kind = InputEvent::Kind::key_press) {
    InputEvent e = key_press(name);
    e.kind = kind;
    return e;
  }
  void tap(const std::string& name) { events({key(name), key(name, InputEvent::Kind::key_release)}); }
  // However slow the machine is, a frame takes the requested steps.
  void frame() { advance_frames(session_, 1, 1.0 / 60); }
  using Kind = InputEvent::Kind;
  using Button = InputEvent::Button;

  std::unique_ptr<Backend> backend_ = Backend::make_cpu(1);
  Experiment experiment_{*backend_, small_tank()};
  Session session_{experiment_, 4};
  Layout layout_ = make_layout(1280, 720, 1, 1, true);
};

}  // namespace perturb

// The tool in the user's hand: where it acts, what it does there, how large it is.
#pragma once

#include <cstddef>
#include <string>

#include "app/session/run_client.h"
#include "app/session/covers.h"
#include "app/session/hand.h"
#include "app/session/layout.h"
#include "app/session/lesson_controller.h"
#include "app/session/pointer_reading.h"
#include "app/session/view_controller.h"

namespace perturb {

class ToolUse {
 public:
  // All outlive it.
  ToolUse(RunClient& client, UiState& state, ViewController& view, const LessonController& lessons, const Covers& covers,
          PointerReading& pointer)
      : client_(client),
        state_(state),
        view_(view),
        lessons_(lessons),
        covers_(covers),
        pointer_(pointer) {}

  const Hand& hand() const { return hand_; }
  // The drag that goes on will do something when its button is let go: what that is goes by the line from its press.
  bool aims() const { return aims_; }

  // An event of the mouse, or of a crosshair in its place.
  void take_mouse(const InputEvent& event, const Layout& layout);
  // The pointer is there, and something else has its events.
  void follow(const InputEvent& event, const Layout& layout) { hand_.follow(event, scene(layout, state_.tool)); }
  // The play key, which moves the view while it is held; whether it was only tapped.
  void press_space();
  bool release_space() { return hand_.release_space(); }
  // Tools that have this key are used where the pointer is.
  void use_by_key(const InputEvent& key, const Layout& layout);
  // By its place in the table.
  void choose(std::size_t index);
  // After a frame's events: where the pointer is now.
  void place_pointer(const Layout& layout);
  void on_run_replaced(bool new_scene);

 private:
  Hand::Scene scene(const Layout& layout, const std::string& tool) const;
  void perform(const Gesture& gesture);
  void look_for_aim(const Gesture& press);
  // The brush's field that the wheel changes with Ctrl; null: none.
  const ValueInfo* wheel_field(const std::string& tool) const;
  void resize_brush(const std::string& tool, double notches);

  RunClient& client_;
  UiState& state_;
  ViewController& view_;
  const LessonController& lessons_;
  const Covers& covers_;
  PointerReading& pointer_;
  Hand hand_;
  bool aims_ = false;
};

}  // namespace perturb

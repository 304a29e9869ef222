// The tool in the user's hand: where it acts, what it does there, how large it is.
#pragma once

#include <cstddef>
#include <string>

#include "app/session/gesture_recognizer.h"
#include "app/session/layout.h"
#include "app/session/lesson_controller.h"
#include "app/session/panel_areas.h"
#include "app/session/pointer_probe.h"
#include "app/session/run_client.h"
#include "app/session/view_controller.h"

namespace perturb {

class ToolController {
 public:
  // All outlive it.
  ToolController(RunClient& client, UiState& state, ViewController& view, const LessonController& lessons,
                 const PanelAreas& panel_areas, PointerProbe& pointer)
      : client_(client), state_(state), view_(view), lessons_(lessons), panel_areas_(panel_areas), pointer_(pointer) {}

  const GestureRecognizer& gestures() const { return recognizer_; }
  // The drag that goes on will do something when its button is let go: what that is goes by the line from its press.
  bool acts_on_release() const { return acts_on_release_; }

  // An event of the mouse, or of a crosshair in its place.
  void take_mouse(const InputEvent& event, const Layout& layout);
  // The pointer is there, and something else has its events.
  void follow(const InputEvent& event, const Layout& layout) {
    recognizer_.follow(event, context(layout, state_.tool));
  }
  // The play key, which moves the view while it is held; whether it was only tapped.
  void press_space();
  bool release_space() { return recognizer_.release_space(); }
  // Tools that have this key are used where the pointer is.
  void use_by_key(const InputEvent& key, const Layout& layout);
  // By its place in the table.
  void choose(std::size_t index);
  // After a frame's events: where the pointer is now.
  void place_pointer(const Layout& layout);
  void on_run_replaced(bool new_scene);

 private:
  GestureRecognizer::Context context(const Layout& layout, const std::string& tool) const;
  void perform(const Gesture& gesture);
  void query_release_effect(const Gesture& press);
  // The brush's field that the wheel changes with Ctrl; null: none.
  const ValueInfo* wheel_field(const std::string& tool) const;
  void resize_brush(const std::string& tool, double notches);

  RunClient& client_;
  UiState& state_;
  ViewController& view_;
  const LessonController& lessons_;
  const PanelAreas& panel_areas_;
  PointerProbe& pointer_;
  GestureRecognizer recognizer_;
  bool acts_on_release_ = false;
};

}  // namespace perturb

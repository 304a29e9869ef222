// The selected tool: its position, its actions and its size.
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
  // All arguments must outlive it.
  ToolController(RunClient& client, UiState& state, ViewController& view, const LessonController& lessons,
                 const PanelAreas& panel_areas, PointerProbe& pointer)
      : client_(client), state_(state), view_(view), lessons_(lessons), panel_areas_(panel_areas), pointer_(pointer) {}

  const GestureRecognizer& gestures() const { return recognizer_; }
  // Whether the current drag acts on release; the effect depends on the line from the press to the release.
  bool acts_on_release() const { return acts_on_release_; }

  // Handles an event of the mouse, or of the crosshair that replaces it.
  void take_mouse(const InputEvent& event, const Layout& layout);
  // Updates the pointer position when another part handles the event.
  void follow(const InputEvent& event, const Layout& layout) {
    recognizer_.follow(event, context(layout, state_.tool));
  }
  // The play key pans the view while held; the release returns whether it was only tapped.
  void press_space();
  bool release_space() { return recognizer_.release_space(); }
  // Uses the tool that has this key at the pointer.
  void use_by_key(const InputEvent& key, const Layout& layout);
  // By its index in the table.
  void choose(std::size_t index);
  // Call after the events of a frame with the new pointer position.
  void place_pointer(const Layout& layout);
  void on_run_replaced(bool new_scene);

 private:
  GestureRecognizer::Context context(const Layout& layout, const std::string& tool) const;
  void perform(const Gesture& gesture);
  void query_release_effect(const Gesture& press);
  // The brush setting that the wheel changes with Ctrl; null: none.
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

// The selected tool: its gestures, its actions and its size.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/session/input_events.h"
#include "app/session/layout.h"
#include "app/session/lesson_controller.h"
#include "app/session/measurements.h"
#include "app/session/run_client.h"
#include "app/session/view_controller.h"
#include "cuda/core/simulation/action.h"

namespace perturb {

// Recognizes mouse gestures: turns input events into gestures of the chosen tool, and pans and zooms the view.
class GestureRecognizer {
 public:
  // Properties of the current scene that the recognizer needs.
  struct Context {
    PointerFrame frame;
    double domain_width = 1, domain_height = 1;
    bool wheel = false;   // the tool handles the wheel with Ctrl
    bool orbits = false;  // the scene has depth: a middle drag rotates it, and pans with Shift
    bool has_depth =
        false;  // the quantity is drawn as a relief over the domain: the pointer means a position on the ground
    std::string tool;
    std::map<std::string, double> brush;
    std::function<bool(double x, double y)> is_over_panel;  // whether a panel covers this point
    // Changes the brush size by notches of the wheel with Ctrl. Null: the tool has no brush size, or uses the wheel
    // itself.
    std::function<void(double notches)> resize;
  };
  using Perform = std::function<void(const Gesture&)>;

  // Passes each gesture to `perform` immediately, so that none waits for the next frame. Returns whether the event was
  // handled.
  bool handle(const InputEvent& event, const Context& context, Camera& camera, const Perform& perform);
  // Updates the pointer position when another part handles the event.
  void follow(const InputEvent& event, const Context& context);
  // A key that replaces a click of the left button: uses the scene's tool at the pointer.
  void click(const InputEvent& event, const Context& context, const Camera& camera, const Perform& perform);
  // While Space is down, the left button acts as the middle button. The release returns whether Space was only tapped.
  void press_space() {
    space_down_ = true;
    space_used_ = false;
  }
  bool release_space();
  // Cancels the current gesture (another scene, an overlay).
  void cancel();

  // The current drag of a tool from the press to the pointer, in fractions of the domain; none if no drag is active.
  std::optional<PointerSegment> drag() const;
  // Whether Shift is held: the tool then acts along a straight line on release.
  bool draws_line() const { return mode_ == Mode::gesture && line_; }
  // Whether a button is held that began here.
  bool is_active() const { return mode_ != Mode::nothing; }
  bool is_panning() const { return mode_ == Mode::pan || mode_ == Mode::orbit; }
  bool wants_to_pan() const { return space_down_; }
  // Pointer position in screen coordinates. Not over the view if it has left the window or is over a panel.
  double x() const { return x_; }
  double y() const { return y_; }
  bool over_picture() const { return over_picture_; }

 private:
  enum class Mode { nothing, gesture, pan, orbit };
  Gesture gesture_at(Gesture::Phase phase, const PointerSegment& segment, const InputEvent& event,
                     const Context& context, const Camera& camera) const;

  Mode mode_ = Mode::nothing;
  InputEvent::Button held_button_ = InputEvent::Button::none;
  bool space_down_ = false, space_used_ = false;
  bool line_ = false;
  double x_ = -1, y_ = -1;
  bool over_picture_ = false;
  Camera::Point start_{0, 0}, last_{0, 0};  // of the gesture, in fractions of the domain
};

// The selected tool: its position, its actions and its size.
class ToolController {
 public:
  // All arguments must outlive it.
  // `on_gesture`: called when a gesture acts on the run; `on_actions`: called with the actions that it produced;
  // `change_parameter`: changes it, or returns false if the lesson keeps it fixed.
  ToolController(RunClient& client, ViewController& view, const LessonController& lessons,
                 const PanelAreas& panel_areas, PointerProbe& pointer, std::function<void()> on_gesture,
                 std::function<void(const std::vector<Action>&)> on_actions,
                 std::function<bool(const ParameterChange&, bool by_wheel)> change_parameter)
      : client_(client),
        view_(view),
        lessons_(lessons),
        panel_areas_(panel_areas),
        pointer_(pointer),
        on_gesture_(std::move(on_gesture)),
        on_actions_(std::move(on_actions)),
        change_parameter_(std::move(change_parameter)) {}

  // Its id; empty: the simulation has no tools.
  const std::string& tool() const { return tool_; }
  // Settings of a tool of the simulation, by field; empty for another tool. Where the field names a parameter of the
  // run, its value is the parameter's.
  std::map<std::string, double> brush_of(const std::string& tool) const;
  double default_of(const ValueInfo& field) const;
  const GestureRecognizer& gestures() const { return recognizer_; }
  // Whether the current drag acts on release; the effect depends on the line from the press to the release.
  bool acts_on_release() const { return acts_on_release_; }

  // Handles an event of the mouse, or of the crosshair that replaces it.
  void take_mouse(const InputEvent& event, const Layout& layout);
  // Updates the pointer position when another part handles the event.
  void follow(const InputEvent& event, const Layout& layout) { recognizer_.follow(event, context(layout, tool_)); }
  // The play key pans the view while held; the release returns whether it was only tapped.
  void press_space();
  bool release_space() { return recognizer_.release_space(); }
  // Uses the tool that has this key at the pointer.
  void use_by_key(const InputEvent& key, const Layout& layout);
  // Uses the selected tool at a point of the domain, as a click there.
  void tap(double x, double y);
  // Chooses by id, or by the index in the table of tools. An immediate tool acts at once instead.
  void choose(const std::string& id);
  void choose(std::size_t index);
  // A field that names a parameter changes that parameter, which has a slider of its own.
  void change_brush(const std::string& tool, const std::string& field, double value, bool by_wheel = false);
  // The first tool, with the settings with which the program starts.
  void reset() {
    tool_.clear();
    brushes_.clear();
  }
  // Call when a step of a lesson begins: chooses its tool, or one that it allows.
  void follow_lesson();
  // Call after the events of a frame with the new pointer position.
  void place_pointer(const Layout& layout);
  void on_run_replaced(bool new_scene);

 private:
  GestureRecognizer::Context context(const Layout& layout, const std::string& tool) const;
  // `confirmed`: what a message then says has been done; empty: the view shows it.
  void perform(const Gesture& gesture, const Message& confirmed = {});
  // An immediate tool. It is confirmed: reversed velocities look like the ones before.
  void use_at_once(const Tool& tool);
  void use(const std::string& tool, double x, double y, const Message& confirmed);
  void query_release_effect(const Gesture& press);
  // The brush setting that the wheel changes with Ctrl; null: none.
  const ValueInfo* wheel_field(const std::string& tool) const;
  void resize_brush(const std::string& tool, double notches);

  RunClient& client_;
  ViewController& view_;
  const LessonController& lessons_;
  const PanelAreas& panel_areas_;
  PointerProbe& pointer_;
  std::function<void()> on_gesture_;
  std::function<void(const std::vector<Action>&)> on_actions_;
  std::function<bool(const ParameterChange&, bool by_wheel)> change_parameter_;
  std::optional<ParameterChange> asked_;  // the last one; the run may not have it yet
  std::string tool_;
  std::map<std::string, std::map<std::string, double>> brushes_;  // changed by the user; by tool and field
  GestureRecognizer recognizer_;
  bool acts_on_release_ = false;
};

}  // namespace perturb

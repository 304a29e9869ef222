// The user's hand on the mouse: turns input events into gestures of the chosen tool, and moves and zooms the view.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "app/session/input_event.h"
#include "app/session/pointer.h"
#include "cuda/core/simulation/action.h"

namespace perturb {

class GestureRecognizer {
 public:
  // What the hand needs to know of the scene at this moment.
  struct Context {
    PointerFrame frame;
    double domain_width = 1, domain_height = 1;
    bool wheel = false;      // the tool hears the wheel with Ctrl
    bool orbits = false;     // the scene has depth: a middle drag turns it, and moves the view with Shift
    bool has_depth = false;  // what is shown stands over the domain as over ground: the pointer means a place there
    std::string tool;
    std::map<std::string, double> brush;
    std::function<bool(double x, double y)> is_over_panel;  // a panel lies over the picture there
    // Makes the brush larger, by notches of the wheel with Ctrl. Null: the tool has none, or the wheel is its own.
    std::function<void(double notches)> resize;
  };
  using Perform = std::function<void(const Gesture&)>;

  // Gestures go to `perform` as they come, so that none waits for the next frame. Returns whether
  // the event was the hand's.
  bool handle(const InputEvent& event, const Context& context, Camera& camera, const Perform& perform);
  // The pointer is there, and something else has its events.
  void follow(const InputEvent& event, const Context& context);
  // A key that stands for a click of the left button: the scene's tool is used where the pointer is.
  void click(const InputEvent& event, const Context& context, const Camera& camera, const Perform& perform);
  // Space was pressed: a drag of the left button is one of the middle button. Returns on release
  // whether it was only tapped.
  void press_space() { space_down_ = true, space_used_ = false; }
  bool release_space();
  // Ends what is going on (another scene, an overlay).
  void cancel();

  // A drag of a tool from its press to the pointer, in fractions of the domain; none: there is none.
  std::optional<PointerSegment> drag() const;
  // It is one with Shift: what it does is done along a straight line, when the button is let go.
  bool draws_line() const { return mode_ == Mode::gesture && line_; }
  bool is_panning() const { return mode_ == Mode::pan || mode_ == Mode::orbit; }
  bool wants_to_pan() const { return space_down_; }
  // Where the pointer is, screen coordinates; not over the picture when it has left the window or lies over a panel.
  double x() const { return x_; }
  double y() const { return y_; }
  bool over_picture() const { return over_picture_; }

 private:
  enum class Mode { nothing, gesture, pan, orbit };
  Gesture gesture_at(Gesture::Phase phase, const PointerSegment& segment, const InputEvent& event,
                     const Context& context) const;

  Mode mode_ = Mode::nothing;
  InputEvent::Button held_button_ = InputEvent::Button::none;
  bool space_down_ = false, space_used_ = false;
  bool line_ = false;
  double x_ = -1, y_ = -1;
  bool over_picture_ = false;
  Camera::Point start_{0, 0}, last_{0, 0};  // of the gesture, in fractions of the domain
};

}  // namespace perturb

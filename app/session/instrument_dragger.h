// Mouse control of instruments in the view: places them, selects them, drags their handles.
#pragma once

#include <functional>

#include "app/instruments/instruments.h"
#include "app/session/input_event.h"
#include "app/session/pointer.h"
#include "app/session/ui_state.h"

namespace perturb {

class InstrumentDragger {
 public:
  struct Context {
    PointerFrame frame;
    DomainSize domain;
    Camera camera;
    bool has_depth = false;
    std::string quantity;  // read by a new probe or cut
    double reach = 10;     // radius in which a press grabs a handle; screen coordinates
    std::function<bool(double x, double y)> is_over_panel;
    Camera::Point place_at(double x, double y) const {
      return pointer_to_domain(x, y, frame, camera, domain.width, domain.height, has_depth);
    }
    Camera::Point screen_of(const Camera::Point& place) const {
      return domain_to_screen(place, frame, camera, domain.width, domain.height, has_depth);
    }
  };

  // Returns whether an instrument handled the event; the tool then ignores it.
  bool handle(const InputEvent& event, const Context& context, Instruments& instruments, UiState& state);
  // Places the pending instrument around this position, with a fifth of the visible size.
  static void place_around(const Camera::Point& middle, const Context& context, Instruments& instruments,
                           UiState& state);
  void cancel() { dragging_ = false; }
  bool is_dragging() const { return dragging_; }

 private:
  bool press(const InputEvent& event, const Context& context, Instruments& instruments, UiState& state);

  bool dragging_ = false, is_new_ = false;
  double press_x_ = 0, press_y_ = 0;
};

}  // namespace perturb

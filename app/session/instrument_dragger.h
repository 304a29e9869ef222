// The mouse on the instruments in the picture: places them, selects them, drags their handles.
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
    std::string quantity;  // that a new probe or cut reads
    double reach = 10;     // how near to a handle a press must be; screen coordinates
    std::function<bool(double x, double y)> is_over_panel;
    Camera::Point place_at(double x, double y) const {
      return pointer_to_domain(x, y, frame, camera, domain.width, domain.height, has_depth);
    }
    Camera::Point screen_of(const Camera::Point& place) const {
      return domain_to_screen(place, frame, camera, domain.width, domain.height, has_depth);
    }
  };

  // Whether the event was an instrument's: the tool then does not hear it.
  bool handle(const InputEvent& event, const Context& context, Instruments& instruments, UiState& state);
  // Puts the instrument that is to be placed around this place, as long as a fifth of what is seen.
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

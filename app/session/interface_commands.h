// Commands that only change the interface or that the window executes: dialogs, panels, text size.
#pragma once

#include "app/session/ui_state.h"
#include "app/session/window_requests.h"

namespace perturb {

class InterfaceCommands {
 public:
  InterfaceCommands(UiState& state, WindowRequests& window_requests)
      : state_(state), window_requests_(window_requests) {}

  bool handle(UiCommand command);

 private:
  void toggle(Overlay overlay) { state_.overlay = state_.overlay == overlay ? Overlay::none : overlay; }
  void toggle_panels();
  void toggle_presentation();
  void show_measuring();
  void close_topmost();

  UiState& state_;
  WindowRequests& window_requests_;
};

}  // namespace perturb

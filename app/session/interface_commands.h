// Commands that change the interface alone, or are for the window to carry out: boxes, panels, the size of letters.
#pragma once

#include "app/session/ui_state.h"
#include "app/session/wishes.h"

namespace perturb {

class InterfaceCommands {
 public:
  InterfaceCommands(UiState& state, Wishes& wishes) : state_(state), wishes_(wishes) {}

  bool handle(UiCommand command);

 private:
  void toggle(Overlay overlay) { state_.overlay = state_.overlay == overlay ? Overlay::none : overlay; }
  void toggle_panels();
  void toggle_presentation();
  void show_measuring();
  void close_topmost();

  UiState& state_;
  Wishes& wishes_;
};

}  // namespace perturb

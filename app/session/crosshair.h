// Keyboard control of the tool: arrows move a crosshair, Enter clicks there, Shift with arrows drags.
#pragma once

#include "app/session/input_event.h"
#include "app/session/layout.h"
#include "app/session/tool_controller.h"
#include "app/session/ui_state.h"

namespace perturb {

class Crosshair {
 public:
  Crosshair(UiState& state, ToolController& tools) : state_(state), tools_(tools) {}

  // Whether the key was handled here.
  bool take_key(const InputEvent& key, const Layout& layout);
  // Returns the tool to the mouse.
  void drop(const Layout& layout);

 private:
  void begin(const InputEvent& key, const Layout& layout);
  void poke(InputEvent::Kind kind, InputEvent::Button button, const InputEvent& key, const Layout& layout);

  UiState& state_;
  ToolController& tools_;
  bool drags_ = false;
};

}  // namespace perturb

// Dispatches the events of a frame in order: to an instrument, the current tool, the crosshair or a command.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/session/input_events.h"
#include "app/session/instrument_controller.h"
#include "app/session/layout.h"
#include "app/session/measurements.h"
#include "app/session/parameter_controller.h"
#include "app/session/tool_controller.h"

namespace perturb {

class Input {
 public:
  // Keyboard focus: none, a text field, or keyboard navigation in the panel.
  enum class Keyboard { free, typing, navigating };
  // Receivers of events that do not concern the view.
  struct Sinks {
    std::function<void(UiCommand)> command;
    std::function<void(const std::vector<std::string>& files)> drop;
  };

  // All arguments must outlive it.
  Input(RunClient& client, UiState& state, ParameterController& parameters, InstrumentController& instruments,
        ToolController& tools, const PointerProbe& pointer, Sinks sinks)
      : client_(client),
        state_(state),
        parameters_(parameters),
        instruments_(instruments),
        tools_(tools),
        pointer_(pointer),
        sinks_(std::move(sinks)),
        crosshair_(state, tools) {}

  void handle(const std::vector<InputEvent>& events, const Layout& layout, Keyboard keyboard);

 private:
  using Kind = InputEvent::Kind;
  void take_mouse(const InputEvent& event, const Layout& layout);
  void take_key(const InputEvent& event, const Layout& layout, Keyboard keyboard);
  void take_space(const InputEvent& event, Keyboard keyboard);
  // Whether the key must not trigger a command, because a field has the focus or a dialog is open.
  bool is_blocked(const KeyBinding* binding, Keyboard keyboard) const;

  RunClient& client_;
  UiState& state_;
  ParameterController& parameters_;
  InstrumentController& instruments_;
  ToolController& tools_;
  const PointerProbe& pointer_;
  Sinks sinks_;
  Crosshair crosshair_;
};

}  // namespace perturb

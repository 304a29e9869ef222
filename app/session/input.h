// Dispatches the events of a frame in order: to an instrument, an object, the current tool, the crosshair or a command.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/session/command.h"
#include "app/session/input_events.h"
#include "app/session/instrument_controller.h"
#include "app/session/layout.h"
#include "app/session/measurements.h"
#include "app/session/object_controller.h"
#include "app/session/parameter_controller.h"
#include "app/session/tool_controller.h"

namespace perturb {

// Keyboard control of the tool: arrows move a crosshair, Enter clicks there, Shift with arrows drags.
class Crosshair {
 public:
  Crosshair(ObjectController& objects, ToolController& tools) : objects_(objects), tools_(tools) {}

  // In screen coordinates; none: the mouse controls the tool.
  const std::optional<Camera::Point>& position() const { return position_; }
  // Whether the key was handled here.
  bool take_key(const InputEvent& key, const Layout& layout);
  // Ends a drag, and returns the tool to the mouse. Returns whether the crosshair was shown.
  bool hide();

 private:
  void begin(const InputEvent& key);
  void poke(InputEvent::Kind kind, InputEvent::Button button, const InputEvent& key);

  ObjectController& objects_;
  ToolController& tools_;
  Layout layout_;  // of the last key
  std::optional<Camera::Point> position_;
  bool drags_ = false;
};

// Requests of the keys to the panels for the next pass.
struct PanelKeys {
  bool focus_panel = false;  // moves the focus to the panel
  int tab_moves = 0;         // presses of Tab, minus those with Shift: moves the focus in the panels
  bool type_value = false;   // starts typing into the focused slider
  bool close_lists = false;
};

// The last pass of the panels, as far as the input depends on it.
struct PanelFeedback {
  PanelAreas areas;
  bool list_open = false;       // a list is open over everything
  bool value_is_typed = false;  // a number is being typed into a slider
};

class Input {
 public:
  // Keyboard focus: none, a text field, or keyboard navigation in the panel.
  enum class Keyboard { free, typing, navigating };
  using Execute = std::function<void(const Command&)>;

  // All arguments must outlive it. `execute`: receives commands.
  Input(RunClient& client, const Interface& interface, const PanelFeedback& panels, ParameterController& parameters,
        InstrumentController& instruments, ObjectController& objects, ToolController& tools,
        const PointerProbe& pointer, Execute execute)
      : client_(client),
        interface_(interface),
        panels_(panels),
        parameters_(parameters),
        instruments_(instruments),
        objects_(objects),
        tools_(tools),
        pointer_(pointer),
        execute_(std::move(execute)),
        crosshair_(objects, tools) {}

  const Crosshair& crosshair() const { return crosshair_; }
  // From F6 until Esc or a click: arrows move through the panel.
  bool keys_in_panel() const { return keys_in_panel_; }
  const PanelKeys& panel_keys() const { return panel_keys_; }

  // Call before the commands of a frame: the panels have been drawn with the keys of the last one.
  void begin_frame() { panel_keys_ = {}; }
  void handle(const std::vector<InputEvent>& events, const Layout& layout, Keyboard keyboard);
  void focus_panel();
  // Esc: returns the keys from the panel to the view.
  void leave_panel() { keys_in_panel_ = false; }
  // Both return whether there was anything to close.
  bool close_lists();
  bool hide_crosshair() { return crosshair_.hide(); }

 private:
  using Kind = InputEvent::Kind;
  // In a race, the event at the same place of the first lane.
  InputEvent to_first_lane(const InputEvent& event, const Layout& layout);
  void take_mouse(const InputEvent& event, const Layout& layout);
  // Whether an object handled the event of the mouse.
  bool is_taken_by_object(const InputEvent& event, const Layout& layout);
  void take_key(const InputEvent& event, const Layout& layout, Keyboard keyboard);
  void take_space(const InputEvent& event, Keyboard keyboard);
  // Whether the key must not trigger a command, because a field has the focus or a dialog is open.
  bool is_blocked(const CommandInfo* command, Keyboard keyboard) const;
  bool overlay_is(Overlay overlay) const { return interface_.state().overlay == overlay; }

  RunClient& client_;
  const Interface& interface_;
  const PanelFeedback& panels_;
  ParameterController& parameters_;
  InstrumentController& instruments_;
  ObjectController& objects_;
  ToolController& tools_;
  const PointerProbe& pointer_;
  Execute execute_;
  Crosshair crosshair_;
  PanelKeys panel_keys_;
  bool keys_in_panel_ = false;
  std::size_t lane_ = 0;  // of a race: under the pointer
  int held_buttons_ = 0;  // while lanes are shown
};

}  // namespace perturb

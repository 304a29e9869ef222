// Mouse and keyboard events, their queue, and the commands that keys are bound to.
#pragma once

#include <deque>
#include <span>
#include <string>
#include <vector>

#include "cuda/core/backend/message.h"

namespace perturb {

// A mouse or keyboard event; events are kept in order. A press and its release within one frame are two events, so no
// click is lost however long a frame takes.
struct InputEvent {
  enum class Kind { move, press, release, scroll, enter, leave, key_press, key_release, drop };
  enum class Button { none, left, right, middle };

  Kind kind = Kind::move;
  double x = 0, y = 0;  // screen coordinates from the top left corner of the window
  Button button = Button::none;
  double scroll = 0;  // notches; positive away from the user
  // "Space", "F1", "Ctrl+S", "[": letters and signs in the user's keyboard layout, letters in lower case. Empty for
  // keys that only text fields and lists use.
  std::string key;
  bool repeat = false;
  bool shift = false, control = false;
  // For text fields and lists, in GLFW's numbers: the physical key (0: none), and the character that it types (0:
  // none).
  int code = 0, scan_code = 0;
  unsigned letter = 0;
  std::vector<std::string> files;  // dropped on the window
};

// Trickles input events over several ImGui passes. Dear ImGui samples the pointer position and the pressed buttons once
// per pass. It misses a press and release that fall between two passes, and merges two clicks into one. The events of a
// long frame are therefore distributed over several passes, and only the last pass is drawn.
class TrickleQueue {
 public:
  void add(std::vector<InputEvent> events);
  // Whether events are pending.
  bool waiting() const { return !queue_.empty(); }
  // Events of the next pass, in order: as many from the front as one pass can distinguish. Empty while the panels need
  // another pass before the next event can reach its target: a double-clicked field accepts characters only then.
  std::vector<InputEvent> next();
  // Drops pending repeats of a held key except one each: they may come faster than long frames can process, and would
  // continue after the key is released. Not for a text field, where each is a character.
  void drop_repeats();

 private:
  std::deque<InputEvent> queue_;
  int passes_ = 0;  // since the last press, release or key
};

// Key and mouse bindings: tables used by the keyboard, the tooltips of buttons and the help page.
enum class UiCommand {
  play_pause,
  single_step,
  restart,
  restart_keeping,
  undo,
  redo,
  faster,
  slower,
  speed_unit,
  cancel_step,
  home_view,
  previous_scene,
  next_scene,
  browse,
  screenshot,
  save_state,
  save_state_as,
  open_file,
  output_folder,
  show_output_folder,
  copy_command_line,
  save_script,
  save_preset,
  measure,
  export_files,
  copy_numbers,
  copy_image,
  film,
  report,
  toggle_panels,
  toggle_color_bar,
  show_suggested,
  presentation,
  fullscreen,
  describe,
  help,
  about_scene,
  lessons,
  previous_step,
  next_step,
  larger_text,
  smaller_text,
  focus_panel,
  close_overlay,
  quit
};

struct KeyBinding {
  UiCommand command;
  // Chords in the spelling of InputEvent::key, separated by spaces; buttons show the first.
  const char* chords;
  const char* group;          // a heading on the help page
  const char* action;         // "Play or pause"
  bool repeats = false;       // repeats while the key is held
  bool while_typing = false;  // also while a text field has the focus
};
std::span<const KeyBinding> key_bindings();
const KeyBinding& binding_of(UiCommand command);

// The binding of a chord, null if there is none.
const KeyBinding* find_binding(const std::string& chord);

// A chord in display form: "Space", "Ctrl + S".
Message shown_chord(const std::string& chord);
// The first chord of a command, in display form.
Message shown_chord(UiCommand command);
// All chords in display form: ".  or  N".
Message shown_chords(const KeyBinding& binding);

struct MouseBinding {
  const char* gesture;
  const char* action;
};
std::span<const MouseBinding> mouse_bindings();

}  // namespace perturb

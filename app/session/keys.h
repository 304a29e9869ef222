// Key and mouse bindings: tables used by the keyboard, the tooltips of buttons and the help page.
#pragma once

#include <span>
#include <string>

namespace perturb {

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
std::string shown_chord(const std::string& chord);
// The first chord of a command, in display form.
std::string shown_chord(UiCommand command);
// All chords, in the selected language: ".  or  N".
std::string shown_chords(const KeyBinding& binding);

struct MouseBinding {
  const char* gesture;
  const char* action;
};
std::span<const MouseBinding> mouse_bindings();

}  // namespace perturb

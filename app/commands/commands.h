// The table of commands: what keys, buttons, menus, the help and the page let a user do with one press.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cuda/core/backend/message.h"

namespace perturb {

// Commands without arguments. Those with arguments are in app/session/command.h.
enum class CommandId {
  play_pause,
  single_step,
  step_back,
  past_back,
  past_forward,
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
  toggle_plots,
  toggle_color_bar,
  toggle_theory,
  toggle_microscope,
  toggle_launch,
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
  share,
  quit,
  // without a key
  reset_parameters,
  restore_last_good,
  apply_remedy,
  close_lesson,
  hide_hint,
  end_film,
  dismiss_message
};

struct CommandInfo {
  CommandId id;
  const char* name;  // on the page: "play-pause"
  // Chords in the spelling of InputEvent::key, separated by spaces; buttons show the first.
  const char* keys;
  // The same on the page, where the browser reserves some keys; empty: the page does not have the command, or no key
  // for it.
  const char* page_keys;
  const char* group;          // a heading of the help
  const char* label;          // "Play or pause"
  bool repeats = false;       // repeats while the key is held
  bool while_typing = false;  // also while a text field has the focus
};
// Every command that has a key.
std::span<const CommandInfo> command_table();
const CommandInfo& info_of(CommandId id);
// The command with this key, null if there is none.
const CommandInfo* find_command(const std::string& chord);
// A chord in display form: "Space", "Ctrl + S".
Message shown_chord(const std::string& chord);
// The first chord of a command, in display form.
Message shown_chord(CommandId id);
// A command's `keys` or `page_keys` as a list.
std::vector<std::string> split_chords(const char* chords);
// The same in display form: ".  or  N".
Message shown_chords(const char* chords);
inline Message shown_chords(const CommandInfo& info) { return shown_chords(info.keys); }

struct MouseBinding {
  const char* gesture;
  const char* action;
};
std::span<const MouseBinding> mouse_bindings();

}  // namespace perturb

#include "app/commands/commands.h"

#include <iterator>
#include <sstream>

#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

constexpr CommandInfo commands[] = {
    // command, on the page, keys, keys of the page, group, label, repeats, while typing
    {CommandId::play_pause, "play-pause", "Space", "Space", "Time", "Play or pause"},
    {CommandId::single_step, "single-step", ". n", ". n", "Time", "One step (pauses)", true},
    {CommandId::step_back, "step-back", ",", ",", "Time", "One step back (pauses)", true},
    {CommandId::past_back, "past-back", "<", "<", "Time", "Back in the run (pauses)", true},
    {CommandId::past_forward, "past-forward", ">", ">", "Time", "Forward in the past of the run", true},
    {CommandId::restart, "restart", "r", "r", "Time", "Restart the scene"},
    {CommandId::restart_keeping, "restart-keeping", "Ctrl+R", "Shift+R", "Time", "Restart, keep walls and sources"},
    {CommandId::undo, "undo", "Ctrl+Z", "Ctrl+Z", "Time", "Undo", true},
    {CommandId::redo, "redo", "Ctrl+Shift+Z Ctrl+Y", "Ctrl+Shift+Z Ctrl+Y", "Time", "Redo", true},
    {CommandId::faster, "faster", "+ =", "+ =", "Time", "Faster", true},
    {CommandId::slower, "slower", "-", "-", "Time", "Slower", true},
    {CommandId::speed_unit, "speed-unit", "u", "u", "Time", "Change the speed unit"},
    {CommandId::cancel_step, "cancel-step", "Ctrl+G", "", "Time", "Cancel the current step"},
    {CommandId::previous_scene, "previous-scene", "[", "[", "Scene", "Previous scene"},
    {CommandId::next_scene, "next-scene", "]", "]", "Scene", "Next scene"},
    {CommandId::browse, "browse", "F3 Ctrl+F", "g", "Scene", "Browse all scenes", false, true},
    {CommandId::lessons, "lessons", "F2", "", "Scene", "Lessons"},
    {CommandId::previous_step, "previous-step", "PageUp", "", "Scene", "Lesson: back", false, true},
    {CommandId::next_step, "next-step", "PageDown", "", "Scene", "Lesson: next", false, true},
    {CommandId::save_state, "save-state", "Ctrl+S", "Ctrl+S", "Scene", "Save the state"},
    {CommandId::save_state_as, "save-state-as", "Ctrl+Shift+E", "", "Scene", "Save the state as"},
    {CommandId::open_file, "open-file", "Ctrl+O", "Ctrl+O", "Scene", "Open a file"},
    {CommandId::output_folder, "output-folder", "Ctrl+D", "", "Scene", "Choose the folder for files"},
    {CommandId::show_output_folder, "show-output-folder", "Ctrl+Shift+O", "", "Scene",
     "Show the last file in its folder"},
    {CommandId::copy_command_line, "copy-command-line", "Ctrl+Shift+C", "", "Scene", "Copy as command line"},
    {CommandId::save_script, "save-script", "Ctrl+Shift+S", "", "Scene", "Save as script"},
    {CommandId::save_preset, "save-preset", "Ctrl+P", "", "Scene", "Save as preset"},
    {CommandId::export_files, "export-files", "Ctrl+E", "", "Scene", "Export curves, fields and images"},
    {CommandId::report, "report", "F10", "", "Scene", "Save a lab report"},
    {CommandId::copy_numbers, "copy-numbers", "Ctrl+C", "", "Scene", "Copy values as text"},
    {CommandId::measure, "measure", "m", "m", "View", "Measurements and curves"},
    {CommandId::toggle_plots, "toggle-plots", "F8", "", "View", "Show or hide the plots"},
    {CommandId::film, "film", "F9", "F9", "View", "Start or stop video recording"},
    {CommandId::copy_image, "copy-image", "Ctrl+Shift+P", "", "View", "Copy the image"},
    {CommandId::screenshot, "screenshot", "p F12", "p", "View", "Save the image as PNG"},
    {CommandId::home_view, "home-view", "Home 0", "Home 0", "View", "Show the whole domain"},
    {CommandId::toggle_color_bar, "toggle-color-bar", "c", "c", "View", "Show or hide the colour bar"},
    {CommandId::toggle_theory, "toggle-theory", "t", "t", "View", "Show or hide theory in the view"},
    {CommandId::toggle_microscope, "toggle-microscope", "z", "z", "View", "Show or hide the microscope"},
    {CommandId::toggle_launch, "toggle-launch", "l", "", "View", "Show or hide the launch of the kernel"},
    {CommandId::show_suggested, "show-suggested", "v", "", "View", "Switch to the suggested quantity"},
    {CommandId::presentation, "presentation", "F5", "", "Window", "Presentation mode"},
    {CommandId::fullscreen, "fullscreen", "F11", "", "Window", "Full screen"},
    {CommandId::toggle_panels, "toggle-panels", "Tab h", "h", "Window", "Show or hide the panels"},
    {CommandId::larger_text, "larger-text", "Ctrl++ Ctrl+=", "", "Window", "Larger text", true, true},
    {CommandId::smaller_text, "smaller-text", "Ctrl+-", "", "Window", "Smaller text", true, true},
    {CommandId::focus_panel, "focus-panel", "F6", "", "Window", "Move keyboard focus to the panel (Esc: back)", false,
     true},
    {CommandId::describe, "describe", "F4", "F4", "Window", "Describe the view in words"},
    {CommandId::help, "help", "F1 ?", "? F1", "Window", "Help"},
    {CommandId::about_scene, "about-scene", "F7", "F7", "Scene", "About this scene: equation and experiments"},
    {CommandId::share, "share-run", "Ctrl+L", "", "Window", "Share the run, or stop sharing"},
    {CommandId::close_overlay, "close-overlay", "Esc", "Esc", "Window", "Close", false, true},
    {CommandId::quit, "quit", "Ctrl+Q", "", "Window", "Quit", false, true},
};

constexpr MouseBinding known_mouse_bindings[] = {
    {"Left button", "Use the tool"},
    {"Right button", "Reverse the tool's effect"},
    {"Middle drag, or Space + drag", "Pan the view"},
    {"Middle drag in 3-D views", "Rotate; Shift: pan"},
    {"Wheel", "Zoom at the pointer"},
    {"Shift + drag", "Use the tool along a straight line"},
    {"Ctrl + wheel", "Change the size of the brush"},
    {"Double click on a slider", "Type a value (keyboard: Ctrl + Enter)"},
    {"Arrow keys", "Move a crosshair (Ctrl: by one pixel)"},
    {"Enter", "Use the tool at the crosshair (Ctrl: reversed)"},
    {"Shift + arrow keys", "Drag with the crosshair"},
    {"Handle of an instrument", "Drag to move (arrow keys: move, Del: remove)"},
    {"Knob of an object", "Drag to move, click to select (Del: remove)"},
    {"I, then Enter", "Choose an instrument, then place it"},
    {"1 ... 9", "Choose a tool"},
};

}  // namespace

Message shown_chord(const std::string& chord) {
  if (chord.size() > 1) {
    const auto plus = chord.find('+', 1);
    if (plus == std::string::npos || plus + 1 == chord.size()) return chord;
    return Message(chord.substr(0, plus) + " + {}", shown_chord(chord.substr(plus + 1)));  // "Ctrl + {}"
  }
  std::string upper = chord;
  if (upper[0] >= 'a' && upper[0] <= 'z') upper[0] = static_cast<char>(upper[0] - 'a' + 'A');
  return upper;
}

std::span<const CommandInfo> command_table() { return commands; }
std::span<const MouseBinding> mouse_bindings() { return known_mouse_bindings; }

const CommandInfo& info_of(CommandId id) {
  for (const CommandInfo& command : commands)
    if (command.id == id) return command;
  throw Error("internal: a command without a key");
}

const CommandInfo* find_command(const std::string& chord) {
  for (const CommandInfo& command : commands)
    for (const std::string& one : split_chords(command.keys))
      if (one == chord) return &command;
  return nullptr;
}

Message shown_chord(CommandId id) { return shown_chord(split_chords(info_of(id).keys).front()); }

std::vector<std::string> split_chords(const char* chords) {
  std::istringstream words(chords);
  return {std::istream_iterator<std::string>(words), {}};
}

Message shown_chords(const char* chords) {
  Message text;
  for (const std::string& one : split_chords(chords)) {
    if (one == "=" || one == "Ctrl+=") continue;  // the same key without Shift
    text = text.empty() ? shown_chord(one) : Message("{}  or  {}", text, shown_chord(one));
  }
  return text;
}

}  // namespace perturb

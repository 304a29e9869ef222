#include "app/session/input_events.h"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <utility>

#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

using Kind = InputEvent::Kind;

// A field opened by a double click is laid out in the next pass, gets the focus in the second and reports it in the
// third.
constexpr int settle_passes = 3;

// These events may change the panels: lists and fields open and close.
bool is_press(const InputEvent& event) {
  return event.kind == Kind::press || event.kind == Kind::release || event.kind == Kind::key_press ||
         event.kind == Kind::key_release;
}
// Whether the two events are a key and the character that it types.
bool writes(const InputEvent& key, const InputEvent& letter) {
  return key.kind == Kind::key_press && key.code != 0 && letter.kind == Kind::key_press && letter.letter != 0;
}

}  // namespace

void TrickleQueue::add(std::vector<InputEvent> events) {
  queue_.insert(queue_.end(), std::make_move_iterator(events.begin()), std::make_move_iterator(events.end()));
}

std::vector<InputEvent> TrickleQueue::next() {
  std::vector<InputEvent> pass;
  const auto take = [&] {
    pass.push_back(std::move(queue_.front()));
    queue_.pop_front();
  };
  // Any number of moves: only the last one sets the position of what follows.
  while (waiting() && !is_press(queue_.front()) && queue_.front().kind != Kind::scroll) take();
  if (waiting() && passes_ >= settle_passes) {
    if (is_press(queue_.front())) {
      take();
      if (waiting() && writes(pass.back(), queue_.front())) take();
      passes_ = 0;
      return pass;
    }
    while (waiting() && queue_.front().kind == Kind::scroll) take();
  }
  passes_ = std::min(passes_ + 1, settle_passes);
  return pass;
}

void TrickleQueue::drop_repeats() {
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    if (!queue_[i].repeat) continue;
    const auto same = [&, first = queue_[i]](const InputEvent& e) {
      return e.repeat && e.kind == first.kind && e.key == first.key && e.code == first.code && e.letter == first.letter;
    };
    queue_.erase(std::remove_if(queue_.begin() + static_cast<std::ptrdiff_t>(i) + 1, queue_.end(), same), queue_.end());
  }
}

namespace {

constexpr KeyBinding bindings[] = {
    {UiCommand::play_pause, "Space", "Time", "Play or pause"},
    {UiCommand::single_step, ". n", "Time", "One step (pauses)", true},
    {UiCommand::restart, "r", "Time", "Restart the scene"},
    {UiCommand::restart_keeping, "Ctrl+R", "Time", "Restart, keep walls and sources"},
    {UiCommand::undo, "Ctrl+Z", "Time", "Undo", true},
    {UiCommand::redo, "Ctrl+Shift+Z Ctrl+Y", "Time", "Redo", true},
    {UiCommand::faster, "+ =", "Time", "Faster", true},
    {UiCommand::slower, "-", "Time", "Slower", true},
    {UiCommand::speed_unit, "u", "Time", "Change the speed unit"},
    {UiCommand::cancel_step, "Ctrl+G", "Time", "Cancel the current step"},
    {UiCommand::previous_scene, "[", "Scene", "Previous scene"},
    {UiCommand::next_scene, "]", "Scene", "Next scene"},
    {UiCommand::browse, "F3 Ctrl+F", "Scene", "Browse all scenes", false, true},
    {UiCommand::lessons, "F2", "Scene", "Lessons"},
    {UiCommand::previous_step, "PageUp", "Scene", "Lesson: back", false, true},
    {UiCommand::next_step, "PageDown", "Scene", "Lesson: next", false, true},
    {UiCommand::save_state, "Ctrl+S", "Scene", "Save the state"},
    {UiCommand::save_state_as, "Ctrl+Shift+E", "Scene", "Save the state as"},
    {UiCommand::open_file, "Ctrl+O", "Scene", "Open a file"},
    {UiCommand::output_folder, "Ctrl+D", "Scene", "Choose the folder for files"},
    {UiCommand::show_output_folder, "Ctrl+Shift+O", "Scene", "Show the last file in its folder"},
    {UiCommand::copy_command_line, "Ctrl+Shift+C", "Scene", "Copy as command line"},
    {UiCommand::save_script, "Ctrl+Shift+S", "Scene", "Save as script"},
    {UiCommand::save_preset, "Ctrl+P", "Scene", "Save as preset"},
    {UiCommand::export_files, "Ctrl+E", "Scene", "Export curves, fields and images"},
    {UiCommand::report, "F10", "Scene", "Save a lab report"},
    {UiCommand::copy_numbers, "Ctrl+C", "Scene", "Copy values as text"},
    {UiCommand::measure, "m", "View", "Instruments and curves"},
    {UiCommand::film, "F9", "View", "Start or stop video recording"},
    {UiCommand::copy_image, "Ctrl+Shift+P", "View", "Copy the image"},
    {UiCommand::screenshot, "p F12", "View", "Save the image as PNG"},
    {UiCommand::home_view, "Home 0", "View", "Show the whole domain"},
    {UiCommand::toggle_color_bar, "c", "View", "Show or hide the colour bar"},
    {UiCommand::show_suggested, "v", "View", "Switch to the suggested quantity"},
    {UiCommand::presentation, "F5", "Window", "Presentation mode"},
    {UiCommand::fullscreen, "F11", "Window", "Full screen"},
    {UiCommand::toggle_panels, "Tab h", "Window", "Show or hide the panels"},
    {UiCommand::larger_text, "Ctrl++ Ctrl+=", "Window", "Larger text", true, true},
    {UiCommand::smaller_text, "Ctrl+-", "Window", "Smaller text", true, true},
    {UiCommand::focus_panel, "F6", "Window", "Move keyboard focus to the panel (Esc: back)", false, true},
    {UiCommand::describe, "F4", "Window", "Describe the view in words"},
    {UiCommand::help, "F1 ?", "Window", "Help"},
    {UiCommand::about_scene, "F7", "Scene", "About this scene: equation and experiments"},
    {UiCommand::close_overlay, "Esc", "Window", "Close", false, true},
    {UiCommand::quit, "Ctrl+Q", "Window", "Quit", false, true},
};

constexpr MouseBinding known_mouse_bindings[] = {
    {"Left button", "use the tool"},
    {"Right button", "reverse the tool's effect"},
    {"Middle drag, or Space + drag", "pan the view"},
    {"Middle drag in 3-D views", "rotate; Shift: pan"},
    {"Wheel", "zoom at the pointer"},
    {"Shift + drag", "use the tool along a straight line"},
    {"Ctrl + wheel", "change the size of the brush"},
    {"Double click on a slider", "type a value (keyboard: Ctrl + Enter)"},
    {"Arrow keys", "move a crosshair (Ctrl: by one pixel)"},
    {"Enter", "use the tool at the crosshair (Ctrl: reversed)"},
    {"Shift + arrow keys", "drag with the crosshair"},
    {"Handle of an instrument", "drag to move (arrow keys: move, Del: remove)"},
    {"I, then Enter", "choose an instrument, then place it"},
    {"1 ... 9", "choose a tool"},
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

std::span<const KeyBinding> key_bindings() { return bindings; }
std::span<const MouseBinding> mouse_bindings() { return known_mouse_bindings; }

const KeyBinding& binding_of(UiCommand command) {
  for (const KeyBinding& binding : bindings)
    if (binding.command == command) return binding;
  throw Error("internal: a command without a key");
}

const KeyBinding* find_binding(const std::string& chord) {
  for (const KeyBinding& binding : bindings) {
    std::istringstream chords(binding.chords);
    for (std::string one; chords >> one;)
      if (one == chord) return &binding;
  }
  return nullptr;
}

Message shown_chord(UiCommand command) {
  std::istringstream chords(binding_of(command).chords);
  std::string first;
  chords >> first;
  return shown_chord(first);
}

Message shown_chords(const KeyBinding& binding) {
  std::istringstream chords(binding.chords);
  Message text;
  for (std::string one; chords >> one;) {
    if (one == "=" || one == "Ctrl+=") continue;  // the same key without Shift
    text = text.empty() ? shown_chord(one) : Message("{}  or  {}", text, shown_chord(one));
  }
  return text;
}

}  // namespace perturb

#include "app/session/input.h"

#include <cstddef>

#include "cuda/core/backend/check.h"

namespace perturb {

void Input::handle(const std::vector<InputEvent>& events, const Layout& layout, Keyboard keyboard) {
  // An instrument chosen in the panel by keyboard is placed in the visible part at once; arrow keys then move it.
  if (state_.placing && keyboard == Keyboard::navigating) instruments_.place(layout, pointer_);

  for (const InputEvent& event : events) {
    const bool is_key = event.kind == Kind::key_press || event.kind == Kind::key_release;
    if (event.kind == Kind::press || (event.kind == Kind::key_press && !event.repeat)) parameters_.end_undo_step();
    if (event.kind == Kind::drop)
      sinks_.drop(event.files);
    else if (is_key)
      take_key(event, layout, keyboard);
    else
      take_mouse(event, layout);
  }
  tools_.place_pointer(layout);
}

void Input::take_mouse(const InputEvent& event, const Layout& layout) {
  try {
    if (instruments_.take_mouse(event, layout)) {
      tools_.follow(event, layout);
      return;
    }
  } catch (const InputError& error) {
    client_.show_message(error.message());
    state_.placing.reset();
    return;
  }
  // The mouse takes over the tool.
  if (event.kind == Kind::press) state_.keys_in_panel = false;
  if (event.kind == Kind::press || event.kind == Kind::move) crosshair_.drop(layout);
  tools_.take_mouse(event, layout);
}

// The play key acts on release, because holding it pans the view.
void Input::take_space(const InputEvent& event, Keyboard keyboard) {
  if (event.kind == Kind::key_release) {
    if (tools_.release_space() && keyboard == Keyboard::free) sinks_.command(UiCommand::play_pause);
  } else if (keyboard == Keyboard::free && !event.repeat && !is_question(state_.overlay)) {
    tools_.press_space();
  }
}

bool Input::is_blocked(const KeyBinding* binding, Keyboard keyboard) const {
  if (is_question(state_.overlay) && !(binding && binding->while_typing)) return true;
  if (keyboard == Keyboard::typing) {
    if (!(binding && binding->while_typing)) return true;
    // Esc cancels the value being typed; the overlay behind it stays open.
    if (!state_.typing.empty() && binding->command == UiCommand::close_overlay) return true;
  }
  // While a dialog is open, the panels stay as they were.
  return binding && binding->command == UiCommand::toggle_panels && state_.overlay != Overlay::none;
}

void Input::take_key(const InputEvent& event, const Layout& layout, Keyboard keyboard) {
  if (event.key.empty()) return;  // a key for text fields and lists only
  if (event.key == "Space") {
    take_space(event, keyboard);
    return;
  }
  if (event.kind == Kind::key_release) return;
  // The dialog with the reason why the run stopped handles Enter.
  if (event.key == "Enter" && !client_.run().stop_reason.empty()) return;
  const bool in_panel = keyboard != Keyboard::free || state_.keys_in_panel;
  if (event.key == "Tab" && (in_panel || state_.overlay != Overlay::none || state_.list_open)) {
    // In dialogs with a search field, arrows choose an entry, and Tab has no target.
    if (state_.overlay != Overlay::browser && state_.overlay != Overlay::files)
      state_.tab_moves += event.shift ? -1 : 1;
    return;
  }
  if (keyboard == Keyboard::navigating && event.key == "Ctrl+Enter") {
    state_.type_value = true;
    return;
  }
  if (keyboard == Keyboard::free && instruments_.take_key(event, layout, pointer_)) return;
  if (keyboard == Keyboard::free && crosshair_.take_key(event, layout)) return;
  const KeyBinding* binding = find_binding(event.key);
  if (is_blocked(binding, keyboard)) return;
  if (event.key.size() == 1 && event.key[0] >= '1' && event.key[0] <= '9') {
    tools_.choose(static_cast<std::size_t>(event.key[0] - '1'));
    return;
  }
  if (binding) {
    if (!event.repeat || binding->repeats) sinks_.command(binding->command);
    return;
  }
  tools_.use_by_key(event, layout);
}

}  // namespace perturb

// Mouse and keyboard events, and their queue.
#pragma once

#include <deque>
#include <string>
#include <vector>

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
  // Events of the next pass, in order: as many of the first as one pass can distinguish. Empty while the panels need
  // another pass before the next event can reach its target: a double-clicked field accepts characters only then.
  std::vector<InputEvent> next();
  // Drops pending repeats of a held key except one each: they may come faster than long frames can process, and would
  // continue after the key is released. Not for a text field, where each is a character.
  void drop_repeats();

 private:
  std::deque<InputEvent> queue_;
  int passes_ = 0;  // since the last press, release or key
};

}  // namespace perturb

// Mouse and keyboard events in order. A press and its release within one frame are two events, so no click is lost
// however long a frame takes.
#pragma once

#include <string>
#include <vector>

namespace perturb {

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

}  // namespace perturb

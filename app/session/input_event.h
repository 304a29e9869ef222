// What the user did with mouse and keyboard, in order. A press and its release within one frame are two events: no
// click is lost however long a frame takes.
#pragma once

#include <string>
#include <vector>

namespace perturb {

struct InputEvent {
  enum class Kind { move, press, release, scroll, enter, leave, key_press, key_release, drop };
  enum class Button { none, left, right, middle };

  Kind kind = Kind::move;
  double x = 0, y = 0;  // screen coordinates from the window's upper left corner
  Button button = Button::none;
  double scroll = 0;  // notches; positive away from the user
  // "Space", "F1", "Ctrl+S", "[": letters and signs as the user's layout has them, letters small. Empty for a key that
  // means something to text fields and lists alone.
  std::string key;
  bool repeat = false;
  bool shift = false, control = false;
  // What text fields and lists go by, in GLFW's numbers: the physical key (0: none), and the letter
  // that it writes (0: none).
  int code = 0, scan_code = 0;
  unsigned letter = 0;
  std::vector<std::string> files;  // that were dropped on the window
};

}  // namespace perturb

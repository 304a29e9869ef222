// What the user did with mouse and keyboard, in order. A press and its release within one frame are two events: no
// click is lost however long a frame takes.
#pragma once

#include <string>
#include <vector>

struct GLFWwindow;

namespace perturb {

struct InputEvent {
  enum class Kind { move, press, release, scroll, enter, leave, key_press, key_release };
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
};

// Collects a window's events from GLFW's callbacks. They go from here to Session and, in the
// same order, to ImGui (Gui).
class InputQueue {
 public:
  explicit InputQueue(GLFWwindow* window);
  ~InputQueue();
  InputQueue(const InputQueue&) = delete;
  InputQueue& operator=(const InputQueue&) = delete;

  // Everything since the last call, oldest first.
  std::vector<InputEvent> take();

 private:
  struct Callbacks;
  GLFWwindow* window_;
  std::vector<InputEvent> events_;
  double x_ = 0, y_ = 0;
  bool last_key_repeats_ = false;
};

}  // namespace perturb

// What the user did with mouse and keyboard, in order. A press and its release within one frame are two events: no click is
// lost however long a frame takes.
#pragma once

#include <string>
#include <vector>

struct GLFWwindow;

namespace perturb {

struct InputEvent {
  enum class Kind { move, press, release, scroll, leave, key_press, key_release };
  enum class Button { none, left, right, middle };

  Kind kind = Kind::move;
  double x = 0, y = 0;  // screen coordinates from the window's upper left corner
  Button button = Button::none;
  double scroll = 0;  // notches; positive away from the user
  std::string key;    // "Space", "F1", "Ctrl+S", "[": letters and signs as the user's layout has them, letters small
  bool repeat = false;
  bool shift = false, control = false;
};

// Collects a window's events from GLFW's callbacks. Make it before ImGui's backend, which then passes the events on to ImGui
// and to this.
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

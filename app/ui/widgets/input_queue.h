// Converts mouse and keyboard input of a window to events.
#pragma once

#include <vector>

#include "app/session/input_events.h"

struct GLFWwindow;

namespace perturb {

// Collects the events of a window from GLFW's callbacks. They are passed to Session and, in the same order, to ImGui
// (Gui).
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
  InputEvent last_key_;  // last key pressed; the character that it types follows
};

}  // namespace perturb

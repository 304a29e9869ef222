#include "app/ui/widgets/input_queue.h"

#include <map>
#include <utility>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include "app/commands/commands.h"
#include "app/session/input_events.h"

namespace perturb {

namespace {

// Queues by window: GLFW's user pointer may be used for something else.
std::map<GLFWwindow*, InputQueue*>& queues() {
  static std::map<GLFWwindow*, InputQueue*> all;
  return all;
}

const char* name_of_key(int key) {
  constexpr const char* function_keys[] = {"F1", "F2", "F3", "F4", "F5", "F6", "F7", "F8", "F9", "F10", "F11", "F12"};
  if (key >= GLFW_KEY_F1 && key <= GLFW_KEY_F12) return function_keys[key - GLFW_KEY_F1];
  switch (key) {
    case GLFW_KEY_SPACE:
      return "Space";
    case GLFW_KEY_TAB:
      return "Tab";
    case GLFW_KEY_HOME:
      return "Home";
    case GLFW_KEY_ESCAPE:
      return "Esc";
    case GLFW_KEY_LEFT:
      return "Left";
    case GLFW_KEY_RIGHT:
      return "Right";
    case GLFW_KEY_UP:
      return "Up";
    case GLFW_KEY_DOWN:
      return "Down";
    case GLFW_KEY_ENTER:
    case GLFW_KEY_KP_ENTER:
      return "Enter";
    case GLFW_KEY_PAGE_UP:
      return "PageUp";
    case GLFW_KEY_PAGE_DOWN:
      return "PageDown";
    case GLFW_KEY_DELETE:
      return "Delete";
    case GLFW_KEY_BACKSPACE:
      return "Backspace";
    case GLFW_KEY_KP_ADD:
      return "+";
    case GLFW_KEY_KP_SUBTRACT:
      return "-";
    default:
      return nullptr;
  }
}

// The character of a key on a US keyboard; empty: none. GLFW uses these as key numbers.
std::string us_layout_sign(int key) {
  if (key <= GLFW_KEY_SPACE || key > GLFW_KEY_GRAVE_ACCENT) return "";
  return std::string(1, static_cast<char>(key >= 'A' && key <= 'Z' ? key - 'A' + 'a' : key));
}

bool is_latin_letter(const std::string& sign) { return sign.size() == 1 && sign[0] >= 'a' && sign[0] <= 'z'; }

// Whether a key with this label is identified by its label: all Latin letters (tools use the free ones), digits, and
// the characters in the key table.
bool acts_by_label(const std::string& sign) {
  return is_latin_letter(sign) || (sign.size() == 1 && sign[0] >= '0' && sign[0] <= '9') || find_command(sign);
}

std::string label_of_key(int key, int scan_code) {
  const char* label = glfwGetKeyName(key, scan_code);
  return label ? label : "";
}

// The character of a shortcut. Layouts without Latin letters, and layouts with digits and brackets behind Shift, have
// other characters on the keys: there the position of the key decides.
std::string shortcut_of(const std::string& written, const InputEvent& key) {
  if (acts_by_label(written) || acts_by_label(label_of_key(key.code, key.scan_code))) return written;
  const std::string place = us_layout_sign(key.code);
  return place.empty() || (key.shift && !is_latin_letter(place)) ? written : place;
}

// A letter in chord notation: "S", with Shift "Shift+S". Other characters are unchanged.
std::string in_chord(const std::string& sign, bool shift) {
  if (!is_latin_letter(sign)) return sign;
  return (shift ? "Shift+" : "") + std::string(1, static_cast<char>(sign[0] - 'a' + 'A'));
}

// The same for a key pressed with Ctrl, which types no character.
std::string control_chord_of(const InputEvent& key) {
  const std::string label = label_of_key(key.code, key.scan_code);
  const std::string by_label = label.empty() ? "" : "Ctrl+" + in_chord(label, key.shift);
  if (is_latin_letter(label) || find_command(by_label)) return by_label;
  const std::string place = us_layout_sign(key.code);
  const std::string by_place = place.empty() ? "" : "Ctrl+" + in_chord(place, key.shift);
  return find_command(by_place) ? by_place : by_label;
}

std::string utf8(unsigned code) {
  std::string text;
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0 | (code >> 6));
    text += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    text += static_cast<char>(0xE0 | ((code >> 12) & 0x0F));
    text += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    text += static_cast<char>(0x80 | (code & 0x3F));
  }
  return text;
}

}  // namespace

struct InputQueue::Callbacks {
  static InputEvent at_pointer(GLFWwindow* window, InputEvent::Kind kind) {
    // The pointer position at this event. glfwGetCursorPos would return the current one, which differs after a slow
    // frame.
    InputEvent event;
    event.kind = kind;
    event.x = queues()[window]->x_;
    event.y = queues()[window]->y_;
    return event;
  }

  static void button(GLFWwindow* window, int button, int action, int modifiers) {
    InputEvent event = at_pointer(window, action == GLFW_PRESS ? InputEvent::Kind::press : InputEvent::Kind::release);
    if (button == GLFW_MOUSE_BUTTON_LEFT)
      event.button = InputEvent::Button::left;
    else if (button == GLFW_MOUSE_BUTTON_RIGHT)
      event.button = InputEvent::Button::right;
    else if (button == GLFW_MOUSE_BUTTON_MIDDLE)
      event.button = InputEvent::Button::middle;
    else
      event.button = InputEvent::Button::none;
    event.shift = (modifiers & GLFW_MOD_SHIFT) != 0;
    event.control = (modifiers & GLFW_MOD_CONTROL) != 0;
    queues()[window]->events_.push_back(std::move(event));
  }

  static void cursor(GLFWwindow* window, double x, double y) {
    InputEvent event;
    event.x = queues()[window]->x_ = x;
    event.y = queues()[window]->y_ = y;
    event.shift = glfwGetKey(window, GLFW_KEY_LEFT_SHIFT) || glfwGetKey(window, GLFW_KEY_RIGHT_SHIFT);
    event.control = glfwGetKey(window, GLFW_KEY_LEFT_CONTROL) || glfwGetKey(window, GLFW_KEY_RIGHT_CONTROL);
    queues()[window]->events_.push_back(std::move(event));
  }

  static void enter(GLFWwindow* window, int entered) {
    queues()[window]->events_.push_back(
        at_pointer(window, entered ? InputEvent::Kind::enter : InputEvent::Kind::leave));
  }

  static void scroll(GLFWwindow* window, double, double notches) {
    InputEvent event = at_pointer(window, InputEvent::Kind::scroll);
    event.scroll = notches;
    event.shift = glfwGetKey(window, GLFW_KEY_LEFT_SHIFT) || glfwGetKey(window, GLFW_KEY_RIGHT_SHIFT);
    event.control = glfwGetKey(window, GLFW_KEY_LEFT_CONTROL) || glfwGetKey(window, GLFW_KEY_RIGHT_CONTROL);
    queues()[window]->events_.push_back(std::move(event));
  }

  static void key(GLFWwindow* window, int key, int scancode, int action, int modifiers) {
    InputQueue& queue = *queues()[window];
    InputEvent event =
        at_pointer(window, action == GLFW_RELEASE ? InputEvent::Kind::key_release : InputEvent::Kind::key_press);
    event.repeat = action == GLFW_REPEAT;
    event.code = key;
    event.scan_code = scancode;
    event.shift = (modifiers & GLFW_MOD_SHIFT) != 0;
    event.control = (modifiers & GLFW_MOD_CONTROL) != 0;
    // For a modifier key itself, X11 reports the state before the event.
    if (key == GLFW_KEY_LEFT_SHIFT || key == GLFW_KEY_RIGHT_SHIFT) event.shift = action != GLFW_RELEASE;
    if (key == GLFW_KEY_LEFT_CONTROL || key == GLFW_KEY_RIGHT_CONTROL) event.control = action != GLFW_RELEASE;
    const char* name = name_of_key(key);
    if (event.control) {
      // Letters follow the layout: Ctrl+Q is the key that types Q.
      event.key = name ? std::string("Ctrl+") + name : control_chord_of(event);
    } else if (name && key != GLFW_KEY_KP_ADD && key != GLFW_KEY_KP_SUBTRACT) {
      event.key = name;
    }
    // A sign has no name here: it arrives in character(), according to the layout.
    if (action != GLFW_RELEASE) queue.last_key_ = event;
    queue.events_.push_back(std::move(event));
  }

  static void drop(GLFWwindow* window, int count, const char** paths) {
    InputEvent event = at_pointer(window, InputEvent::Kind::drop);
    event.files.assign(paths, paths + count);
    queues()[window]->events_.push_back(std::move(event));
  }

  static void character(GLFWwindow* window, unsigned code) {
    InputQueue& queue = *queues()[window];
    InputEvent event = at_pointer(window, InputEvent::Kind::key_press);
    event.repeat = queue.last_key_.repeat;
    event.letter = code;
    // Space and control characters have arrived as keys already.
    if (code > ' ' && code != 0x7F)
      event.key = shortcut_of(utf8(code >= 'A' && code <= 'Z' ? code - 'A' + 'a' : code), queue.last_key_);
    queue.events_.push_back(std::move(event));
  }

  // Ctrl with a sign that the layout has behind Shift: the key callback only reports the sign without Shift.
  static void modified_character(GLFWwindow* window, unsigned code, int modifiers) {
    InputQueue& queue = *queues()[window];
    if (!(modifiers & GLFW_MOD_CONTROL) || code <= ' ' || code >= 0x7F || queue.events_.empty()) return;
    InputEvent& key = queue.events_.back();
    const std::string chord = "Ctrl+" + utf8(code);
    if (key.kind == InputEvent::Kind::key_press && key.code != 0 && !find_command(key.key) && find_command(chord))
      key.key = chord;
  }
};

InputQueue::InputQueue(GLFWwindow* window) : window_(window) {
  queues()[window] = this;
  glfwGetCursorPos(window, &x_, &y_);
  glfwSetMouseButtonCallback(window, &Callbacks::button);
  glfwSetCursorPosCallback(window, &Callbacks::cursor);
  glfwSetCursorEnterCallback(window, &Callbacks::enter);
  glfwSetScrollCallback(window, &Callbacks::scroll);
  glfwSetKeyCallback(window, &Callbacks::key);
  glfwSetCharCallback(window, &Callbacks::character);
  glfwSetCharModsCallback(window, &Callbacks::modified_character);
  glfwSetDropCallback(window, &Callbacks::drop);
}

InputQueue::~InputQueue() {
  glfwSetMouseButtonCallback(window_, nullptr);
  glfwSetCursorPosCallback(window_, nullptr);
  glfwSetCursorEnterCallback(window_, nullptr);
  glfwSetScrollCallback(window_, nullptr);
  glfwSetKeyCallback(window_, nullptr);
  glfwSetCharCallback(window_, nullptr);
  glfwSetCharModsCallback(window_, nullptr);
  glfwSetDropCallback(window_, nullptr);
  queues().erase(window_);
}

std::vector<InputEvent> InputQueue::take() { return std::exchange(events_, {}); }

}  // namespace perturb

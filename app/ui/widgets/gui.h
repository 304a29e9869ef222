// Owner of Dear ImGui: its context, its renderer, and its fonts at the right scale.
#pragma once

#include <map>
#include <span>

#include "app/session/input_events.h"
#include "app/session/layout.h"
#include "app/ui/widgets/keyboard_focus.h"
#include "app/ui/widgets/style.h"

struct GLFWcursor;
struct GLFWwindow;

namespace perturb {

class Gui {
 public:
  enum class Renderer {
    opengl,  // draws into the current context
    none     // computes the layout and draws nothing: for tests
  };
  // With a window, ImGui uses its clipboard and pointer shapes; without, ImGui has no pointer position.
  explicit Gui(Renderer renderer, GLFWwindow* window = nullptr);
  ~Gui();
  Gui(const Gui&) = delete;
  Gui& operator=(const Gui&) = delete;

  // Everything between begin_frame and end_frame is drawn over the content of the framebuffer. `events`: events of the
  // window that one pass can distinguish (TrickleQueue). `seconds` is only used without a window.
  void begin_frame(const Layout& layout, double seconds, std::span<const InputEvent> events = {});
  void end_frame();
  // For later frames.
  void set_theme(Theme theme) { theme_ = theme; }
  // Page Up and Page Down turn the pages of a lesson: while `kept`, ImGui does not get them for its keyboard
  // navigation.
  void keep_page_keys(bool kept) { page_keys_kept_ = kept; }
  // Instead of end_frame: ends a pass that only processes events, and draws nothing.
  void end_pass();
  // Of the triangles drawn in the last frame.
  int vertices() const;

  const Style& style() const { return style_; }
  // In the last pass: a text field had the focus; the panel's keyboard navigation had it.
  bool is_typing() const;
  bool is_navigating() const;

 private:
  void handle(const InputEvent& event);
  void show_pointer(int shape);  // an ImGuiMouseCursor

  Renderer renderer_;
  GLFWwindow* window_;
  ImGuiContext* context_;
  Style style_;
  TabOrder order_;
  Theme theme_ = Theme::dark, styled_theme_ = Theme::dark;
  bool page_keys_kept_ = false;
  bool enter_presses_ = false;  // Enter is down and acts as ImGui's Space
  float pixels_per_unit_ = 0, pixels_per_coordinate_ = 0;
  std::size_t glyph_count_ = 0;  // number of characters in the fonts beyond the preloaded ones
  // Pointer position and buttons according to the events so far; screen coordinates.
  float x_ = 0, y_ = 0;
  bool in_window_ = false;
  bool down_[3] = {};                   // left, right, middle: ImGui's order
  std::map<int, GLFWcursor*> cursors_;  // created so far, by GLFW's number
  int pointer_shape_ = 0;               // the arrow
  double frame_began_ = 0;              // GLFW's time of the first pass of the frame; 0: none yet
  float frame_seconds_ = 0;             // from the previous frame to this one
  bool is_repeated_pass_ = false;       // this is not the first pass of the frame
};

}  // namespace perturb

// Dear ImGui's life: its context, its renderer and its fonts at the right scale.
#pragma once

#include <map>
#include <span>

#include "app/session/input_event.h"
#include "app/session/layout.h"
#include "app/ui/widgets/style.h"
#include "app/ui/widgets/tab_order.h"

struct GLFWcursor;
struct GLFWwindow;

namespace perturb {

class Gui {
 public:
  enum class Renderer {
    opengl,  // draws into the context that is current
    none     // lays everything out and draws nothing: for tests
  };
  // With a window ImGui has its clipboard and its pointer's shapes; without, it sees a pointer that is nowhere.
  explicit Gui(Renderer renderer, GLFWwindow* window = nullptr);
  ~Gui();
  Gui(const Gui&) = delete;
  Gui& operator=(const Gui&) = delete;

  // What lies between is drawn over whatever is in the framebuffer. `events` are those that one look can tell apart
  // (TrickleQueue), of the window. `seconds` counts only without a window.
  void begin_frame(const Layout& layout, double seconds, std::span<const InputEvent> events = {});
  void end_frame();
  // Of the frames to come.
  void set_theme(Theme theme) { theme_ = theme; }
  // Page Up and Page Down lead through a lesson: where they would lead among the panel's items, nothing hears of them.
  void keep_page_keys(bool kept) { page_keys_kept_ = kept; }
  // Instead of end_frame: the look was for the events' sake, and nothing is drawn.
  void end_pass();
  // Of the triangles that the last frame drew.
  int vertices() const;

  const Style& style() const { return style_; }
  // As of the last look: a text field has the keyboard; the panel's keyboard navigation has it.
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
  bool enter_presses_ = false;  // Enter is down, and stands for what ImGui calls Space
  float pixels_per_unit_ = 0, pixels_per_coordinate_ = 0;
  std::size_t glyph_count_ = 0;  // that the fonts have beyond those that they always have
  // The pointer and its buttons as the events have told them so far; screen coordinates.
  float x_ = 0, y_ = 0;
  bool in_window_ = false;
  bool down_[3] = {};                   // left, right, middle: ImGui's order
  std::map<int, GLFWcursor*> cursors_;  // that have been needed, by GLFW's number
  int pointer_shape_ = 0;               // the arrow
  double frame_began_ = 0;              // GLFW's time of its first look; 0: none has
  float frame_seconds_ = 0;             // from the frame before to this one
  bool is_repeated_pass_ = false;       // this frame has been looked at before
};

}  // namespace perturb

// Dear ImGui's life: its context, its renderer and its fonts at the right scale.
#pragma once

#include "app/ui/layout.h"
#include "app/ui/style.h"

struct GLFWwindow;

namespace perturb {

class Gui {
 public:
  enum class Renderer {
    opengl,  // draws into the context that is current
    none     // lays everything out and draws nothing: for tests
  };
  // With a window ImGui hears its events (make the InputQueue first); without, it sees a pointer that is nowhere.
  explicit Gui(Renderer renderer, GLFWwindow* window = nullptr);
  ~Gui();
  Gui(const Gui&) = delete;
  Gui& operator=(const Gui&) = delete;

  // What lies between is drawn over whatever is in the framebuffer.
  void begin_frame(const Layout& layout, double seconds);
  void end_frame();

  const Style& style() const { return style_; }
  // As of the last frame: a text field has the keyboard; the panel's keyboard navigation has it.
  bool is_typing() const;
  bool is_navigating() const;

 private:
  Renderer renderer_;
  GLFWwindow* window_;
  ImGuiContext* context_;
  Style style_;
  float pixels_per_unit_ = 0, pixels_per_coordinate_ = 0;
};

}  // namespace perturb

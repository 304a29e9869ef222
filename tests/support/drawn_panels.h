// A session with the panels of the window, laid out by ImGui without a screen: a base of test fixtures.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/run/experiment.h"
#include "app/ui/panels/panels.h"
#include "app/ui/widgets/gui.h"
#include "tests/support/drawn_text.h"

namespace perturb {

class DrawnPanels {
 protected:
  explicit DrawnPanels(const Layout& layout, int threads = 1);

  // Replaces the session by one with this scene.
  void open(const Scene& scene, int steps_per_frame = 1);
  void frame(const std::vector<InputEvent>& events = {});
  void press(const std::string& key);
  // Moves the pointer to a point of the domain (fractions).
  void point_at(double x, double y);
  // Text of the last frame. `click` fails the test if there is none.
  static bool shows(const std::string& part) { return !find_drawn_text(part).text.empty(); }
  void click(const std::string& text);
  // Types into the field that has the keyboard.
  void type(const std::string& text);
  // Lets the user edit kernels.
  void enable_editing();

  std::unique_ptr<Backend> backend_;
  Gui gui_{Gui::Renderer::none};
  Panels panels_;
  std::unique_ptr<Experiment> experiment_;
  std::unique_ptr<Session> session_;  // null until a scene is opened
  Layout layout_;
};

}  // namespace perturb

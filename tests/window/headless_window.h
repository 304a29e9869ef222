// A window without a screen and with the layout of a real one: shows a test where texts, knobs and handles are.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "app/session/session.h"
#include "app/ui/panels/panels.h"
#include "app/ui/widgets/gui.h"
#include "tests/support/drawn_text.h"
#include "tests/support/panel_frames.h"

namespace perturb {

class HeadlessWindow {
 public:
  // `prepare`: what the user has done in the real window before.
  HeadlessWindow(const Scene& scene, const Layout& layout, const std::function<void(Session&)>& prepare = nullptr)
      : layout_(layout), experiment_(*backend_, scene) {
    if (prepare) prepare(session_);
    frames(4);
  }
  Session& session() { return session_; }
  const Session& session() const { return session_; }
  const Style& style() const { return gui_.style(); }
  // With a plot dock, if it is open.
  const Layout& layout() const { return layout_; }

  void frames(int count, double seconds = 1.0 / 60) {
    for (int k = 0; k < count; ++k) {
      layout_ = make_layout(static_cast<int>(layout_.width), static_cast<int>(layout_.height), 1, layout_.unit, true,
                            session_.interface().dock_height());
      session_.handle({}, layout_, Session::Keyboard::free, panels_.feedback());
      session_.observe(true);
      draw_panels(session_, gui_, panels_, layout_, seconds);
    }
  }
  void point_at(const Camera::Point& at) {
    ImGui::GetIO().MousePos = ImVec2(static_cast<float>(at.x), static_cast<float>(at.y));
  }
  void click(const Camera::Point& at) {
    point_at(at);
    for (const bool down : {false, true, false, false, false}) {
      ImGui::GetIO().MouseDown[0] = down;
      frames(1);
    }
  }
  // The middle of the text that begins like this.
  std::optional<Camera::Point> position_of(const std::string& words) const {
    for (const DrawnText& text : drawn_text())
      if (text.text.starts_with(words))
        return Camera::Point{text.box.x + text.box.width / 2, text.box.y + text.box.height / 2};
    ADD_FAILURE() << "nothing says " << words;
    return std::nullopt;
  }

 private:
  Layout layout_;
  std::unique_ptr<Backend> backend_ = Backend::make_cpu(1);
  Gui gui_{Gui::Renderer::none};
  Experiment experiment_;
  Session session_{experiment_, 1};
  Panels panels_;
};

}  // namespace perturb

#include "tests/support/drawn_panels.h"

#include <gtest/gtest.h>

#include "tests/support/panel_frames.h"

namespace perturb {

DrawnPanels::DrawnPanels(const Layout& layout, int threads) : backend_(Backend::make_cpu(threads)), layout_(layout) {}

void DrawnPanels::open(const Scene& scene, int steps_per_frame) {
  session_.reset();
  experiment_.reset();
  experiment_ = std::make_unique<Experiment>(*backend_, scene);
  session_ = std::make_unique<Session>(*experiment_, steps_per_frame);
}

void DrawnPanels::frame(const std::vector<InputEvent>& events) {
  session_->handle(events, layout_, Session::Keyboard::free, panels_.feedback());
  session_->observe(true);
  draw_panels(*session_, gui_, panels_, layout_);
  session_->end_frame(1.0 / 60, 0.004);
}

void DrawnPanels::press(const std::string& key) {
  frame({key_press(key)});
  frame();
}

void DrawnPanels::point_at(double x, double y) {
  const DomainSize domain = session_->domain();
  const Camera::Point at =
      domain_to_screen({x, y}, layout_.pointer_frame(), session_->view().camera(), domain.width, domain.height);
  frame({mouse_event(InputEvent::Kind::move, at.x, at.y)});
  frame();
}

void DrawnPanels::click(const std::string& text) {
  const DrawnText drawn = find_drawn_text(text);
  ASSERT_FALSE(drawn.text.empty()) << text;
  click_on(drawn, [this] { frame(); });
}

void DrawnPanels::type(const std::string& text) {
  frame();
  ImGui::GetIO().AddInputCharactersUTF8(text.c_str());
  frame();
  frame();
}

void DrawnPanels::enable_editing() {
  set_preference(*session_, &Preferences::edit_kernels, true);
  frame();
  frame();
}

}  // namespace perturb

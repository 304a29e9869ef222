#include "tests/support/drawn_panels.h"

#include <gtest/gtest.h>

namespace perturb {

DrawnPanels::DrawnPanels(const Layout& layout, int threads) : backend_(Backend::make_cpu(threads)), layout_(layout) {}

void DrawnPanels::open(const Scene& scene) {
  session_.reset();
  experiment_.reset();
  experiment_ = std::make_unique<Experiment>(*backend_, scene);
  session_ = std::make_unique<Session>(*experiment_, 1);
}

void DrawnPanels::frame(const std::vector<InputEvent>& events) {
  session_->handle(events, layout_, Session::Keyboard::free, panels_.feedback());
  session_->observe(true);
  gui_.begin_frame(layout_, 1.0 / 60);
  panels_.draw(*session_, gui_.style(), layout_, {"host-mapped", ""});
  gui_.end_frame();
  session_->end_frame(1.0 / 60, 0.004);
}

void DrawnPanels::press(const std::string& key) {
  InputEvent event;
  event.kind = InputEvent::Kind::key_press;
  event.key = key;
  frame({event});
  frame();
}

void DrawnPanels::point_at(double x, double y) {
  const DomainSize domain = session_->domain();
  const Camera::Point at =
      domain_to_screen({x, y}, layout_.pointer_frame(), session_->view().camera(), domain.width, domain.height);
  InputEvent event;
  event.x = at.x;
  event.y = at.y;
  frame({event});
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
  Preferences preferences = session_->interface().preferences;
  preferences.edit_kernels = true;
  session_->execute(ChangeInterface{&InterfaceState::preferences, preferences});
  frame();
  frame();
}

}  // namespace perturb

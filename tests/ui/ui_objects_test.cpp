// Objects in the panel and over the view, drawn and used by the pointer without a screen.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "app/ui/widgets/slider_scale.h"
#include "tests/support/drawn_panels.h"
#include "tests/support/panel_frames.h"

namespace perturb {
namespace {

TEST(ValueText, NamesZeroThatIsNoQuantity) {
  ValueInfo info = real_value("reynolds", "Reynolds number", "", "Re", 0, 0, 10000, "");
  EXPECT_EQ(value_text(info, 0).english(), "0");
  info.zero = "from viscosity";
  EXPECT_EQ(value_text(info, 0).english(), "from viscosity");
  EXPECT_EQ(value_text(info, 30).english(), "30");
}

TEST(UsefulRange, SpansTenthToTenTimesOriginal) {
  const ValueInfo wide = real_value("frequency", "Frequency", "", "", 0.05, 0, 10, "");
  const ValueInfo useful = useful_range(wide, 0.05, 0.05);
  EXPECT_EQ(useful.scale, Scale::logarithmic);
  EXPECT_DOUBLE_EQ(useful.minimum, 0.005);
  EXPECT_DOUBLE_EQ(useful.maximum, 0.5);
  EXPECT_NEAR(slider_fraction(useful, 0.05), 0.5, 1e-12);
  EXPECT_DOUBLE_EQ(useful_range(wide, 0.05, 3).maximum, 3) << "a typed value";
  EXPECT_DOUBLE_EQ(useful_range(wide, 0.05, 0.001).minimum, 0.001);
  EXPECT_EQ(useful_range(wide, 0.05, 0).scale, Scale::linear) << "zero has no place on a logarithmic scale";
}

TEST(UsefulRange, NarrowsWhatWasZeroAndKeepsOthers) {
  const ValueInfo phase = real_value("phase", "Phase", "rad", "", 0, -1000, 1000, "");
  EXPECT_EQ(useful_range(phase, 0, 0).minimum, -10);
  EXPECT_EQ(useful_range(phase, 0, 0).maximum, 10);
  EXPECT_EQ(useful_range(phase, 0, 60).maximum, 60);
  const ValueInfo position = position_x();
  EXPECT_EQ(useful_range(position, 0.25, 0.5).scale, Scale::linear);
  EXPECT_EQ(useful_range(position, 0.25, 0.5).maximum, position.maximum);
  EXPECT_EQ(useful_range(position, 0, 0.5).maximum, position.maximum);
}

class UiObjects : public testing::Test, protected DrawnPanels {
 protected:
  UiObjects() : DrawnPanels(make_layout(1280, 720, 1, 1, true)) {
    Scene scene = load_scene("wave/double-slit");
    scene.setup.width = 96;
    scene.setup.height = 64;
    open(scene);
  }
  // The text, if it is drawn within the window and not cut.
  static const DrawnText* find(const std::vector<DrawnText>& all, const std::string& text) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const DrawnText& one) {
      return one.text == text && !one.cut_beside && !one.cut_above && one.box.y + one.box.height < 690;
    });
    return found == all.end() ? nullptr : &*found;
  }
  static bool shows(const std::string& text) {
    const std::vector<DrawnText> all = drawn_text();
    return find(all, text) != nullptr;
  }
  double frequency() const { return session_->run().objects.at(0).numbers.at("frequency"); }
};

TEST_F(UiObjects, SelectedOneShowsItsSliders) {
  ASSERT_FALSE(session_->run().objects.empty());
  const SceneObject source = session_->run().objects.front();
  frame();
  frame();
  EXPECT_TRUE(shows("Objects"));
  EXPECT_FALSE(shows("Remove"));
  session_->post(SelectObject{source.id});
  frame();
  frame();
  ASSERT_TRUE(shows("Frequency")) << "without scrolling in a window of 1280 by 720";
  EXPECT_TRUE(shows("Amplitude"));

  // A drag of the slider changes the source, as one undo step.
  const double before = frequency();
  const std::vector<DrawnText> all = drawn_text();
  const DrawnText* row = find(all, "Frequency");
  const double x = row->box.x + 60, y = row->box.y + 0.5 * row->box.height;
  move_pointer(x, y, false);
  frame();
  for (const double moved : {0.0, 10.0, 20.0, 40.0}) {
    move_pointer(x + moved, y, true);
    frame();
  }
  move_pointer(x + 40, y, false);
  frame();
  frame();
  EXPECT_GT(frequency(), before);
  EXPECT_LT(frequency(), 10 * before);
  session_->execute(CommandId::undo);
  EXPECT_DOUBLE_EQ(frequency(), before);
}

TEST_F(UiObjects, KnobShowsNameBelowPointer) {
  const SceneObject source = session_->run().objects.front();
  frame();
  frame();
  const std::string name = name_of(source, session_->run()).english();
  const auto over_view = [&] {
    const std::vector<DrawnText> all = drawn_text();
    return std::any_of(all.begin(), all.end(),
                       [&](const DrawnText& one) { return one.text == name && one.window == "##Background"; });
  };
  EXPECT_FALSE(over_view());
  const DomainSize domain = session_->domain();
  const ObjectHandle& knob = source.handles.front();
  const Camera::Point at = domain_to_screen({knob.x, knob.y}, layout_.pointer_frame(), session_->view().camera(),
                                            domain.width, domain.height);
  frame({mouse_event(InputEvent::Kind::move, at.x, at.y)});
  EXPECT_TRUE(over_view());
  frame({mouse_event(InputEvent::Kind::move, at.x + 60, at.y)});
  EXPECT_FALSE(over_view());
}

}  // namespace
}  // namespace perturb

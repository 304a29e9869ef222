// User actions without a window: undone, redone, one per drag, and logged.
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/session_fixture.h"

namespace perturb {
namespace {

class UiSessionChanges : public SessionFixture {};

TEST_F(UiSessionChanges, RestartKeepsChosenKernel) {
  session_.post(ChooseKernel{"fused"});
  events({});
  EXPECT_EQ(experiment_.simulation().selected_kernel(), "fused");
  tap("r");
  EXPECT_EQ(experiment_.simulation().selected_kernel(), "fused");
}

TEST_F(UiSessionChanges, KeysUndoAndRedoAndShowStep) {
  frame();
  const double x = layout_.view_rect.width / 2, y = layout_.view_rect.height / 2;
  events({mouse(Kind::move, x, y), mouse(Kind::press, x, y, Button::left), mouse(Kind::release, x, y, Button::left)});
  frame();
  const State after = experiment_.simulation().save();
  tap("Ctrl+Z");
  EXPECT_EQ(experiment_.simulation().steps(), 4);
  EXPECT_TRUE(experiment_.log().empty());
  EXPECT_NE(session_.message().text.english().find("step 4"), std::string::npos) << session_.message().text.english();
  tap("Ctrl+Shift+Z");
  EXPECT_EQ(largest_difference(after, experiment_.simulation().save()), 0);
  EXPECT_EQ(experiment_.simulation().steps(), 8);
  tap("Ctrl+Z");
  tap("Ctrl+Y");
  EXPECT_EQ(experiment_.simulation().steps(), 8);
  tap("Ctrl+Y");
  EXPECT_FALSE(session_.message().text.empty()) << "nothing more to do again";
}

// Each frame of a drag requests another value; a press begins another undo step.
TEST_F(UiSessionChanges, SliderDragIsOneUndoStep) {
  const double initial = experiment_.simulation().parameters().get("damping");
  const auto drag = [&](double from) {
    events({mouse(Kind::press, 1200, 600, Button::left)});
    for (int k = 0; k < 6; ++k) {
      session_.post(ParameterChange{"damping", from + 0.01 * k});
      events({});
      frame();
    }
    events({mouse(Kind::release, 1200, 600, Button::left)});
  };
  drag(0.1);
  drag(0.3);
  tap("Ctrl+Z");
  EXPECT_EQ(experiment_.simulation().parameters().get("damping"), 0.1 + 0.01 * 5);
  tap("Ctrl+Z");
  EXPECT_EQ(experiment_.simulation().parameters().get("damping"), initial);
  tap("Ctrl+Z");
  EXPECT_EQ(experiment_.simulation().parameters().get("damping"), initial);
}

TEST_F(UiSessionChanges, ResetAllIsOneUndoStep) {
  session_.post(ParameterChange{"damping", 0.5});
  events({key("x")});
  session_.post(ParameterChange{"rain_rate", 0.5});
  events({key("x")});
  session_.post(CommandId::reset_parameters);
  events({});
  EXPECT_NE(experiment_.simulation().parameters().get("damping"), 0.5);
  tap("Ctrl+Z");
  EXPECT_EQ(experiment_.simulation().parameters().get("damping"), 0.5);
  EXPECT_EQ(experiment_.simulation().parameters().get("rain_rate"), 0.5);
}

TEST_F(UiSessionChanges, CommandLineReproducesRun) {
  session_.post(ParameterChange{"damping", 0.25});
  session_.post(ChooseKernel{"fused"});
  ViewSettings view = session_.view().settings();
  view.quantity = "speed";
  session_.post(ChangeView{view, session_.view().centred()});
  session_.view().camera().zoom = 2;
  events({});
  tap("Ctrl+Shift+C");
  const std::vector<Command> commands = session_.take_window_commands();
  ASSERT_EQ(commands.size(), 1u);
  EXPECT_EQ(std::get<CopyText>(commands.front()).text,
            "perturb wave/droplet --size 64x64 --set damping=0.25 --kernel fused --quantity speed --range -0.02,0.02 "
            "--zoom 2");
}

}  // namespace
}  // namespace perturb

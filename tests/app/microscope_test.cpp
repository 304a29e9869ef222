// The microscope in the window: its command, what it reads, and what it draws.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/commands/commands.h"
#include "app/i18n/language.h"
#include "app/io/preset/presets.h"
#include "tests/support/drawn_panels.h"
#include "tests/support/inspected.h"
#include "tests/support/missing_texts.h"

namespace perturb {
namespace {

class MicroscopeView : public testing::Test, protected DrawnPanels {
 protected:
  MicroscopeView() : DrawnPanels(make_layout(1280, 720, 1, 1, true)) {
    Scene scene = load_scene("wave/droplet");
    scene.setup.width = 96, scene.setup.height = 64;
    open(scene);
    session_->playback().set_playing(false);
    press("z");
  }
  const Inspection& inspection() const { return session_->diagnostics_poller().inspection(); }
  static int drawn(const std::string& part) {
    const std::vector<DrawnText> all = drawn_text();
    return static_cast<int>(std::count_if(all.begin(), all.end(), [&](const DrawnText& one) {
      return one.window == "##Background" && one.text.find(part) != std::string::npos;
    }));
  }
};

TEST_F(MicroscopeView, ShowsTheCellUnderThePointer) {
  ASSERT_EQ(find_command("z")->id, CommandId::toggle_microscope);
  EXPECT_TRUE(session_->interface().microscope);
  point_at(10.5 / 96, 20.5 / 64);
  EXPECT_EQ(inspection().title.english(), "Cell (10, 20)");
  EXPECT_EQ(drawn("Cell (10, 20)"), 1);
  EXPECT_EQ(drawn("Height after the step"), 1);
  point_at(11.5 / 96, 20.5 / 64);
  EXPECT_EQ(inspection().title.english(), "Cell (11, 20)");
  press("z");
  EXPECT_TRUE(inspection().empty());
  frame();
  EXPECT_EQ(drawn("Cell ("), 0);
}

TEST_F(MicroscopeView, FollowsTheRunWithoutChangingIt) {
  point_at(0.5, 0.5);
  const double next = inspected(inspection(), "Height after the step").at(0);
  session_->execute(CommandId::single_step);
  frame(), frame();
  EXPECT_EQ(session_->run().steps, 1);
  EXPECT_EQ(inspected(inspection(), "Height now").at(4), next);
}

TEST_F(MicroscopeView, ShowsNothingOutsideTheDomain) {
  point_at(0.5, 0.5);
  ASSERT_FALSE(inspection().empty());
  point_at(-0.2, 0.5);
  EXPECT_TRUE(inspection().empty());
}

TEST_F(MicroscopeView, DrawsTheStencilOnceCellsAreLarge) {
  point_at(0.469, 0.492);
  EXPECT_EQ(drawn("\u00d7"), 0) << "the factors are drawn over the cells only";
  session_->view().camera().zoom = 8;
  point_at(0.469, 0.492);
  EXPECT_GE(drawn("\u00d7"), 5);
}

TEST_F(MicroscopeView, SwitchIsInTheTabView) {
  layout_ = make_layout(1280, 1600, 1, 1, true);  // the whole tab without scrolling
  session_->execute(ShowTab{Tab::view});
  frame(), frame();
  const std::vector<DrawnText> all = drawn_text();
  EXPECT_TRUE(std::any_of(all.begin(), all.end(), [](const DrawnText& one) { return one.text == "Microscope"; }));
}

TEST(MicroscopeTexts, PassTheTableOfTheLanguage) {
  const auto backend = Backend::make_cpu(1);
  use_language("de");
  take_untranslated();
  for (const char* scene : {"wave/double-slit", "lbm/cavity", "particles/gas", "fibers/pair", "membrane/refined"}) {
    Experiment run(*backend, load_scene(scene));
    for (const double x : {0.01, 0.3, 0.6}) {
      const Inspection inspection = run.simulation().inspect(x, 0.4);
      EXPECT_NE(tr(inspection.title), inspection.title.english()) << scene;
      for (const InspectedNumber& number : inspection.numbers) tr(number.label);
      tr(inspection.remark);
    }
    report_missing_texts(scene);
  }
  use_language("en");
}

}  // namespace
}  // namespace perturb

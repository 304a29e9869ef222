// The launch of the kernel over the view: its command, its box, and where it is not possible.
#include "app/ui/panels/launch_overlay.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/commands/commands.h"
#include "app/i18n/language.h"
#include "app/io/preset/presets.h"
#include "cuda/wave/kernels/launches.h"
#include "tests/support/drawn_panels.h"
#include "tests/support/missing_texts.h"

namespace perturb {
namespace {

class LaunchView : public testing::Test, protected DrawnPanels {
 protected:
  LaunchView() : DrawnPanels(make_layout(1280, 720, 1, 1, true), 2) {}
  void open(const std::string& name) {
    Scene scene = load_scene(name);
    if (name.rfind("wave", 0) == 0) scene.setup.width = 96, scene.setup.height = 640;
    DrawnPanels::open(scene);
    session_->playback().set_playing(false);
  }
  static bool drawn(const std::string& part, const std::string& window = "##Background") {
    const std::vector<DrawnText> all = drawn_text();
    return std::any_of(all.begin(), all.end(), [&](const DrawnText& one) {
      return (window.empty() || one.window == window) && one.text.find(part) != std::string::npos;
    });
  }
  // Corners of the borders that are drawn.
  static int borders_drawn() {
    int corners = 0;
    const ImDrawData& drawn = *ImGui::GetDrawData();
    for (int k = 0; k < drawn.CmdListsCount; ++k)
      for (const ImDrawVert& corner : drawn.CmdLists[k]->VtxBuffer) corners += corner.col == launch_border_ink ? 1 : 0;
    return corners;
  }
};

TEST_F(LaunchView, ShowsTheThreadUnderThePointer) {
  open("wave/droplet");
  ASSERT_EQ(find_command("l")->id, CommandId::toggle_launch);
  EXPECT_EQ(session_->diagnostics_poller().launch_map(), nullptr);
  press("l");
  ASSERT_NE(session_->diagnostics_poller().launch_map(), nullptr);
  EXPECT_EQ(session_->diagnostics_poller().launch_map()->launches[0].parts.size(), 2u);
  EXPECT_TRUE(drawn("Launch of"));
  point_at(10.5 / 96, 20.5 / 640);
  EXPECT_TRUE(drawn("Cell (10, 20)"));
  EXPECT_TRUE(drawn("1 of 2"));
  EXPECT_TRUE(drawn("0 to 319"));
  EXPECT_TRUE(drawn("cache lines: "));
  point_at(10.5 / 96, 400.5 / 640);  // below the hint
  EXPECT_TRUE(drawn("2 of 2"));
  EXPECT_TRUE(drawn("320 to 639"));
  press("l");
  EXPECT_EQ(session_->diagnostics_poller().launch_map(), nullptr);
  EXPECT_FALSE(drawn("Launch of"));
}

TEST_F(LaunchView, FollowsTheKernelWithoutChangingTheRun) {
  open("wave/droplet");
  press("l");
  session_->execute(ChooseKernel{"temporal"});
  frame(), frame();
  EXPECT_TRUE(drawn("Launch of Temporal"));
  session_->execute(ChooseKernel{"fused"});
  frame(), frame();
  EXPECT_TRUE(drawn("Launch of Fused"));
  EXPECT_EQ(session_->run().steps, 0);
}

TEST_F(LaunchView, DrawsBordersOfBandsThatAreLargeEnough) {
  open("wave/droplet");
  frame(), frame();
  EXPECT_EQ(borders_drawn(), 0);
  press("l");
  EXPECT_GT(borders_drawn(), 0);
  EXPECT_FALSE(drawn("Zoom in to see all"));
  session_->view().camera().zoom = 0.01;
  frame(), frame();
  EXPECT_EQ(borders_drawn(), 0);
  EXPECT_TRUE(drawn("Zoom in to see all bands."));
}

TEST_F(LaunchView, ReasonIsShownWhereThreadsComputeNoCells) {
  open("particles/gas");
  press("l");
  EXPECT_FALSE(session_->interface().launch);
  EXPECT_TRUE(drawn("does not show its launch", ""));
  layout_ = make_layout(1280, 1600, 1, 1, true);  // the whole tab without scrolling
  session_->execute(ShowTab{Tab::kernels});
  frame(), frame();
  EXPECT_TRUE(drawn("Show launch", ""));
  EXPECT_TRUE(drawn("This simulation does not show its launch", ""));
}

TEST(LaunchTexts, PassTheTableOfTheLanguage) {
  use_language("de");
  take_untranslated();
  wave::StepParams<float> tank;
  tank.width = 512, tank.height = 256;
  tank.stencil = wave::Stencil::five;
  const float medium[1] = {};
  tank.medium = {medium, 512, 256, 512};
  std::vector<LaunchMap> maps;
  for (const wave::Kernel kernel :
       {wave::Kernel::convolution, wave::Kernel::fused, wave::Kernel::vectorised, wave::Kernel::temporal})
    maps.push_back(wave::cuda_launch_map(kernel, tank, 1, 100));
  maps.push_back(wave::cpu_launch_map(2, tank, 5));
  maps.emplace_back().reason = "The launch of an edited kernel is not shown. Choose another kernel.";
  for (LaunchMap& map : maps) {
    map.kernel = "Fused";
    for (const int i : {0, 300})
      for (const int j : {0, 127})
        tr(describe_launch(map, map.empty() ? LaunchPlace() : place_of(map, i, j), i, j, false).remark);
    tr(describe_launch(map, {}, 0, 0, true).remark);
  }
  report_missing_texts("the launch overlay");
  use_language("en");
}

TEST(LaunchBox, ListsABlockOfTheGpu) {
  wave::StepParams<float> tank;
  tank.width = 512, tank.height = 256;
  LaunchMap map = wave::cuda_launch_map(wave::Kernel::vectorised, tank, 1, 0);
  map.kernel = "Vectorised";
  const NumberBox box = describe_launch(map, place_of(map, 201, 100), 201, 100, true);
  const auto value = [&](const std::string& label) {
    for (const NumberBox::Line& line : box.lines)
      if (line.label == label) return line.values.at(0);
    ADD_FAILURE() << label;
    return std::string();
  };
  EXPECT_EQ(value("blockIdx"), "(1, 12)");
  EXPECT_EQ(value("threadIdx"), "(18, 4)");
  EXPECT_EQ(value("Warp and lane"), "(4, 18)");
  EXPECT_EQ(value("Columns of the thread"), "200 to 203");
  EXPECT_EQ(value("Block"), "32 \u00d7 8 threads");
  EXPECT_EQ(value("u(t) of cell (200, 100)"), "byte 205\u00a0600, sectors: 16, at least 16");
}

}  // namespace
}  // namespace perturb

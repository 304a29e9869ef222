// The launch of the kernel over the view: its command, its box, and where it is not possible.
#include "app/ui/kernels/launch_overlay.h"

#include <algorithm>
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
    if (name.rfind("wave", 0) == 0) {
      scene.setup.width = 96;
      scene.setup.height = 640;
    }
    DrawnPanels::open(scene);
    session_->playback().set_playing(false);
  }
  static bool drawn(const std::string& part, const std::string& window = "##Background") {
    const std::vector<DrawnText> all = drawn_text();
    return std::any_of(all.begin(), all.end(), [&](const DrawnText& one) {
      return (window.empty() || one.window == window) && one.text.find(part) != std::string::npos;
    });
  }
  // Corners of what is drawn in a colour.
  static int corners_of(ImU32 ink) {
    int corners = 0;
    const ImDrawData& drawn = *ImGui::GetDrawData();
    for (int k = 0; k < drawn.CmdListsCount; ++k)
      for (const ImDrawVert& corner : drawn.CmdLists[k]->VtxBuffer) corners += corner.col == ink ? 1 : 0;
    return corners;
  }
  static int borders_drawn() { return corners_of(launch_border_ink); }
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
  frame();
  frame();
  EXPECT_TRUE(drawn("Launch of Temporal"));
  session_->execute(ChooseKernel{"fused"});
  frame();
  frame();
  EXPECT_TRUE(drawn("Launch of Fused"));
  EXPECT_EQ(session_->run().steps, 0);
}

TEST_F(LaunchView, DrawsBordersOfBandsThatAreLargeEnough) {
  open("wave/droplet");
  frame();
  frame();
  EXPECT_EQ(borders_drawn(), 0);
  press("l");
  EXPECT_GT(borders_drawn(), 0);
  EXPECT_FALSE(drawn("Zoom in to see all"));
  session_->view().camera().zoom = 0.01;
  frame();
  frame();
  EXPECT_EQ(borders_drawn(), 0);
  EXPECT_TRUE(drawn("Zoom in to see all bands."));
}

TEST_F(LaunchView, ColorsBandsByTheirCoresAndStarts) {
  open("wave/droplet");
  press("l");
  const auto record = [&] {
    for (int k = 0; k < 40; ++k) frame();  // a record is read a few times per second
  };
  session_->execute(ChangeInterface{&InterfaceState::launch_colors, LaunchColors::unit});
  record();
  EXPECT_TRUE(drawn("Take a step"));
  EXPECT_EQ(session_->diagnostics_poller().block_starts(), nullptr);
  session_->execute(CommandId::single_step);
  record();
  const LaunchMap* const map = session_->diagnostics_poller().launch_map();
  const LaunchStarts* const starts = session_->diagnostics_poller().block_starts();
  ASSERT_NE(starts, nullptr);
  EXPECT_FALSE(drawn("Take a step"));
  point_at(10.5 / 96, 400.5 / 640);
  EXPECT_TRUE(drawn("Core"));
  EXPECT_TRUE(drawn("Start of the block"));
  for (const LaunchColors by : {LaunchColors::unit, LaunchColors::start}) {
    session_->execute(ChangeInterface{&InterfaceState::launch_colors, by});
    frame();
    frame();
    for (const LaunchTile& tile : tiles_in(*map, {0, 0, 96, 640})) {
      ASSERT_NE(starts->of(*map, tile), nullptr);
      EXPECT_GE(corners_of(color_of_block({by, starts}, *starts->of(*map, tile))), 4);
    }
  }
  session_->execute(ChangeInterface{&InterfaceState::launch_colors, LaunchColors::none});
  frame();
  frame();
  EXPECT_EQ(session_->diagnostics_poller().block_starts(), nullptr);
  EXPECT_EQ(backend_->block_recorder(), nullptr);
  EXPECT_FALSE(drawn("Core"));
}

TEST_F(LaunchView, ReasonIsShownWhereThreadsComputeNoCells) {
  open("particles/gas");
  press("l");
  EXPECT_FALSE(session_->interface().launch);
  EXPECT_TRUE(drawn("does not show its launch", ""));
  layout_ = make_layout(1280, 1600, 1, 1, true);  // the whole tab without scrolling
  session_->execute(ShowTab{Tab::kernels});
  frame();
  frame();
  EXPECT_TRUE(drawn("Show launch", ""));
  EXPECT_TRUE(drawn("This simulation does not show its launch", ""));
}

TEST(LaunchTexts, PassTheTableOfTheLanguage) {
  use_language("de");
  take_untranslated();
  wave::StepParams<float> tank;
  tank.width = 512;
  tank.height = 256;
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
        tr(describe_launch(map, map.empty() ? LaunchLocation() : location_of(map, i, j), i, j, false).remark);
    tr(describe_launch(map, {}, 0, 0, true).remark);
  }
  const LaunchStarts starts(maps[1], {{"wave.fused", 8, 64, std::vector<BlockStart>(512, {1, -1})}});
  for (const BlockColors& colors : {BlockColors{LaunchColors::unit, &starts}, BlockColors{LaunchColors::start}}) {
    tr(describe_launch(maps[1], location_of(maps[1], 0, 0), 0, 0, true, colors).remark);
    maps[1].launches[0].is_recorded = false;
  }
  report_missing_texts("the launch overlay");
  use_language("en");
}

TEST(LaunchColorsOfBlocks, DifferBetweenNeighbours) {
  LaunchMap map;
  map.on_gpu = true;
  map.width = 30;
  map.height = 1;
  Launch launch;
  launch.label = "test";
  launch.block_x = 10;
  launch.block_y = 1;
  launch.parts = {{{0, 0, 30, 1}, 10, 1}};
  map.launches = {launch};
  const LaunchStarts starts(map, {{"test", 3, 1, {{5000, 7}, {9000, 8}, {13000, 7}}}});
  const std::vector<LaunchTile> tiles = tiles_in(map, {0, 0, 30, 1});
  const auto color = [&](LaunchColors by, std::size_t k) {
    return color_of_block({by, &starts}, *starts.of(map, tiles[k]));
  };
  EXPECT_EQ(color(LaunchColors::unit, 0), color(LaunchColors::unit, 2));
  EXPECT_NE(color(LaunchColors::unit, 0), color(LaunchColors::unit, 1));
  EXPECT_NE(color(LaunchColors::start, 0), color(LaunchColors::start, 1));
  EXPECT_NE(color(LaunchColors::start, 0), color(LaunchColors::start, 2));
  const NumberBox box = describe_launch(map, location_of(map, 12, 0), 12, 0, true, {LaunchColors::start, &starts});
  const auto has = [&](const std::string& label, const std::string& value) {
    return std::any_of(box.lines.begin(), box.lines.end(),
                       [&](const NumberBox::Line& line) { return line.label == label && line.values.at(0) == value; });
  };
  EXPECT_TRUE(has("Multiprocessor", "8"));
  EXPECT_TRUE(has("Start of the block", "4 \u00b5s"));
  const auto remark = [&] {
    return describe_launch(map, location_of(map, 12, 0), 12, 0, true, {LaunchColors::unit}).remark.english();
  };
  EXPECT_EQ(remark(), "Take a step to record the blocks.");
  map.height = map.launches[0].parts[0].box.height = 500000;
  EXPECT_EQ(remark(), "This launch has too many blocks to record. Choose a smaller grid.");
  map.launches[0].is_recorded = false;
  EXPECT_EQ(remark(), "This kernel does not record its blocks. Choose another kernel.");
}

TEST(LaunchBox, ListsABlockOfTheGpu) {
  wave::StepParams<float> tank;
  tank.width = 512;
  tank.height = 256;
  LaunchMap map = wave::cuda_launch_map(wave::Kernel::vectorised, tank, 1, 0);
  map.kernel = "Vectorised";
  const NumberBox box = describe_launch(map, location_of(map, 201, 100), 201, 100, true);
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
  EXPECT_EQ(value("u(t) of cell (200, 100)"), "byte 205\u00a0600, sectors: 16 (minimum 16)");
}

}  // namespace
}  // namespace perturb

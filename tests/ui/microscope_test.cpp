// The microscope in the window: its command, what it reads, and what it draws.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/commands/commands.h"
#include "app/i18n/language.h"
#include "app/io/preset/presets.h"
#include "app/ui/panels/lane_titles.h"
#include "app/ui/panels/mark_painter.h"
#include "app/ui/panels/number_box.h"
#include "app/ui/panels/panels.h"
#include "cuda/core/simulation/catalog.h"
#include "tests/support/drawn_panels.h"
#include "tests/support/inspected.h"
#include "tests/support/missing_texts.h"

namespace perturb {
namespace {

class MicroscopeView : public testing::Test, protected DrawnPanels {
 protected:
  MicroscopeView() : DrawnPanels(make_layout(1280, 720, 1, 1, true)) {
    Scene scene = load_scene("wave/droplet");
    scene.setup.width = 96;
    scene.setup.height = 64;
    open(scene);
    session_->playback().set_playing(false);
    press("z");
  }
  // Position of a number box in this area of the view.
  Rect placed_box(ImVec2 pointer, const Rect& area, const std::vector<Rect>& marks) {
    gui_.begin_frame(layout_, 1.0 / 60);
    ImGui::GetIO().MousePos = pointer;
    const DisplayInfo display{"host-mapped", ""};
    const Panel panel = panels_.arguments(*session_, gui_.style(), layout_, display);
    NumberBox numbers{"Cell", {{"Height", {"1"}}, {"Height after the step", {"2"}}}, {}};
    numbers.marks = marks;
    const Rect box = draw_number_box(panel, numbers, area, {});
    gui_.end_frame();
    return box;
  }
  double titles_height() {
    return lane_titles_height(panels_.arguments(*session_, gui_.style(), layout_, {"host-mapped", ""}));
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
  frame();
  frame();
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

TEST_F(MicroscopeView, AsksToZoomInUntilItDraws) {
  point_at(0.469, 0.492);
  EXPECT_EQ(drawn("Zoom in to see it drawn."), 1);
  session_->view().camera().zoom = 8;
  point_at(0.469, 0.492);
  EXPECT_EQ(drawn("Zoom in to see it drawn."), 0);
}

TEST_F(MicroscopeView, ShowsNoUnitWithoutANumber) {
  open(load_scene("particles/gas"));
  session_->playback().set_playing(false);
  press("z");
  const auto touches_in_this_step = [&](double x) {
    point_at(x, 0.5);
    return has_value(inspected(inspection(), "Contact in this step").at(0));
  };
  const std::vector<double> places = {0.3, 0.4, 0.5, 0.6, 0.7};
  ASSERT_FALSE(std::all_of(places.begin(), places.end(), touches_in_this_step));
  EXPECT_EQ(drawn("Contact in this step"), 1);
  EXPECT_EQ(drawn("\u2013 step"), 0);
}

TEST_F(MicroscopeView, BoxLeavesMarksOfAPausedRunInSight) {
  const Rect view = layout_.view_rect;
  const ImVec2 pointer(static_cast<float>(view.x + 0.45 * view.width), static_cast<float>(view.y + 0.8 * view.height));
  const Rect beside = placed_box(pointer, view, {});
  EXPECT_GT(beside.x, pointer.x) << "the half without the pointer";
  EXPECT_FALSE(overlap(placed_box(pointer, view, {beside}), beside));
  session_->playback().set_playing(true);
  EXPECT_EQ(placed_box(pointer, view, {beside}).x, beside.x) << "else it would jump while the marks move";
}

TEST_F(MicroscopeView, BoxOfASmallLaneLeavesThePointerInSight) {
  const Rect lane{layout_.view_rect.x, layout_.view_rect.y, 180, 80};
  const ImVec2 pointer(static_cast<float>(lane.x + 90), static_cast<float>(lane.y + 40));
  EXPECT_FALSE(placed_box(pointer, lane, {}).contains(pointer.x, pointer.y));
  const Rect whole = placed_box(pointer, layout_.view_rect, {});
  const Rect low_lane{lane.x, lane.y, layout_.view_rect.width, 40};
  EXPECT_EQ(placed_box(pointer, low_lane, {}).height, whole.height) << "no line is clipped";
}

TEST_F(MicroscopeView, BoxLeavesTheTitlesOfARaceInSight) {
  for (const bool by_time : {false, true}) {
    Scene race = load_scene("wave/droplet");
    race.setup.width = race.setup.height = 64;
    race.race_by_time = by_time;
    for (const char* lane : {"kernel=fused", "kernel=temporal"})
      race.lanes.push_back(parse_lane(lane, find_simulation("wave")));
    layout_.lanes = race.lanes.size();
    open(race);
    const Rect lane = layout_.lane_rect(), view = layout_.view_rect;
    for (const Rect& area : {lane, view})
      for (const double across : {0.2, 0.8}) {
        const ImVec2 pointer(static_cast<float>(lane.x + across * lane.width), static_cast<float>(lane.y + 300));
        const Rect box = placed_box(pointer, area, {});
        EXPECT_GT(box.height, 0);
        EXPECT_GE(box.y, view.y + titles_height());
      }
  }
}

TEST_F(MicroscopeView, SwitchIsInTheTabView) {
  layout_ = make_layout(1280, 1600, 1, 1, true);  // the whole tab without scrolling
  session_->execute(ShowTab{Tab::view});
  frame();
  frame();
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
      const Inspection inspection = inspect(run.simulation(), x, 0.4);
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

// The tab "Kernels" and the plot of the roofline, laid out by ImGui without a screen.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "app/i18n/language.h"
#include "app/race/race.h"
#include "app/ui/kernels/kernel_panel.h"
#include "app/ui/panels/panels.h"
#include "app/ui/plots/roofline_plot.h"
#include "app/ui/widgets/gui.h"
#include "app/ui/widgets/slider_scale.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/timing/timing_duration.h"
#include "tests/support/drawn_text.h"
#include "tests/support/panel_frames.h"
#include "tests/support/scene_of_width.h"

namespace perturb {
namespace {

class UiKernels : public testing::Test {
 protected:
  void SetUp() override {
    TimingCache::of_process().clear();
    session_.execute(ShowTab{Tab::kernels});
  }
  void TearDown() override { TimingCache::of_process().clear(); }
  static Scene tank() { return scene_of_width("wave/droplet", 64); }
  void draw() {
    session_.handle({}, layout_, Session::Keyboard::free, panels_.feedback());
    session_.observe(true);
    layout_ = make_layout(1280, height_, 1, 1, true, session_.interface().dock_height());
    layout_.lanes = lanes_;
    draw_panels(session_, gui_, panels_, layout_);
    session_.end_frame(1.0 / 60, 0.004);
  }
  bool shows(const std::string& part, const std::string& window = "") const {
    return !find_drawn_text(part, window).text.empty();
  }
  static std::size_t count(const std::string& part) {
    const std::vector<DrawnText> all = drawn_text();
    return static_cast<std::size_t>(std::count_if(
        all.begin(), all.end(), [&](const DrawnText& text) { return text.text.find(part) != std::string::npos; }));
  }
  void click(const std::string& text) {
    const DrawnText drawn = find_drawn_text(text);
    ASSERT_FALSE(drawn.text.empty()) << text;
    click_on(drawn, [this] { draw(); });
  }
  void measure() {
    click("Measure all");
    for (int k = 0; k < 1000 && session_.kernel_controller().is_measuring(); ++k) draw();
    draw();
  }

  const ShortTimingScope short_timing_;
  std::unique_ptr<Backend> backend_ = Backend::make_cpu(1);
  Gui gui_{Gui::Renderer::none};
  Panels panels_;
  Experiment experiment_{*backend_, tank()};
  Session session_{experiment_, 2};
  double height_ = 2200;   // the whole tab without scrolling
  std::size_t lanes_ = 0;  // of a race
  Layout layout_ = make_layout(1280, height_, 1, 1, true);
};

TEST_F(UiKernels, StatesNoNumbersThatAreNotMeasured) {
  draw();
  draw();
  EXPECT_EQ(count("not measured"), 2U) << "fused and temporal";
  EXPECT_EQ(count("needs an NVIDIA"), 2U);
  for (const char* number :
       {"cell/s", "flop/s", "B/s", "of what the", "bytes of shared memory", "occupancy", "Roofline"})
    EXPECT_FALSE(shows(number)) << number;
  EXPECT_FALSE(shows("Save as CSV"));
  EXPECT_TRUE(shows("12 bytes per cell and step"));
}

TEST_F(UiKernels, MeasuresAllKernelsAndDrawsTheirRates) {
  draw();
  draw();
  measure();
  EXPECT_EQ(count("not measured"), 0U);
  EXPECT_EQ(count("Gcell/s") + count("Mcell/s"), 2U);
  EXPECT_EQ(count("of what the memory allows") + count("of what the arithmetic allows"), 2U);
  for (const char* text : {"Measure again", "Save as CSV", "Roofline of the kernels", "memory, ", "arithmetic, "})
    EXPECT_TRUE(shows(text)) << text;
  for (const char* launch : {"bytes of shared memory", "occupancy", "blocks of"}) EXPECT_FALSE(shows(launch)) << launch;
  for (const DrawnText& text : drawn_text())
    EXPECT_FALSE(text.cut_beside && text.box.x >= layout_.column.x) << text.text;
}

TEST_F(UiKernels, OffersARaceByTimeAndShowsHowFarItsLanesAre) {
  draw();
  EXPECT_FALSE(shows("By time")) << "no race is open";
  Scene race = tank();
  for (const char* lane : {"kernel=fused", "kernel=temporal", "damping=0.5", "damping=0.5,difference=1"})
    race.lanes.push_back(parse_lane(lane, find_simulation("wave")));
  lanes_ = race.lanes.size();
  experiment_.open(race);
  draw();
  draw();
  EXPECT_FALSE(shows("steps, t =", "##Background"));
  click("By time");
  draw();
  EXPECT_TRUE(session_.run().scene->race_by_time);
  height_ = 720;
  // A step of lanes 1 and 3 takes 10 ms, one of lane 2 twice as long.
  Race& lanes = dynamic_cast<Race&>(experiment_.simulation());
  lanes.set_clock([&lanes] {
    const std::int64_t all = lanes.lane_steps(0) + 2 * lanes.lane_steps(1) + lanes.lane_steps(2);
    return std::chrono::steady_clock::time_point() + all * std::chrono::milliseconds(10);
  });
  const auto advance = [&] {
    session_.pace().forget();
    session_.advance();
    draw();
  };
  advance();
  EXPECT_TRUE(shows(": measuring", "##Background"));
  EXPECT_FALSE(shows("as fast", "##Background"));
  for (int k = 0; k < 200 && shows(": measuring", "##Background"); ++k) advance();
  std::size_t progress = 0;
  for (const DrawnText& text : drawn_text()) {
    if (text.window != "##Background") continue;
    progress += text.text.find("steps, t =") != std::string::npos;
    EXPECT_FALSE(text.cut_beside) << text.text;
  }
  EXPECT_EQ(progress, 3u) << "the fourth lane shows a difference";
  EXPECT_TRUE(shows(": as fast as lane 1", "##Background"));
  // On the whole, as the bars show it: the first steps of all lanes were equally many.
  const double whole = static_cast<double>(lanes.lane_steps(1)) / static_cast<double>(lanes.lane_steps(0));
  EXPECT_NEAR(whole, 0.5, 0.1);
  EXPECT_TRUE(shows(": " + number_text(std::round(100 * whole) / 100, 3) + " times as fast", "##Background")) << whole;
  EXPECT_TRUE(shows("Not shown by time", "##Background"));
}

TEST_F(UiKernels, StopsMeasuring) {
  draw();
  draw();
  click("Measure all");
  ASSERT_TRUE(session_.kernel_controller().is_measuring());
  EXPECT_TRUE(shows("Measuring "));
  click("Stop measuring");
  EXPECT_FALSE(session_.kernel_controller().is_measuring());
  EXPECT_TRUE(shows("Measure all"));
}

TEST_F(UiKernels, MeasuresSizesAndDrawsTheTimes) {
  draw();
  draw();
  EXPECT_TRUE(shows("Time by size"));
  EXPECT_TRUE(shows("Largest width"));
  EXPECT_FALSE(shows("Time per cell by size"));
  session_.execute(MeasureSizes{48});
  draw();
  EXPECT_TRUE(shows("Measuring"));
  EXPECT_TRUE(shows("Stop measuring"));
  for (int k = 0; k < 1000 && session_.kernel_controller().is_sweeping(); ++k) draw();
  draw();
  EXPECT_TRUE(shows("Time per cell by size"));
  EXPECT_TRUE(shows("Save as CSV"));
  EXPECT_FALSE(shows("Time per cell by size", "##dock"));
  click("Show a large plot");
  draw();
  EXPECT_TRUE(shows("Time per cell by size", "##dock"));
  for (const DrawnText& text : drawn_text())
    EXPECT_FALSE(text.cut_beside && text.box.x >= layout_.column.x) << text.text;
}

TEST_F(UiKernels, SaysWhereSizesCannotBeCompared) {
  session_.execute(OpenScene{"particles/gas"});
  session_.execute(ShowTab{Tab::kernels});
  draw();
  draw();
  EXPECT_TRUE(shows("Open a wave tank or a flow"));
  EXPECT_FALSE(shows("Measure sizes"));
}

TEST_F(UiKernels, HasItsTextsInEveryLanguage) {
  for (const LanguageName& one : languages()) {
    use_language("en");
    TimingCache::of_process().clear();
    draw();
    draw();
    if (one.id != "en") use_language(one.id);
    take_untranslated();
    session_.execute(MeasureKernels{});
    for (int k = 0; k < 1000 && session_.kernel_controller().is_measuring(); ++k) draw();
    session_.execute(MeasureSizes{48});
    draw();
    draw();
    for (int k = 0; k < 1000 && session_.kernel_controller().is_sweeping(); ++k) draw();
    session_.execute(MeasureFrames{});
    draw();
    draw();
    session_.execute(MeasureFrames{false});
    session_.execute(MeasureFrames{});
    const std::int64_t end = Timeline::now();
    Timeline::add({TimeUse::loop, "wave.fused", end - 10, end});
    Timeline::add({TimeUse::frame, "frame", end - 1000, end});
    session_.execute(MeasureFrames{false});
    draw();
    draw();
    for (const DrawnText& text : drawn_text())
      EXPECT_FALSE(text.cut_beside && text.box.x >= layout_.column.x) << one.id << ": " << text.text;
    const std::vector<std::string> missing = take_untranslated();
    for (const char* text : {"not measured",
                             "measuring",
                             "{}\u00a0{}{}",
                             "cell/s",
                             "flop/s",
                             "spread {}",
                             "memory, {}",
                             "Measuring the peak rates of this machine.",
                             "Roofline of the kernels",
                             "Save as CSV",
                             "Time of a frame",
                             "Measure the frames",
                             "Time by size",
                             "Largest width",
                             "Measure sizes",
                             "Time per cell by size",
                             "Measuring {} on {}; measurements left: {}.",
                             no_sizes_text,
                             "No frame has been measured yet.",
                             "Input and actions",
                             "Mean of {} frames: {}",
                             "Loops of a frame, and how often each runs"})
      EXPECT_EQ(std::count(missing.begin(), missing.end(), text), 0) << one.id << " lacks " << text;
  }
  use_language("en");
}

TEST_F(UiKernels, CallsKernelsByTheNamesOfTheirCards) {
  const Message choice("Automatic: {}, {} per step here; {}.", std::string("temporal"), std::string("2 \u00b5s"),
                       Message("{} takes {}", std::string("fused"), std::string("3 \u00b5s")));
  const Message shown = with_kernel_names(session_.run(), choice);
  EXPECT_EQ(shown.english(), choice.english()) << "files and the command line have the ids";
  for (const LanguageName& one : languages()) {
    use_language(one.id);
    for (const char* title : {"Temporal", "Fused"})
      EXPECT_NE(tr(shown).find(tr(title)), std::string::npos) << one.id << ": " << tr(shown);
  }
  use_language("en");
  draw();
  draw();
  session_.execute(MeasureSizes{48});
  bool named = false;
  for (int k = 0; k < 1000 && session_.kernel_controller().is_sweeping(); ++k) {
    draw();
    named |= shows("Measuring \u201cTemporal\u201d on");
  }
  EXPECT_TRUE(named);
}

TEST_F(UiKernels, CardSelectsKernel) {
  draw();
  draw();
  click("Temporal");
  EXPECT_EQ(experiment_.kernel(), "temporal");
  click("Automatic");
  EXPECT_EQ(experiment_.kernel(), "auto");
}

TEST_F(UiKernels, ShowsLargeRooflineInTheDock) {
  draw();
  draw();
  measure();
  EXPECT_FALSE(shows("Roofline of the kernels", "##dock"));
  click("Show a large plot");
  draw();
  EXPECT_TRUE(shows("Roofline of the kernels", "##dock"));
  EXPECT_GE(layout_.dock.width, 480);
  EXPECT_GE(layout_.dock.height, 200);
  click("Hide the large plot");
  EXPECT_FALSE(shows("Roofline of the kernels", "##dock"));
}

TEST_F(UiKernels, ScrollsToTheTimesOfFramesWhenTheyBegin) {
  height_ = 720;
  draw();
  draw();
  EXPECT_FALSE(shows("Measure the frames"));
  session_.execute(MeasureFrames{});
  draw();
  for (int k = 0; k < 2; ++k) {
    const std::int64_t end = Timeline::now();
    Timeline::add({TimeUse::frame, "frame", end - 1000, end});
    draw();
    draw();
  }
  EXPECT_TRUE(shows("Measure the frames"));
  EXPECT_TRUE(shows("Mean of")) << "below the strip";
  session_.execute(MeasureFrames{false});
}

TEST_F(UiKernels, ShowsWhereTheTimeOfAFrameGoes) {
  draw();
  draw();
  EXPECT_TRUE(shows("Time of a frame"));
  EXPECT_FALSE(shows("The last 5"));
  click("Measure the frames");
  EXPECT_TRUE(session_.frame_times().is_measuring());
  EXPECT_TRUE(shows("No frame has been measured yet."));
  session_.execute(MeasureFrames{false});
  session_.execute(MeasureFrames{});
  // Two frames with a known content: 3 s with 1 s of panels, and 1 s of swapping.
  const std::int64_t second = 1'000'000'000, end = Timeline::now();
  Timeline::add({TimeUse::panels, "panels", end - 4 * second, end - 3 * second});
  Timeline::add({TimeUse::frame, "frame", end - 4 * second, end - second});
  Timeline::add({TimeUse::loop, "wave.fused", end - second / 2, end - second / 4});
  Timeline::add({TimeUse::swap, "swap", end - second, end});
  Timeline::add({TimeUse::frame, "frame", end - second, end});
  session_.execute(MeasureFrames{false});  // keeps what it has
  draw();
  draw();
  EXPECT_FALSE(session_.frame_times().is_measuring());
  for (const char* text : {"Steps", "Painting", "Measurements", "Input and actions", "Panels", "Swap", "Other",
                           "Waiting", "Mean of", "wave.fused"})
    EXPECT_TRUE(shows(text)) << text;
  EXPECT_FALSE(shows("Loops on the GPU"));
  const Rect caption = find_drawn_text("The last 5").box;
  ASSERT_GT(caption.width, 0);
  ImGui::GetIO().MousePos =
      ImVec2(static_cast<float>(layout_.column.x + layout_.column.width / 2), static_cast<float>(caption.y) - 40);
  draw();
  draw();
  EXPECT_TRUE(shows("This frame: 3000.00 ms"));
  EXPECT_TRUE(shows("1000.00 ms"));
  EXPECT_TRUE(shows("33 %"));
  EXPECT_FALSE(shows("wave.fused")) << "it is in the other frame";
  for (const DrawnText& text : drawn_text())
    EXPECT_FALSE(text.cut_beside && text.box.x >= layout_.column.x) << text.text;
}

TEST_F(UiKernels, PlotHasAPointForEachMeasuredKernel) {
  RunStatus run = session_.run();
  EXPECT_TRUE(make_roofline_plot(run).lines.empty());
  run.roofline = Roofline{10e9, 100e9};
  EXPECT_TRUE(make_roofline_plot(run).lines.empty()) << "no kernel is measured";
  run.kernels[0].timing = KernelTiming{"fused", 1e-5, 0};
  const RooflinePlot plot = make_roofline_plot(run);
  ASSERT_EQ(plot.lines.size(), 3U);
  // Of the lines, the slope has the bandwidth: flop/s = flop per byte times bytes/s.
  for (const CurvePoint& p : plot.points[0]) EXPECT_NEAR(p.y - p.x, 10, 1e-12);
  for (const CurvePoint& p : plot.points[1]) EXPECT_NEAR(p.y, 11, 1e-12);
  ASSERT_EQ(plot.points[2].size(), 1U);
  const StepCost& cost = run.kernels[0].cost;
  EXPECT_NEAR(plot.points[2][0].x, std::log10(cost.flops / cost.bytes), 1e-12);
  EXPECT_NEAR(plot.points[2][0].y, std::log10(cost.flops / 1e-5), 1e-12);
  EXPECT_LT(plot.points[0].front().x, plot.points[2][0].x);
  // Below the roof it has its name only. Twice as fast as the memory, or as the arithmetic: the legend says why.
  const double traffic = cost.bytes / 10e9, work = cost.flops / 100e9, least = std::max(traffic, work);
  for (const double share : {2., 0.5}) {
    run.kernels[0].timing->seconds_per_step = share * least;
    const std::string label = make_roofline_plot(run).lines.at(2).label.english();
    EXPECT_TRUE(label.starts_with(run.info->kernels[0].title)) << label;
    EXPECT_EQ(label.find("above the roof: from a cache") != std::string::npos, share < 1) << label;
  }
  run.kernels[0].timing->seconds_per_step = 0;
  EXPECT_TRUE(make_roofline_plot(run).lines.empty());
  run.kernels[0].timing->seconds_per_step = 1e-5;
  run.roofline = Roofline{10e9, 0};
  EXPECT_TRUE(make_roofline_plot(run).lines.empty());
}

}  // namespace
}  // namespace perturb

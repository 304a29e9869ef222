// Plots: the effect of the first values on a range, values that are not defined yet, and overlaid plots.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "app/ui/panels/panels.h"
#include "app/ui/plots/overlay_plots.h"
#include "app/ui/plots/plots.h"
#include "app/ui/widgets/gui.h"
#include "tests/support/drawn_text.h"
#include "tests/support/panel_frames.h"

namespace perturb {
namespace {

class UiPlots : public testing::Test {
 protected:
  std::string shown(const PlotFrame& frame, const std::vector<CurvePoint>& points) {
    gui_.begin_frame(layout_, 1.0 / 60);
    ImGui::SetNextWindowSize(ImVec2(400, 400));
    ImGui::Begin("##plot");
    draw_plot(gui_.style(), frame, {{"one", &points}}, 150);
    ImGui::End();
    gui_.end_frame();
    return drawn_lines();
  }
  std::string panels(Session& session) {
    for (int i = 0; i < 3; ++i) {
      session.handle({}, layout_, Session::Keyboard::free, panels_.feedback());
      session.pace().forget();  // however slow the machine is, a frame takes the requested steps
      session.advance();
      session.observe(true);
      draw_panels(session, gui_, panels_, layout_);
      session.end_frame(1.0 / 60, 0.004);
    }
    return drawn_lines("dock");
  }

  std::unique_ptr<Backend> backend_ = Backend::make_cpu(1);
  Gui gui_{Gui::Renderer::none};
  Panels panels_;
  Layout layout_ = make_layout(1280, 720, 1, 1, true);
};

TEST_F(UiPlots, TransientDoesNotHideRest) {
  std::vector<CurvePoint> spike;
  for (int k = 0; k < 100; ++k) spike.push_back({k * 1.0, k < 5 ? 700.0 : 2 + 0.5 * std::sin(0.3 * k)});
  PlotFrame frame{"Force", "time", "in weight"};
  EXPECT_NE(shown(frame, spike).find("800"), std::string::npos) << "the whole range by default";
  frame.has_transient = true;
  const std::string robust = shown(frame, spike);
  EXPECT_EQ(robust.find("800"), std::string::npos) << robust;
  EXPECT_NE(robust.find("700"), std::string::npos) << "the truncated maximum is shown: " << robust;
  EXPECT_NE(robust.find("2.4"), std::string::npos) << "an axis of the rest: " << robust;
  // A curve that decays smoothly is not a spike.
  std::vector<CurvePoint> decay;
  for (int k = 0; k < 100; ++k) decay.push_back({k * 1.0, 100 * std::exp(-0.01 * k)});
  EXPECT_EQ(shown(frame, decay).find("At the start"), std::string::npos);
}

TEST_F(UiPlots, OneOutlierDoesNotSetTheAxis) {
  std::vector<CurvePoint> points;
  for (int k = 0; k < 60; ++k) points.push_back({k * 1.0, k == 30 ? 45.0 : 1 + 0.3 * std::sin(0.4 * k)});
  PlotFrame frame{"Drag", "time", "drag"};
  frame.has_transient = true;
  const std::string robust = shown(frame, points);
  EXPECT_NE(robust.find("outside: from 0.7 to 45"), std::string::npos) << robust;
  EXPECT_NE(robust.find("1.2"), std::string::npos) << "an axis of the rest: " << robust;
  // A pulse of several values is not an outlier, nor is a spike above a constant.
  for (int k = 30; k < 40; ++k) points[static_cast<std::size_t>(k)].y = 45;
  EXPECT_EQ(shown(frame, points).find("outside"), std::string::npos);
  for (int k = 0; k < 60; ++k) points[static_cast<std::size_t>(k)].y = k == 30 ? 45.0 : 0;
  EXPECT_EQ(shown(frame, points).find("outside"), std::string::npos);
}

TEST_F(UiPlots, OverlaysPlotsOfSameUnits) {
  const std::vector<CurvePoint> points = {{0, 1}, {1, 2}};
  const auto plot = [&](const std::string& id, const std::string& units) {
    PlotData made{id, {}, {{"measured", &points, color::accent}}};
    made.frame.title = "Plot " + id;
    made.units = units;
    return made;
  };
  std::vector<PlotData> plots = {plot("a", "s / m"), plot("b", "s / kg"), plot("c", "s / m"), plot("d", "s / m")};
  plots[2].lines.push_back({"theory", &points, color::accent, true});
  const auto alone = overlay_plots(plots, {});
  ASSERT_EQ(alone.size(), 4U);
  EXPECT_EQ(alone[0].overlays.size(), 2U) << "those of its units";
  EXPECT_TRUE(alone[1].overlays.empty());
  const auto both = overlay_plots(plots, {{"a", {"c"}}});
  ASSERT_EQ(both.size(), 3U) << "an overlaid plot is not listed separately";
  ASSERT_EQ(both[0].lines.size(), 3U);
  EXPECT_EQ(both[0].lines[0].label, "Plot a");
  EXPECT_EQ(both[0].lines[1].label, "Plot c");
  EXPECT_EQ(both[0].lines[2].label.english(), "Plot c: theory");
  EXPECT_NE(both[0].lines[0].ink, both[0].lines[1].ink);
  EXPECT_EQ(both[0].lines[1].ink, both[0].lines[2].ink) << "theory has the ink of its measurement";
  EXPECT_EQ(both[2].id, "d");
  EXPECT_TRUE(both[2].overlays.empty()) << "an overlaid plot has no overlays, and a plot with overlays is not overlaid";
  // From another scene: a plot whose target does not exist here is drawn alone.
  EXPECT_EQ(overlay_plots(plots, {{"gone", {"c"}}}).size(), 4U);
  EXPECT_EQ(overlay_plots(plots, {{"a", {"b"}}}).size(), 4U) << "other units";
}

TEST_F(UiPlots, GroupsValuesByMeaning) {
  Scene scene = load_scene("particles/gas");
  Experiment experiment(*backend_, scene);
  Session session(experiment, 2);
  session.execute(ShowTab{Tab::plots});
  layout_ = make_layout(1280, 6000, 1, 1, true);  // high enough for the whole tab
  panels(session);
  // The last vertical position of each text: in the table, which is below the list of plots.
  std::map<std::string, double> place;
  for (const DrawnText& t : drawn_text())
    if (t.box.x >= layout_.column.x) {
      place.emplace(t.text, t.box.y);
      place[t.text] = std::max(place[t.text], t.box.y);
    }
  const auto above = [&](const std::string& first, const std::string& second) {
    ASSERT_TRUE(place.count(first)) << first;
    ASSERT_TRUE(place.count(second)) << second;
    EXPECT_LT(place[first], place[second]) << first << " above " << second;
  };
  // The table: the most important numbers first, bookkeeping last, each under its heading.
  above("Motion", "Momentum to the right");
  above("Momentum to the right", "Distance from the start");
  above("Distance from the start", "Forces and pressure");
  above("Forces and pressure", "Pressure on the walls");
  above("Collisions", "Mean free path, Enskog");
  above("Mean free path, Enskog", "Matter");
  above("Accuracy", "Computation");
  above("Missed collisions, fraction", "Computation");
  // Plots over time: those with the same meaning and unit share one, titled by the meaning.
  std::multiset<std::string> texts;
  for (const DrawnText& t : drawn_text())
    if (t.box.x >= layout_.column.x) texts.insert(t.text);
  EXPECT_EQ(texts.count("Forces and pressure"), 2u) << "in the table, and three pressures in one plot";
  EXPECT_EQ(texts.count("Over time"), 0u);
}

TEST_F(UiPlots, ShowsMathematicalSigns) {
  gui_.begin_frame(layout_, 1.0 / 60);
  for (const ImFont* font : {gui_.style().body, gui_.style().small, gui_.style().strong})
    for (const ImWchar sign : {ImWchar{0x222B}, ImWchar{0x221A}, ImWchar{0x2202}})
      EXPECT_NE(font->FindGlyphNoFallback(sign), nullptr) << "an integral, a root, a partial derivative";
  gui_.end_frame();
}

const PlotScale small_plot{0, 300, -1, 1, {10, 20}, {310, 120}};  // one pixel per unit of x, 50 per unit of y

// Vertical distance of a position from the segments, in pixels; infinite if none is there.
double distance_to(const PlotOnScreen& plot, ImVec2 at) {
  double least = std::numeric_limits<double>::infinity();
  for (const std::vector<ImVec2>& piece : plot.pieces)
    for (std::size_t k = 1; k < piece.size(); ++k) {
      const ImVec2 &a = piece[k - 1], &b = piece[k];
      if (at.x < a.x - 0.01f || at.x > b.x + 0.01f || !(b.x > a.x)) continue;
      least = std::min(least, std::abs(double(a.y + (at.x - a.x) / (b.x - a.x) * (b.y - a.y) - at.y)));
    }
  return least;
}

TEST(PlotLines, SimplifyWithoutVisibleChange) {
  std::vector<CurvePoint> level, round;
  for (int k = 0; k <= 300; ++k) {
    level.push_back({double(k), 0.001 * k});
    round.push_back({double(k), std::sin(0.05 * k)});
  }
  const PlotOnScreen straight = plot_on_screen(level, small_plot);
  ASSERT_EQ(straight.pieces.size(), 1U);
  EXPECT_EQ(straight.pieces.front().size(), 2U);
  const PlotOnScreen curve = plot_on_screen(round, small_plot);
  ASSERT_EQ(curve.pieces.size(), 1U);
  EXPECT_LT(curve.pieces.front().size(), 100U);
  EXPECT_TRUE(curve.bars.empty());
  for (const CurvePoint& p : round) EXPECT_LT(distance_to(curve, small_plot.place(p.x, p.y)), 0.3) << p.x;
}

// A line that turns in every pixel column is drawn as a band: vertical bars fill its range.
TEST(PlotLines, DrawFastOscillationAsBand) {
  std::vector<CurvePoint> fast;
  for (int k = 0; k <= 16000; ++k) fast.push_back({k * 300 / 16000.0, std::sin(0.9 * k)});
  const PlotOnScreen plot = plot_on_screen(fast, small_plot);
  EXPECT_TRUE(plot.pieces.empty());
  ASSERT_GT(plot.bars.size(), 250U);
  EXPECT_LE(plot.bars.size(), 302U);
  for (std::size_t k = 0; k < plot.bars.size(); ++k) {
    const PlotBar& bar = plot.bars[k];
    EXPECT_GT(bar.bottom - bar.top, 95) << k;
    if (k > 0) {
      EXPECT_LT(bar.x - plot.bars[k - 1].x, 2) << k;
    }
  }
}

// As one line it would have no width at its tip.
TEST(PlotLines, SplitWhereLineTurnsBack) {
  const std::vector<CurvePoint> spike = {{0, 0}, {100, 0}, {101.5, 1}, {103, 0}, {300, 0}};
  const PlotOnScreen plot = plot_on_screen(spike, small_plot);
  ASSERT_EQ(plot.pieces.size(), 2U);
  EXPECT_FLOAT_EQ(plot.pieces[0].back().y, 20);
  EXPECT_FLOAT_EQ(plot.pieces[1].front().y, 20);
  EXPECT_FLOAT_EQ(plot.pieces[0].back().x, plot.pieces[1].front().x);
}

TEST(PlotLines, KeepGapsAndSpikes) {
  std::vector<CurvePoint> points;
  for (int k = 0; k <= 3000; ++k) points.push_back({0.1 * k, k == 1500 ? 1.0 : 0});
  for (int k = 700; k < 800; ++k) points[static_cast<std::size_t>(k)].y = std::nan("");
  const PlotOnScreen plot = plot_on_screen(points, small_plot);
  ASSERT_EQ(plot.bars.size(), 1U);
  EXPECT_FLOAT_EQ(plot.bars.front().top, 20);
  EXPECT_EQ(plot.pieces.size(), 3U) << "before the gap, from there to the spike, and on";
  EXPECT_TRUE(std::isinf(distance_to(plot, small_plot.place(75, 0))));
}

}  // namespace
}  // namespace perturb

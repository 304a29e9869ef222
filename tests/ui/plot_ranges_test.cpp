// Zooming, panning and reading of plots, titles of axes with a factor or a reference, the envelope of a long trace.
#include "app/ui/plots/plot_ranges.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "app/run/ticks.h"
#include "app/session/interface.h"
#include "app/session/layout.h"
#include "app/session/measurements.h"
#include "app/ui/plots/plots.h"

namespace perturb {
namespace {

constexpr double gap = std::numeric_limits<double>::quiet_NaN();

TEST(PlotRanges, ZoomKeepsPlaceOfPointer) {
  const PlotRange in = zoomed({0, 10}, 2, 0.5, {0, 10});
  EXPECT_DOUBLE_EQ(in.low, 1);
  EXPECT_DOUBLE_EQ(in.high, 6);
  const PlotRange out = zoomed({0, 10}, 2, 2, {0, 10});
  EXPECT_DOUBLE_EQ(out.low, -2);
  EXPECT_DOUBLE_EQ(out.high, 18);
  // At most ten times the data, and at least what numbers can distinguish.
  EXPECT_DOUBLE_EQ(zoomed({0, 10}, 5, 1e6, {0, 10}).width(), 100);
  EXPECT_NEAR(zoomed({1000, 1010}, 1005, 1e-30, {1000, 1010}).width(), 1e-8, 1e-12);
  EXPECT_EQ(zoomed({0, 10}, 5, 0.5, {3, 3}), (PlotRange{0, 10})) << "no data";
}

TEST(PlotRanges, PanMovesByShareOfWidth) { EXPECT_EQ(panned({2, 6}, 0.25), (PlotRange{3, 7})); }

TEST(PlotRanges, ValueIsLinearBetweenPoints) {
  const std::vector<CurvePoint> line = {{0, 1}, {2, 5}, {3, gap}, {4, 8}, {5, 6}};
  EXPECT_DOUBLE_EQ(value_at(line, 0.5).value(), 2);
  EXPECT_DOUBLE_EQ(value_at(line, 2).value(), 5);
  EXPECT_DOUBLE_EQ(value_at(line, 4.5).value(), 7);
  EXPECT_FALSE(value_at(line, 2.5)) << "in a gap";
  EXPECT_FALSE(value_at(line, -1));
  EXPECT_FALSE(value_at(line, 5.1));
  EXPECT_FALSE(value_at({}, 0));
}

TEST(PlotRanges, ClipCutsLinesAtEdges) {
  const std::vector<CurvePoint> line = {{0, 0}, {10, 100}, {20, 0}};
  const std::vector<CurvePoint> parts = clipped(line, {0, 20}, {0, 50});
  ASSERT_EQ(parts.size(), 5U);
  EXPECT_EQ(parts[0].y, 0);
  EXPECT_DOUBLE_EQ(parts[1].x, 5);
  EXPECT_DOUBLE_EQ(parts[1].y, 50);
  EXPECT_TRUE(std::isnan(parts[2].y));
  EXPECT_DOUBLE_EQ(parts[3].x, 15);
  EXPECT_DOUBLE_EQ(parts[4].x, 20);
  EXPECT_TRUE(clipped(line, {30, 40}, {0, 50}).empty());
  // From far away, through the box.
  const std::vector<CurvePoint> through = clipped({{-1e9, -1e9}, {1e9, 1e9}}, {0, 1}, {0, 1});
  ASSERT_EQ(through.size(), 2U);
  EXPECT_NEAR(through[0].x, 0, 1e-6);
  EXPECT_NEAR(through[1].y, 1, 1e-6);
  EXPECT_EQ(clipped({{0.5, 0.5}}, {0, 1}, {0, 1}).size(), 1U) << "a single point";
}

TEST(PlotRanges, FindPeriodOfOscillation) {
  std::vector<CurvePoint> sine, noise, coarse, ramp;
  for (int k = 0; k < 2000; ++k) {
    const double t = 0.05 * k;
    // A transient, then a period of 7 about 3.
    sine.push_back({t, 3 + 0.5 * std::sin(2 * std::numbers::pi * t / 7) + 20 * std::exp(-t)});
    noise.push_back({t, std::fmod(std::abs(std::sin(12.9898 * k) * 43758.5453), 1.0)});
    ramp.push_back({t, t});
  }
  // The transient is gone after the first half; crossings are interpolated within 0.05.
  EXPECT_NEAR(oscillation_period(sine).value(), 7, 0.01);
  EXPECT_FALSE(oscillation_period(noise));
  EXPECT_FALSE(oscillation_period(ramp));
  for (int k = 0; k < 200; ++k) coarse.push_back({7.0 / 3 * k, std::sin(2 * std::numbers::pi * (k / 3.0 + 0.1))});
  EXPECT_FALSE(oscillation_period(coarse)) << "three points per period";
  EXPECT_FALSE(oscillation_period({}));
}

TEST(PlotRanges, PartsOfDurationAreRound) {
  EXPECT_EQ(round_parts(600), (std::vector<double>{200, 50, 20}));
  EXPECT_EQ(round_parts(30000), (std::vector<double>{10000, 2000, 1000}));
  EXPECT_TRUE(round_parts(0).empty());
}

TEST(PlotAxisTitles, NameFactorAndReference) {
  EXPECT_EQ(axis_title("Residual", tick_texts({0, 2e-10, 4e-10})).english(), "Residual (\u00d710\u207b\u00b9\u2070)");
  EXPECT_EQ(axis_title("Height", tick_texts({0, 0.1, 0.2})).english(), "Height");
  const TickTexts energy = tick_texts({1000.6768, 1000.677, 1000.6772});
  EXPECT_EQ(axis_title("Energy", energy).english(), "Energy: difference from 1000.677 (\u00d710\u207b\u2074)");
  EXPECT_EQ(energy.texts, (std::vector<std::string>{"-2", "0", "2"}));
  EXPECT_EQ(axis_title({}, energy).english(), "difference from 1000.677 (\u00d710\u207b\u2074)");
  EXPECT_EQ(axis_title({}, tick_texts({0, 2e6})).english(), "\u00d710\u2076");
  EXPECT_EQ(axis_title("Shift", tick_texts({-700001, -700000, -699999})).english(), "Shift: difference from -700000");
}

// A small part of a decade has no power of ten, and no 2 or 5.
TEST(PlotAxisTitles, PartOfDecadeHasNumbers) {
  const Axis axis = make_axis(std::log10(310), std::log10(390), true, 6);
  ASSERT_GE(axis.ticks.size(), 3U);
  EXPECT_EQ(axis.labels.texts.front(), "320");
  EXPECT_NEAR(axis.ticks.front(), std::log10(320), 1e-12);
}

// Every column of pixels is filled from the least to the largest value in it, and to its neighbours.
TEST(PlotEnvelope, CoversExtremesOfEachColumn) {
  std::vector<CurvePoint> fast;
  for (int k = 0; k <= 60000; ++k) {
    const double x = k * 300 / 60000.0;
    fast.push_back({x, std::sin(2.7 * k) * (0.2 + 0.8 * x / 300)});
  }
  const PlotScale scale{0, 300, -1, 1, {10, 20}, {310, 120}};
  const PlotOnScreen plot = plot_on_screen(fast, scale);
  ASSERT_GT(plot.bars.size(), 250U);
  for (std::size_t k = 1; k + 1 < plot.bars.size(); ++k) {
    const PlotBar& bar = plot.bars[k];
    float top = 1e9f, bottom = -1e9f;
    for (const CurvePoint& p : fast) {
      const ImVec2 at = scale.place(p.x, p.y);
      if (at.x < bar.x || at.x >= bar.x + 1) continue;
      top = std::min(top, at.y);
      bottom = std::max(bottom, at.y);
    }
    EXPECT_LE(bar.top, top) << k;
    EXPECT_GE(bar.bottom, bottom) << k;
    // A bar reaches to the end of the previous column, and no farther.
    EXPECT_NEAR(bar.top, top, 4) << k;
    EXPECT_NEAR(bar.bottom, bottom, 4) << k;
  }
}

// The means and the extremes of the whole run remain however long it is, and the newest points are complete.
TEST(PlotEnvelope, HistoryKeepsMeansAndExtremes) {
  History history;
  std::vector<CurvePoint> all;
  double low = 0, high = 0, sum = 0;
  for (int i = 0; i < 50000; ++i) {
    Diagnostics d;
    d.step = i;
    d.time = 0.5 * i;
    const double value = std::sin(1.7 * i) * (i == 777 || i == 31000 ? 9 : 1 + 0.5 * std::sin(0.001 * i));
    d.scalars = {{"lift", "Lift", "", value}};
    history.add(d);
    all.push_back({d.time, value});
    low = std::min(low, value);
    high = std::max(high, value);
    sum += value;
  }
  const std::vector<CurvePoint>& kept = history.series().front().points;
  const std::vector<SampleGroup>& groups = history.series().front().groups;
  EXPECT_LT(kept.size(), 3300U);
  ASSERT_GE(kept.size(), groups.size() + 1024);
  for (std::size_t k = 1; k < kept.size(); ++k) ASSERT_LT(kept[k - 1].x, kept[k].x);
  double kept_low = 0, kept_high = 0, kept_sum = 0;
  std::size_t first = 0;  // of the observations of a group
  for (std::size_t k = 0; k < groups.size(); ++k) {
    const SampleGroup& group = groups[k];
    SampleGroup expected = SampleGroup::of(all[first]);
    for (std::size_t i = first + 1; i < first + group.count; ++i) expected.add(SampleGroup::of(all[i]));
    first += group.count;
    EXPECT_NEAR(group.mean, expected.mean, 1e-12) << k;
    EXPECT_EQ(group.low, expected.low) << k;
    EXPECT_EQ(group.high, expected.high) << k;
    EXPECT_EQ(kept[k].x, group.x) << k;
    EXPECT_EQ(kept[k].y, group.mean) << "the curve is the mean";
    kept_low = std::min(kept_low, group.low);
    kept_high = std::max(kept_high, group.high);
    kept_sum += group.mean * static_cast<double>(group.count);
  }
  EXPECT_EQ(first + kept.size() - groups.size(), all.size()) << "each observation is in one group or kept as it is";
  for (std::size_t k = groups.size(); k < kept.size(); ++k) {
    EXPECT_EQ(kept[k].x, all[first + k - groups.size()].x);
    EXPECT_EQ(kept[k].y, all[first + k - groups.size()].y);
    kept_low = std::min(kept_low, kept[k].y);
    kept_high = std::max(kept_high, kept[k].y);
    kept_sum += kept[k].y;
  }
  EXPECT_EQ(kept_low, low);
  EXPECT_EQ(kept_high, high);
  EXPECT_NEAR(kept_sum, sum, 1e-6);
}

// The band of old samples covers their ranges, its columns adjoin, and the axes show it whole.
TEST(PlotEnvelope, BandCoversTheRangesOfOldSamples) {
  std::vector<SampleGroup> groups;
  std::vector<CurvePoint> means;
  for (int k = 0; k < 1500; ++k) {
    const double mean = std::sin(0.01 * k), range = k == 700 ? 5 : 0.5 + 0.4 * std::sin(0.3 * k);
    groups.push_back({1.0 * k, mean, mean - range, mean + range, 8});
    means.push_back({1.0 * k, mean});
  }
  PlotLine line{"lift", &means};
  line.groups = &groups;
  const PlotAxes axes = automatic_axes({}, {line});
  EXPECT_LE(axes.y.low, groups[700].low);
  EXPECT_GE(axes.y.high, groups[700].high);
  const PlotScale scale{axes.x.low, axes.x.high, axes.y.low, axes.y.high, ImVec2(50, 20), ImVec2(450, 220)};
  const std::vector<Rect> band = band_on_screen(groups, scale);
  ASSERT_FALSE(band.empty());
  EXPECT_LE(band.size(), 401U) << "at most one for each column of pixels";
  for (std::size_t k = 1; k < band.size(); ++k) EXPECT_NEAR(band[k - 1].x + band[k - 1].width, band[k].x, 1e-3);
  constexpr double rounding = 1e-3;  // pixels
  for (const SampleGroup& group : groups) {
    const ImVec2 low = scale.place(group.x, group.low), high = scale.place(group.x, group.high);
    const bool overlaps_band = std::any_of(band.begin(), band.end(), [&](const Rect& part) {
      return low.x >= part.x - 1 && low.x <= part.x + part.width + 1 && high.y >= part.y - rounding &&
             low.y <= part.y + part.height + rounding;
    });
    EXPECT_TRUE(overlaps_band) << group.x;
  }
}

TEST(PlotDockLayout, TakesItsHeightFromView) {
  const Layout closed = make_layout(1280, 720, 1, 1, true);
  EXPECT_FALSE(closed.has_dock());
  const Layout open = make_layout(1280, 720, 1, 1, true, 300);
  EXPECT_EQ(open.dock.height, 300);
  EXPECT_EQ(open.view_rect.height, closed.view_rect.height - 300);
  EXPECT_EQ(open.dock.y, open.view_rect.height);
  EXPECT_EQ(open.dock.y + open.dock.height, open.transport.y);
  EXPECT_EQ(open.dock.width, open.view_rect.width);
  EXPECT_EQ(open.viewport().height, static_cast<int>(open.view_rect.height));
  EXPECT_EQ(open.viewport().y, 720 - static_cast<int>(open.view_rect.height));
  EXPECT_EQ(open.column.height, closed.column.height);
  // The middle of the view is the middle of the domain, also above the dock.
  const PointerFrame frame = open.pointer_frame();
  const Camera::Point middle =
      pointer_to_domain(open.view_rect.width / 2 - 0.5, open.view_rect.height / 2 - 0.5, frame, Camera(), 1, 1);
  // Within half a pixel: the pointer means the centre of a pixel, and the middle is between two.
  EXPECT_NEAR(middle.x, 0.5, 0.5 / open.view_rect.height);
  EXPECT_NEAR(middle.y, 0.5, 0.5 / open.view_rect.height);
  EXPECT_FALSE(is_inside(picture_point(100, open.dock.y + 5, frame), frame.viewport));
}

// A domain of 3:2 in a view of 3:1 above an open dock: exported without the bars beside it.
TEST(DomainViewport, IsTheDomainWithItsWalls) {
  const Viewport view{10, 300, 942, 314};
  const Viewport part = domain_viewport(view, Camera(), 768, 512);
  EXPECT_EQ(part.height, view.height);
  EXPECT_EQ(part.y, view.y);
  EXPECT_EQ(part.width, 471 + 2 * 2 + 1) << "half a pixel at each side counts as one";
  EXPECT_EQ(part.x, view.x + 235 - 2);
  Camera camera;
  camera.zoom = 8;
  EXPECT_EQ(domain_viewport(view, camera, 768, 512), view) << "a part of the domain fills the view";
  camera.center_x = 3;
  EXPECT_EQ(domain_viewport(view, camera, 768, 512).width, 0);
}

TEST(PlotDockLayout, LeavesViewItsSmallestHeight) {
  const Layout most = make_layout(1280, 720, 1, 1, true, 5000);
  EXPECT_EQ(most.view_rect.height, 120);
  EXPECT_EQ(make_layout(1280, 720, 1, 1, true, 1).dock.height, 140) << "its own smallest height";
  EXPECT_FALSE(make_layout(900, 300, 1, 1, true, 300).has_dock()) << "no space for both";
  EXPECT_FALSE(make_layout(1280, 720, 1, 1, false, 300).has_dock()) << "without panels";
  const Layout doubled = make_layout(2560, 1440, 2, 2, true, 300);
  EXPECT_EQ(doubled.dock.height, 300) << "screen coordinates of two pixels";
  const Layout drawer = make_layout(700, 720, 1, 1, true, 300);
  EXPECT_TRUE(drawer.is_drawer);
  EXPECT_EQ(drawer.dock.width, drawer.view_rect.width);
}

}  // namespace
}  // namespace perturb

#include <cmath>

#include <gtest/gtest.h>

#include "cuda/wave/model/source.h"

namespace perturb::wave {
namespace {

const Grid closed{100, 50, 1, false, false}, torus{100, 50, 1, true, true};

TEST(WaveSource, TurnsRoundAtASide) {
  Source s;
  s.x0 = s.x1 = 0.8;
  s.y0 = s.y1 = 0.5;
  s.velocity_x = 10;
  EXPECT_DOUBLE_EQ(source_place(s, closed, 1).x0, 0.9);
  EXPECT_NEAR(source_place(s, closed, 3).x0, 0.9, 1e-12);
  EXPECT_NEAR(source_place(s, closed, 12).x0, 0, 1e-12);
  EXPECT_NEAR(source_place(s, closed, 20).x0, 0.8, 1e-12);
  EXPECT_DOUBLE_EQ(source_place(s, closed, 20).y0, 0.5);
}

TEST(WaveSource, PassesThroughAPeriodicSide) {
  Source s;
  s.x0 = s.x1 = 0.8;
  s.y0 = s.y1 = 0.5;
  s.velocity_x = 10;
  s.velocity_y = -5;
  EXPECT_NEAR(source_place(s, torus, 3).x0, 0.1, 1e-12);
  EXPECT_NEAR(source_place(s, torus, 6).y0, 0.9, 1e-12);
}

TEST(WaveSource, SwellsInItsFirstPeriod) {
  Source s;
  s.frequency = 0.1;
  s.amplitude = 2;
  s.start = s.begun = 5;
  EXPECT_EQ(source_height(s, 5), 0);
  EXPECT_NEAR(source_height(s, 7.5), 2 * 0.25 * std::sin(2 * M_PI * 0.75), 1e-12);
  EXPECT_NEAR(source_height(s, 32.5), 2 * std::sin(2 * M_PI * 3.25), 1e-12);
}

TEST(WaveSource, HoldsAtLeastACell) {
  Source s;
  for (const double x : {0.5, 0.503, 0.507, 0.51}) {
    s.x0 = s.x1 = x;
    s.y0 = s.y1 = 0.5;
    s.radius = 0.01;
    const HardSource<float> hard_source = hard_source_of<float>(s, closed, 0);
    EXPECT_TRUE(in_hard_source(hard_source, static_cast<int>(x * 100), 25)) << x;
  }
}

TEST(WaveSource, SurvivesItsTable) {
  Source s{0.1, 0.2, 0.3, 0.4, 5, 6, 7, 8, 9, 10, 11, 12, 10, true, 3};
  const std::vector<Source> sources{s, {}};
  EXPECT_EQ(sources_to_table(sources).size(), 2u * source_columns);
  EXPECT_EQ(sources_from_table(sources_to_table(sources)), sources);
}

}  // namespace
}  // namespace perturb::wave

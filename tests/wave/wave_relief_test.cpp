// Tests of the rendering of the surface in 3-D.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "cuda/core/backend/field.h"
#include "cuda/core/paint/colormap.h"
#include "cuda/core/paint/orbit.h"
#include "cuda/wave/view/relief.h"
#include "tests/support/backends.h"
#include "tests/support/sanitized.h"
#include "tests/wave/wave_tank.h"

namespace perturb::wave {
namespace {

constexpr int picture_width = 300, picture_height = 240;

class WaveReliefTest : public OnEachBackend {
 protected:
  static Camera eye_at(double yaw, double pitch, double zoom = 1) {
    Camera camera;
    camera.yaw = yaw * radians_per_degree;
    camera.pitch = pitch * radians_per_degree;
    camera.zoom = zoom;
    return camera;
  }
  // Paints in greys from black (the lowest) to white. Pixels that are not written keep the colour `never`.
  static constexpr std::uint32_t never = 0xff030201u;
  std::vector<std::uint32_t> paint(Simulation& tank, const Camera& camera, double range = 1,
                                   int width = picture_width) {
    Colormap greys;
    greys.id = "greys";
    for (std::uint32_t k = 0; k < 200; ++k) greys.colors.push_back(rgba(k, k, k));
    const ColorTable table(backend(), greys);
    ViewSettings view;
    view.quantity = "surface";
    view.minimum = -range;
    view.maximum = range;
    Field<std::uint32_t> picture(backend(), width, picture_height, "picture");
    picture.upload(std::vector<std::uint32_t>(static_cast<std::size_t>(width) * picture_height, never));
    tank.paint(picture.view(), camera, view, table);
    return picture.download();
  }
  // The pixel that shows a position (fractions) at a height (cells).
  static std::size_t pixel_of(const Simulation& tank, const Camera& camera, double x, double y, double z = 0) {
    const double width = tank.domain_width(), height = tank.domain_height();
    const Camera::Point at = GroundView(camera, width, height).to_picture({x, y}, z),
                        pixel = camera.to_pixel(at.x, at.y, picture_width, picture_height, width, height);
    return static_cast<std::size_t>(pixel.y) * picture_width + static_cast<std::size_t>(pixel.x);
  }
  static unsigned grey(std::uint32_t pixel) { return (pixel >> 8) & 255u; }
};
PERTURB_ON_EACH_BACKEND(WaveReliefTest);

const std::uint32_t around = rgba(22, 24, 28), wall_side = rgba(72, 76, 84), wall_top = rgba(122, 127, 136);

// The scene of a first start, in the shape of the view beside the panels: not an empty picture, and no button to press.
TEST_P(WaveReliefTest, OpeningSceneCoversTheViewAndMovesByItself) {
  SKIP_UNDER_SANITIZERS("smaller tests run the same kernels");
  const auto scene = load_scene("wave/surface");
  const auto tank = wave_simulation().create(backend(), scene.setup);
  constexpr int width = 354;
  tank->step(600);
  const auto before = paint(*tank, scene.camera, scene.view.maximum, width);
  tank->step(16);
  const auto after = paint(*tank, scene.camera, scene.view.maximum, width);
  std::size_t outside = 0, changed = 0;
  for (std::size_t k = 0; k < after.size(); ++k) {
    outside += after[k] == around ? 1 : 0;
    changed += after[k] != before[k] ? 1 : 0;
  }
  const auto all = static_cast<double>(after.size());
  // A square that is seen from a corner covers half of a view.
  EXPECT_LT(static_cast<double>(outside) / all, 0.55);
  EXPECT_GT(static_cast<double>(changed) / all, 0.2);
}

TEST_P(WaveReliefTest, PaintsGroundAtItsPixel) {
  const auto tank = wave_tank(backend(), 120, 80);
  for (const double yaw : {0., 25., -100., 171.})
    for (const double pitch : {15., 40., 90.}) {
      const Camera eye = eye_at(yaw, pitch, 0.6);
      const auto picture = paint(*tank, eye);
      for (const double x : {0.02, 0.5, 0.98})
        for (const double y : {0.02, 0.5, 0.98})
          EXPECT_EQ(grey(picture[pixel_of(*tank, eye, x, y)]), 100u) << yaw << " " << pitch << " " << x << " " << y;
      // Nothing is drawn beyond the far side.
      const double c = std::cos(yaw * radians_per_degree), s = std::sin(yaw * radians_per_degree);
      const double far_x = s > 0 ? -0.02 : 1.02, far_y = c > 0 ? 1.02 : -0.02;
      EXPECT_EQ(picture[pixel_of(*tank, eye, far_x, far_y)], around) << yaw << " " << pitch;
    }
}

// Narrow images are drawn in chunks of columns, as all images are on a GPU. They are the middle of a wide image, except
// for rounding.
TEST_P(WaveReliefTest, NarrowImageIsMiddleOfWideOne) {
  const auto tank = wave_tank(backend(), 120, 80);
  tank->apply(act("droplet", {{"x", 0.4}, {"y", 0.6}, {"radius", 9}, {"amplitude", 2}}));
  tank->apply(act("wall-line", {{"x0", 0.4}, {"y0", 0.2}, {"x1", 0.8}, {"y1", 0.3}, {"thickness", 5}}));
  constexpr int narrow = 40;
  for (const double zoom : {0.5, 1., 4.})
    for (double yaw = -170; yaw < 180; yaw += 35)
      for (const double pitch : {12., 40., 85.}) {
        const auto broad = paint(*tank, eye_at(yaw, pitch, zoom));
        // The same number of cells per pixel: 120/300 in one image, 120/40 in the other at the same zoom.
        const auto middle = paint(*tank, eye_at(yaw, pitch, zoom * picture_width / narrow), 1, narrow);
        int others = 0;
        for (int j = 0; j < picture_height; ++j)
          for (int i = 0; i < narrow; ++i) {
            const auto at = static_cast<std::size_t>(j) * picture_width + (picture_width - narrow) / 2 +
                            static_cast<std::size_t>(i);
            const int a = static_cast<int>(grey(broad[at])),
                      b = static_cast<int>(
                          grey(middle[static_cast<std::size_t>(j) * narrow + static_cast<std::size_t>(i)]));
            others += std::abs(a - b) > 2 ? 1 : 0;
          }
        EXPECT_LT(others, narrow * picture_height / 200) << zoom << " " << yaw << " " << pitch;
      }
}

TEST_P(WaveReliefTest, EveryPixelIsWrittenAtAnyZoomAndAngle) {
  const auto tank = wave_tank(backend(), 90, 130);
  tank->apply(act("droplet", {{"x", 0.4}, {"y", 0.6}, {"radius", 9}, {"amplitude", -1}}));
  tank->apply(act("wall-line", {{"x0", 0.2}, {"y0", 0.1}, {"x1", 0.8}, {"y1", 0.3}, {"thickness", 5}}));
  for (const double zoom : {0.3, 1., 7., 300.})
    for (double yaw = -180; yaw < 180; yaw += 45)
      for (const double pitch : {-90., 0., 8., 33., 90.})
        for (const std::uint32_t pixel : paint(*tank, eye_at(yaw, pitch, zoom)))
          ASSERT_NE(pixel, never) << zoom << " " << yaw << " " << pitch;
}

TEST_P(WaveReliefTest, WallRisesAndHidesWaterBehindIt) {
  const auto tank = wave_tank(backend(), 200, 200);
  tank->apply(act("wall-rectangle", {{"x0", 0.3}, {"y0", 0.5}, {"x1", 0.7}, {"y1", 0.55}}));
  const Camera eye = eye_at(0, 25);
  const auto picture = paint(*tank, eye);
  const double top = 1.5 * 0.035 * 200;  // its height in cells
  EXPECT_EQ(picture[pixel_of(*tank, eye, 0.5, 0.525, top)], wall_top);
  EXPECT_EQ(picture[pixel_of(*tank, eye, 0.5, 0.5, 0.5 * top)], wall_side);
  EXPECT_EQ(grey(picture[pixel_of(*tank, eye, 0.5, 0.45)]), 100u) << "water before it";
  EXPECT_EQ(picture[pixel_of(*tank, eye, 0.5, 0.58)], wall_side) << "water behind it is hidden";
  EXPECT_EQ(picture[pixel_of(*tank, eye, 0.5, 0.63)], wall_top) << "and farther on, behind its top";
  EXPECT_EQ(grey(picture[pixel_of(*tank, eye, 0.5, 0.75)]), 100u) << "and seen farther on";
  EXPECT_EQ(grey(picture[pixel_of(*tank, eye, 0.85, 0.58)]), 100u) << "and next to it";
}

// A hill appears at the pixel of its position and height, in the colour of its height, and lit from one side.
TEST_P(WaveReliefTest, AHillRisesFromTheGround) {
  const auto tank = wave_tank(backend(), 200, 200);
  tank->apply(act("droplet", {{"x", 0.5}, {"y", 0.5}, {"radius", 12}, {"amplitude", -0.9}}));
  const Camera eye = eye_at(0, 30);
  const auto picture = paint(*tank, eye);
  const std::size_t top = pixel_of(*tank, eye, 0.5, 0.5, 0.9 * 0.035 * 200);
  std::size_t brightest = 0;
  for (std::size_t k = 0; k < picture.size(); ++k)
    if (grey(picture[k]) > grey(picture[brightest])) brightest = k;
  const auto column = [](std::size_t k) { return static_cast<int>(k % picture_width); };
  const auto line = [](std::size_t k) { return static_cast<int>(k / picture_width); };
  EXPECT_NEAR(column(brightest), column(top), 8);
  EXPECT_NEAR(line(brightest), line(top), 8);
  EXPECT_GT(grey(picture[top]), 150u);
  // The sun is at the left and behind: the right slope of the hill is darker than the left one.
  EXPECT_GT(grey(picture[pixel_of(*tank, eye, 0.46, 0.5, 3)]), grey(picture[pixel_of(*tank, eye, 0.54, 0.5, 3)]));
}

// The waves of a narrow tank rise as those of one half as wide as long: otherwise a string would look flat.
TEST_P(WaveReliefTest, StringRisesByItsLength) {
  const auto string = wave_tank(backend(), 320, 10);
  string->apply(act("droplet", {{"x", 0.5}, {"y", 0.5}, {"radius", 20}, {"amplitude", -0.9}}));
  const Camera eye = eye_at(0, 30);
  const auto picture = paint(*string, eye);
  const std::size_t crest = pixel_of(*string, eye, 0.5, 0.5, 0.8 * 0.9 * 0.035 * 160);
  EXPECT_NE(picture[crest], around);
  EXPECT_EQ(picture[pixel_of(*string, eye, 0.5, 0.5, 2.5 * 0.9 * 0.035 * 160)], around) << "above the crest";
  EXPECT_EQ(picture[pixel_of(*string, eye, 0.05, 0.5, 0.8 * 0.9 * 0.035 * 160)], around) << "beside it";
}

// CPU threads process the samples of a column in vectors: bit-identical to one sample after the other.
template <class Real>
void expect_columns_of_the_plain_way(unsigned seed) {
  std::mt19937 random(seed);
  const auto between = [&](float low, float high) { return std::uniform_real_distribution<float>(low, high)(random); };
  const auto backend = Backend::make_cpu(2);
  const int width = 5 + static_cast<int>(random() % 200), height = 5 + static_cast<int>(random() % 120);
  Field<Real> u(*backend, width, height, "u"), medium(*backend, width, height, "medium");
  std::vector<Real> heights, factors;
  const float wave = between(0.05f, 1.f), bend = between(0.02f, 0.5f);
  for (int j = 0; j < height; ++j)
    for (int i = 0; i < width; ++i) {
      heights.push_back(
          static_cast<Real>(wave * std::sin(bend * static_cast<float>(i + j * i % 7)) + between(0, 0.1f)));
      const bool wall = (i / 9 + j / 5) % 6 == 0;
      factors.push_back(static_cast<Real>(wall ? -0.7f : 0.4f + 0.01f * static_cast<float>(i % 90)));
    }
  heights[heights.size() / 2] = std::numeric_limits<Real>::quiet_NaN();
  u.upload(heights);
  medium.upload(factors);
  Colormap greys;
  greys.id = "greys";
  for (std::uint32_t k = 0; k < 200; ++k) greys.colors.push_back(rgba(k, 255 - k, k));
  const ColorTable table(*backend, greys);

  Relief<Real> relief{};
  const int columns = 64 + static_cast<int>(random() % 60), rows = 30 + static_cast<int>(random() % 150);
  const float turn = between(-3.1f, 3.1f), pitch = between(0.15f, 1.57f), pixel = between(0.1f, 3.f);
  const float right_x = std::cos(turn), right_y = std::sin(turn), sine = std::sin(pitch), cosine = std::cos(pitch);
  relief.u = std::as_const(u).view();
  if (seed % 3 != 0) relief.medium = std::as_const(medium).view();
  relief.scale = table.scale(-1, 1);
  const float left = -0.5f * pixel * static_cast<float>(columns);
  relief.line = {0.5f * static_cast<float>(width) + left * right_x, 0.5f * static_cast<float>(height) + left * right_y};
  relief.beside = {pixel * right_x, pixel * right_y};
  relief.ahead = {-right_y, right_x};
  relief.row = 0.5f * static_cast<float>(rows) - sine * 0.5f * static_cast<float>(height) / pixel;
  relief.row_along = sine / pixel;
  relief.row_up = cosine / pixel;
  relief.stride = std::clamp(pixel / sine, 0.25f, std::max(1.25f, pixel));
  relief.pixel = pixel;
  relief.rise = 4;
  relief.highest = 12;
  relief.wall_top = 5;
  relief.bottom = -4;
  relief.light_rise = 2;
  relief.sun_x = -0.502f;
  relief.sun_y = 0.602f;
  relief.sun_z = 0.621f;
  relief.per_sun_z = 0.55f / relief.sun_z;
  relief.half_x = 0.1f;
  relief.half_y = -0.3f;
  relief.half_z = 0.95f;
  relief.still_glint = Relief<Real>::glint_of(relief.half_z);
  relief.mark_count = static_cast<int>(seed % 2);
  relief.marks[0] = {0.3f * static_cast<float>(width), 10.f, 0.5f * static_cast<float>(width), 12.f, 4.f};

  Field<std::uint32_t> plain(*backend, columns, rows, "picture"), side_by_side(*backend, columns, rows, "picture");
  relief.pixels = plain.view();
  for (int px = 0; px < columns; ++px) relief(px);
  relief.pixels = side_by_side.view();
  relief_columns(*backend, relief);
  EXPECT_EQ(plain.download(), side_by_side.download()) << "seed " << seed << ", " << width << " x " << height;
}

TEST(WaveReliefColumns, AreBitIdenticalToSequentialSamples) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    expect_columns_of_the_plain_way<float>(seed);
    expect_columns_of_the_plain_way<double>(seed);
  }
}

TEST_P(WaveReliefTest, PaintsUnstableRun) {
  const auto tank = wave_tank(backend(), 64, 64);
  State state = tank->save();
  std::vector<float> u = state.get<float>("u", {64, 64});
  u[20 * 64 + 30] = std::numeric_limits<float>::quiet_NaN();
  u[40 * 64 + 30] = 1e30f;
  state.put<float>("u", {64, 64}, "height", u);
  const auto broken = wave_tank(backend(), 64, 64);
  try {
    broken->load(state);
  } catch (const InputError&) {
    return;  // such a state is rejected: nothing to paint
  }
  for (const std::uint32_t pixel : paint(*broken, eye_at(30, 35))) ASSERT_NE(pixel, never);
}

}  // namespace
}  // namespace perturb::wave

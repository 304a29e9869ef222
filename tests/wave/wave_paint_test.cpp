// Tests of the rendering of the tank.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/core/backend/field.h"
#include "cuda/core/paint/colormap.h"
#include "tests/support/backends.h"
#include "tests/support/reach.h"
#include "tests/wave/wave_tank.h"

namespace perturb::wave {
namespace {

const std::uint32_t outside = rgba(22, 24, 28), wall = rgba(92, 96, 104);

class WavePicture : public OnEachBackend {
 protected:
  // 101 greys from black (minimum) to near white.
  Colormap greys(const std::string& id = "greys") {
    Colormap map;
    map.id = id;
    for (std::uint32_t k = 0; k <= 100; ++k) map.colors.push_back(rgba(2 * k, 2 * k, 2 * k));
    return map;
  }
  std::vector<std::uint32_t> paint(Simulation& tank, int width, int height, ViewSettings view,
                                   const Camera& camera = {}, const std::string& colormap = "greys") {
    const ColorTable table(backend(), greys(colormap));
    if (view.minimum == view.maximum) {
      view.minimum = -1;
      view.maximum = 1;
    }
    Field<std::uint32_t> picture(backend(), width, height, "picture");
    tank.paint(picture.view(), camera, view, table);
    return picture.download();
  }
};
PERTURB_ON_EACH_BACKEND(WavePicture);

TEST_P(WavePicture, APixelOfACellShowsItsHeight) {
  const auto tank = wave_tank(backend(), 40, 30);
  tank->apply(act("droplet", {{"x", 0.5}, {"y", 0.5}, {"amplitude", 0.6}}));
  const SavedSurface u(*tank);
  for (const bool smooth : {false, true}) {
    ViewSettings view;
    view.smooth = smooth;
    const auto picture = paint(*tank, 40, 30, view);
    for (int j = 0; j < 30; ++j)
      for (int i = 0; i < 40; ++i) {
        const double index = (u.at(i, j) + 1) * 50.5;
        // A value on the border between two colours may get either of them.
        ASSERT_NEAR(picture[static_cast<std::size_t>(j) * 40 + i] & 255u, 2 * std::floor(index), 2.01) << i << " " << j;
      }
  }
}

TEST_P(WavePicture, NearestShowsCellsAndSmoothBlendsThem) {
  const auto tank = wave_tank(backend(), 8, 8);
  tank->apply(act("droplet", {{"x", 0.5}, {"y", 0.5}, {"radius", 1}, {"amplitude", -1}}));
  ViewSettings view;
  view.smooth = false;
  const auto shades = [&] {
    std::set<std::uint32_t> colors;
    for (const std::uint32_t pixel : paint(*tank, 160, 160, view)) colors.insert(pixel);
    return colors.size();
  };
  const std::size_t cells = shades();
  view.smooth = true;
  EXPECT_GT(shades(), 2 * cells);
}

TEST_P(WavePicture, OutsideIsDarkAndWallsAreGrey) {
  const auto tank = wave_tank(backend(), 100, 100);
  tank->apply(act("wall-rectangle", {{"x0", 0.4}, {"y0", 0.4}, {"x1", 0.6}, {"y1", 0.6}}));
  for (const char* quantity : {"height", "velocity", "water", "speed"}) {
    ViewSettings view;
    view.quantity = quantity;
    const auto picture = paint(*tank, 200, 100, view);
    EXPECT_EQ(picture[50 * 200 + 10], outside) << quantity;
    EXPECT_EQ(picture[50 * 200 + 100], wall) << quantity;
    EXPECT_NE(picture[50 * 200 + 60], wall) << quantity;
    EXPECT_NE(picture[50 * 200 + 60], outside) << quantity;
  }
}

TEST_P(WavePicture, ThinWallsDoNotVanishFromASmallPicture) {
  const auto tank = wave_tank(backend(), 800, 800);
  tank->apply(act("wall-line", {{"x0", 0.5}, {"y0", 0}, {"x1", 0.5}, {"y1", 1}, {"thickness", 4}}));
  const auto picture = paint(*tank, 100, 100, {});
  int differing = 0;
  for (int i = 0; i < 100; ++i) differing += picture[50 * 100 + i] != picture[50 * 100 + 5] ? 1 : 0;
  EXPECT_GE(differing, 1);
  EXPECT_LE(differing, 3);
}

TEST_P(WavePicture, ZoomShowsTheSamePlaceLarger) {
  const auto tank = wave_tank(backend(), 200, 200);
  tank->apply(act("droplet", {{"x", 0.7}, {"y", 0.3}, {"amplitude", 1}}));
  Camera camera;
  camera.center_x = 0.7;
  camera.center_y = 0.3;
  camera.zoom = 10;
  const auto picture = paint(*tank, 100, 100, {}, camera);
  std::size_t darkest = 0;
  for (std::size_t k = 0; k < picture.size(); ++k)
    if ((picture[k] & 255u) < (picture[darkest] & 255u)) darkest = k;
  // The middle of cell (140, 60), which contains the point: half a cell, at 5 pixels per cell.
  EXPECT_NEAR(static_cast<double>(darkest % 100), 52, 3);
  EXPECT_NEAR(static_cast<double>(darkest / 100), 52, 3);
}

TEST_P(WavePicture, WaterIsLitFromTheUpperLeft) {
  const auto tank = wave_tank(backend(), 100, 100);
  tank->apply(act("droplet", {{"x", 0.5}, {"y", 0.5}, {"radius", 10}, {"amplitude", -1}}));  // a hill
  ViewSettings view;
  view.quantity = "water";
  view.minimum = -0.1;
  view.maximum = 0.1;
  for (const char* colormap : {"greys", "grey"}) {  // any colour table, and the water's own colours
    const auto picture = paint(*tank, 100, 100, view, {}, colormap);
    const auto green = [&](int i, int j) { return (picture[static_cast<std::size_t>(j) * 100 + i] >> 8) & 255u; };
    EXPECT_GT(green(45, 55), green(10, 10)) << colormap;
    EXPECT_LT(green(55, 45), green(10, 10)) << colormap;
  }
}

TEST_P(WavePicture, ValueUnderThePointer) {
  const auto tank = wave_tank(backend(), 100, 100);
  tank->apply(act("droplet", {{"x", 0.5}, {"y", 0.5}, {"amplitude", 0.5}}));
  tank->apply(act("wall-rectangle", {{"x0", 0.8}, {"y0", 0.8}, {"x1", 1}, {"y1", 1}}));
  tank->apply(act("speed-rectangle", {{"x0", 0}, {"y0", 0}, {"x1", 0.2}, {"y1", 0.2}, {"factor", 0.5}}));
  ViewSettings view;
  EXPECT_EQ(tank->value_at(0.505, 0.505, view).english(), "-0.5 height");
  EXPECT_EQ(tank->value_at(0.9, 0.9, view), "wall");
  EXPECT_EQ(tank->value_at(1.2, 0.5, view), "");
  view.quantity = "speed";
  EXPECT_EQ(tank->value_at(0.1, 0.1, view).english(), "0.5 c");
  view.quantity = "velocity";
  EXPECT_EQ(tank->value_at(0.505, 0.505, view).english(), "-10 height/time");
}

// With a few samples of its cells, a pixel would show waves of other lengths.
TEST_P(WavePicture, FineWavesInALargeTankLeaveNoPattern) {
  const int cells = reach(4096, 1024), across = cells * 90 / 1024, up = across * 9 / 16;
  constexpr double length = 3, amplitude = 1;
  const auto tank = wave_tank(backend(), cells, cells);
  State state = tank->save();
  std::vector<float> u;
  for (int j = 0; j < cells; ++j)
    for (int i = 0; i < cells; ++i)
      u.push_back(static_cast<float>(amplitude * std::cos(2 * std::numbers::pi * (i + 0.3 * j) / length)));
  const std::vector<std::size_t> shape(2, static_cast<std::size_t>(cells));
  state.put<float>("u", shape, "", u);
  state.put<float>("u_previous", shape, "", u);
  tank->load(state);
  // The mean of a cosine over a pixel is at most its amplitude times the wavelength over pi times the pixel's width.
  const double pixel = static_cast<double>(cells) / up;
  const double most = amplitude * length / (std::numbers::pi * pixel) * length / (std::numbers::pi * pixel * 0.3);
  for (const char* quantity : {"height", "velocity", "intensity", "surface"}) {
    SCOPED_TRACE(quantity);
    ViewSettings view;
    view.quantity = quantity;
    view.theory = false;
    Camera camera;
    camera.pitch = 1.4;
    const auto picture = paint(*tank, across, up, view, camera);
    const bool in_space = view.quantity == "surface";
    double darkest = 255, brightest = 0;
    for (const std::uint32_t pixel_color : picture)
      if (pixel_color != outside && !(in_space && (pixel_color & 255u) != ((pixel_color >> 16) & 255u))) {
        darkest = std::min(darkest, double(pixel_color & 255u));
        brightest = std::max(brightest, double(pixel_color & 255u));
      }
    ASSERT_LE(darkest, brightest);
    EXPECT_LT(brightest - darkest, 2 * most * 101 + (in_space ? 60 : 4));
  }
}

}  // namespace
}  // namespace perturb::wave

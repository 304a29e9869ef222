// The CPU colours runs of pixels, the GPU single pixels: the results are identical.
#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/wave/view/paint.h"

namespace perturb::wave {
namespace {

constexpr int cells = 90, across = 301, up = 211;

struct PaintedTank {
  std::vector<float> u, before, medium, mean;
  std::vector<std::uint32_t> colors, picture = std::vector<std::uint32_t>(across * up);

  PaintedTank() {
    for (int j = 0; j < cells; ++j)
      for (int i = 0; i < cells; ++i) {
        const float x = static_cast<float>(i), y = static_cast<float>(j);
        u.push_back(0.4f * std::sin(0.3f * x + 0.1f * y));
        before.push_back(0.4f * std::sin(0.29f * x));
        mean.push_back(u.back() * u.back());
        // Deep water, a beach, a wall across it.
        const float factor = i < 40 ? 1.f : 0.6f;
        medium.push_back(i / 3 == 20 && j > 30 ? -factor : factor);
      }
    u[cells * 20 + 12] = NAN;
    for (unsigned k = 0; k < 256; ++k) colors.push_back(rgba(k, 255 - k, k / 2));
  }

  View2D<const float> view(const std::vector<float>& field) const { return {field.data(), cells, cells, cells}; }

  Paint<float> paint(Shown shown, float zoom, bool with_medium) {
    Camera camera;
    camera.center_x = 0.45f;
    camera.center_y = 0.4f;
    camera.zoom = zoom;
    Paint<float> p{};
    p.pixels = {picture.data(), across, up};
    p.sampler = PixelSampler(camera.pixel_to_domain(across, up, cells, cells), cells, cells, true);
    p.u = view(u);
    p.u_previous = view(before);
    p.mean = view(mean);
    if (with_medium) p.medium = view(medium);
    p.scale = {{colors.data(), colors.size()}, -0.5f, 256.f};
    p.shown = shown;
    p.own_colors = true;
    p.medium_is_even = !with_medium;
    p.per_step = 2.f;
    p.per_cell = 1.f;
    p.steepest = 0.2f;
    p.mark_count = 2;
    p.marks[0] = {20.f, 30.f, 20.f, 30.f, 2.f};
    p.marks[1] = {70.f, 0.f, 70.f, 90.f, 0.5f};
    return p;
  }
};

TEST(WavePaint, ARunOfPixelsHasTheColoursOfSingleOnes) {
  PaintedTank tank;
  for (const Shown shown : {Shown::height, Shown::velocity, Shown::water, Shown::speed, Shown::intensity})
    for (const float zoom : {0.2f, 0.8f, 1.f, 7.f})
      for (const bool with_medium : {false, true}) {
        Paint<float> paint = tank.paint(shown, zoom, with_medium);
        for (const bool own : {true, false}) {
          paint.own_colors = own;
          for (int j = 0; j < up; ++j) paint.row(0, across, j);
          const std::vector<std::uint32_t> runs = tank.picture;
          for (int j = 0; j < up; ++j)
            for (int i = 0; i < across; ++i) paint(i, j);
          int differ = 0;
          for (std::size_t k = 0; k < runs.size(); ++k) differ += runs[k] != tank.picture[k];
          EXPECT_EQ(differ, 0) << "shown " << static_cast<int>(shown) << ", zoom " << zoom
                               << (with_medium ? ", with walls" : "") << (own ? ", own colours" : "");
        }
      }
}

}  // namespace
}  // namespace perturb::wave

// Results of the CPU by rows with cells that share values (images, sums, the advection of dye), compared with the same
// computed one by one.
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/core/backend/field.h"
#include "cuda/core/paint/colormap.h"
#include "cuda/lbm/measure/sums.h"
#include "cuda/lbm/model/dye.h"
#include "cuda/lbm/model/lattice.h"
#include "cuda/lbm/view/paint.h"

namespace perturb::lbm {
namespace {

constexpr int width = 37, height = 23;

class LbmRows : public testing::Test {
 protected:
  LbmRows() {
    std::vector<std::uint8_t> boundary_links(width * height, 0);
    for (std::size_t k = 0; k < boundary_links.size(); ++k)
      if (random_() % 9 == 0) boundary_links[k] = all_links;
    boundary_links_.upload(boundary_links);
    std::vector<float> dye(width * height);
    for (float& value : dye) value = any();
    dye_.upload(dye);
  }

  float any() { return std::uniform_real_distribution<float>(-0.03f, 0.03f)(random_); }

  template <class T>
  Planes<T> planes() {
    Planes<T> made(*backend_, width, height, "populations");
    std::vector<T> values(lbm_links * width * height);
    for (T& value : values) lbm_write(value, any());
    made.upload(values);
    return made;
  }

  template <class T>
  void compare(const Paint<T>& body, const std::string& what) {
    std::vector<std::uint32_t> one(static_cast<std::size_t>(body.pixels.width * body.pixels.height), 1);
    std::vector<std::uint32_t> rows(one.size(), 2);
    Paint<T> to_one = body, to_rows = body;
    to_one.pixels.data = one.data();
    to_rows.pixels.data = rows.data();
    for (int py = 0; py < body.pixels.height; ++py)
      for (int px = 0; px < body.pixels.width; ++px) to_one(px, py);
    // In blocks, as for threads.
    const int middle = body.pixels.height / 3;
    to_rows.rows(0, middle, body.pixels.width);
    to_rows.rows(middle, body.pixels.height, body.pixels.width);
    EXPECT_EQ(one, rows) << what;
  }

  template <class T>
  void compare_all() {
    const Planes<T> planes = this->planes<T>();
    const Colormap& map = find_colormap("viridis");
    const ColorTable table(*backend_, map);
    for (const bool walls : {false, true})
      for (const bool wraps : {false, true})
        for (const bool smooth : {false, true})
          for (const double zoom : {0.25, 0.9, 1., 3., 40.})
            for (const Shown shown :
                 {Shown::speed, Shown::vorticity, Shown::density, Shown::dye, Shown::velocity_x, Shown::velocity_y}) {
              Paint<T> body{};
              Camera camera;
              camera.zoom = zoom;
              camera.center_x = 0.3;
              body.pixels = Pixels{nullptr, picture_width_, picture_height_, picture_width_};
              body.sampler = PixelSampler(camera.pixel_to_domain(picture_width_, picture_height_, width, height), width,
                                          height, smooth);
              body.cell.velocity = {planes.populations(), walls ? Walls{boundary_links_.view()} : Walls{}, 1e-3f,
                                    2e-3f};
              body.cell.dye = dye_.view();
              body.cell.shown = shown;
              body.cell.wrap_x = wraps;
              body.cell.wrap_y = wraps;
              body.scale = table.scale(shown == Shown::density ? 0.8 : -0.2, shown == Shown::density ? 1.2 : 0.2);
              body.arrows = walls && smooth;
              body.arrow_speed = 0.05f;
              body.probed = wraps;
              body.probe = {8.f, 9.f};
              compare(body, "walls " + std::to_string(walls) + ", wraps " + std::to_string(wraps) + ", smooth " +
                                std::to_string(smooth) + ", zoom " + std::to_string(zoom) + ", quantity " +
                                std::to_string(static_cast<int>(shown)));
              if (HasFailure()) return;
            }
  }

  // Over the fields, also with one NaN.
  template <class T>
  void compare_sums(const StepParams& params) {
    const Planes<T> planes = this->planes<T>();
    lbm_write(planes.populations().row(3, 5)[7], std::numeric_limits<float>::infinity());
    const Velocity<T> velocity{planes.populations(), Walls{params.links}, 1e-3f, 2e-3f};
    const Sum<T> body{params, velocity, WallCurve{}, 4, 2};
    std::vector<Sums> rows(height);
    const int middle = height / 2;
    body.rows(0, middle, width, rows.data());
    body.rows(middle, height, width, rows.data());
    for (int j = 0; j < height; ++j) {
      Sums cells;
      for (int i = 0; i < width; ++i) body(i, j, cells);
      const Sums& row = rows[static_cast<std::size_t>(j)];
      const auto numbers = [](const Sums& s) {
        return std::vector<double>{s.mass,
                                   s.momentum_x,
                                   s.momentum_y,
                                   s.energy,
                                   s.force_x,
                                   s.force_y,
                                   s.probe_ux,
                                   s.probe_uy,
                                   static_cast<double>(s.fluid),
                                   static_cast<double>(s.fastest2),
                                   static_cast<double>(s.density_low),
                                   static_cast<double>(s.density_high),
                                   static_cast<double>(s.shear2),
                                   static_cast<double>(s.first_bad)};
      };
      const std::vector<double> expected = numbers(cells), got = numbers(row);
      EXPECT_EQ(0, std::memcmp(expected.data(), got.data(), expected.size() * sizeof(double))) << "row " << j;
    }
  }

  // Over a long span fluid comes from more than the neighbouring rows; one cell is no longer finite.
  template <class T>
  void compare_dye() {
    const Planes<T> planes = this->planes<T>();
    lbm_write(planes.populations().row(3, 5)[7], std::numeric_limits<float>::infinity());
    for (const bool walls : {false, true})
      for (const bool wraps : {false, true})
        for (const float span : {6.f, 60.f}) {
          CarryDye<T> cells{};
          cells.velocity = {planes.populations(), walls ? Walls{boundary_links_.view()} : Walls{}, 1e-3f, 2e-3f};
          cells.span = span;
          cells.wrap_x = cells.wrap_y = wraps;
          cells.open_left = cells.open_top = !wraps;
          Field<float> one(*backend_, width, height, "dye"), rows(*backend_, width, height, "dye");
          cells.from = std::as_const(dye_).view();
          cells.to = one.view();
          for (int j = 0; j < height; ++j)
            for (int i = 0; i < width; ++i) cells(i, j);
          cells.to = rows.view();
          const CarryDyeRows<T> body{cells};
          const int middle = height / 3;
          body.rows(0, middle, width);
          body.rows(middle, height, width);
          EXPECT_EQ(one.download(), rows.download()) << "walls " << walls << ", wraps " << wraps << ", span " << span;
        }
  }

  std::mt19937 random_{11};
  std::unique_ptr<Backend> backend_ = make_backend("cpu", 1);
  Field<std::uint8_t> boundary_links_{*backend_, width, height, "walls"};
  Field<float> dye_{*backend_, width, height, "dye"};
  int picture_width_ = 75, picture_height_ = 45;
};

TEST_F(LbmRows, GiveThePixels) { compare_all<float>(); }

TEST_F(LbmRows, GiveThePixelsOfSixteenBits) { compare_all<Half>(); }

// Fewer pixels than cells, so that pixels show averages.
TEST_F(LbmRows, GiveThePixelsOfASmallPicture) {
  picture_width_ = 17;
  picture_height_ = 7;
  compare_all<float>();
}

TEST_F(LbmRows, GiveTheDye) {
  compare_dye<float>();
  compare_dye<Half>();
}

TEST_F(LbmRows, GiveTheSums) {
  StepParams params;
  params.width = width;
  params.height = height;
  params.painted = true;
  params.links = boundary_links_.view();
  for (const bool periodic : {true, false}) {
    if (!periodic) {
      params.left.kind = Boundary::inlet;
      params.left.ux = 0.05f;
      params.left.parabolic = true;
      params.right.kind = Boundary::outlet;
      params.bottom.kind = Boundary::wall;
      params.top.kind = Boundary::moving;
      params.top.ux = 0.1f;
    }
    // The marks of other walls that overlap the current ones.
    std::vector<std::uint8_t> wall(width * height), boundary_links(wall.size());
    for (std::uint8_t& one : wall) one = random_() % 9 == 0 ? 1 : 0;
    const View2D<const std::uint8_t> walls{wall.data(), width, height, width};
    for (int j = 0; j < height; ++j)
      for (int i = 0; i < width; ++i)
        boundary_links[static_cast<std::size_t>(j * width + i)] =
            static_cast<std::uint8_t>(boundary_links_of(params, walls, i, j));
    boundary_links_.upload(boundary_links);
    compare_sums<float>(params);
    compare_sums<Half>(params);
  }
}

}  // namespace
}  // namespace perturb::lbm

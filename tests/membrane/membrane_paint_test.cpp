// Compares the image painted by rows, as on the CPU, with the same image pixel by pixel.
#include <cmath>

#include <gtest/gtest.h>

#include "cuda/core/paint/colormap.h"
#include "cuda/membrane/view/paint.h"
#include "tests/membrane/membrane_cases.h"

namespace perturb::membrane {
namespace {

int max_apart(std::uint32_t a, std::uint32_t b) {
  int most = 0;
  for (int shift = 0; shift < 32; shift += 8)
    most = std::max(most, std::abs(static_cast<int>((a >> shift) & 255) - static_cast<int>((b >> shift) & 255)));
  return most;
}

TEST(MembranePaint, RowsArePaintedAsTheirPixels) {
  constexpr int width = 150, height = 90;
  const auto cpu = Backend::make_cpu(1);
  const ColorTable table(*cpu, find_colormap("viridis"));
  struct Case {
    Cover cover;
    Domain domain;
  };
  const std::vector<Case> cases = {{Cover(3, 2), {}},
                                   {mixed_cover(), {}},
                                   {Cover(3, 2), {DomainShape::l, 0.1}},
                                   {mixed_cover(), {DomainShape::slit, 0.2}}};
  for (const auto& [cover, domain] : cases) {
    const Structure structure(cover, 1.3, domain);
    Space space(*cpu, structure);
    std::vector<double> coefficients(static_cast<std::size_t>(structure.unknowns));
    for (std::size_t k = 0; k < coefficients.size(); ++k) coefficients[k] = uniform_number(k) - 0.5;
    std::vector<CellError> errors(structure.patches.size());
    Field<std::uint32_t> by_rows(*cpu, width, height, "picture"), by_pixels(*cpu, width, height, "picture");
    for (const Shown shown :
         {Shown::displacement, Shown::amplitude, Shown::sand, Shown::load, Shown::over, Shown::degree, Shown::sparsity})
      for (const double zoom : {0.7, 1., 6.3}) {
        Paint paint{};
        Camera camera;
        camera.zoom = zoom;
        camera.center_x = 0.43;
        camera.center_y = 0.61;
        paint.map = camera.pixel_to_domain(width, height, 1, 1);
        paint.field = {space.view(), coefficients.data()};
        paint.errors = errors.data();
        paint.scale = table.scale(-1, 1);
        paint.shown = shown;
        paint.factor = 0.8f;
        paint.largest = 1.f;
        paint.slit = domain.shape == DomainShape::slit;
        for (const int over : {0, 1, 2, 4, 15}) {
          paint.patches = over & 1;
          paint.cells = over & 2;
          paint.nodal_lines = over & 4;
          paint.mark = over & 8;
          paint.pixels = by_rows.view();
          for (int py = 0; py < height; ++py) paint.row(0, width, py);
          paint.pixels = by_pixels.view();
          for (int py = 0; py < height; ++py)
            for (int px = 0; px < width; ++px) paint(px, py);
          const std::vector<std::uint32_t> rows = by_rows.download(), pixels = by_pixels.download();
          int differing = 0;
          for (std::size_t k = 0; k < rows.size(); ++k) differing += max_apart(rows[k], pixels[k]) > 1 ? 1 : 0;
          // A value on the border of two colours may round to either.
          EXPECT_LE(differing, 2) << "shown " << static_cast<int>(shown) << ", zoom " << zoom << ", over it " << over;
        }
      }
  }
}

}  // namespace
}  // namespace perturb::membrane

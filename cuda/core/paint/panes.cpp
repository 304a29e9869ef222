#include "cuda/core/paint/panes.h"

#include "cuda/core/loops/parallel_for.h"

namespace perturb {

namespace {

struct FillPixels {
  Pixels pixels;
  std::uint32_t color;
  PERTURB_HD void operator()(int px, int py) const { pixels(px, py) = color; }
};

struct CopyPixels {
  Pixels to;
  View2D<const std::uint32_t> from;
  PERTURB_HD void operator()(int px, int py) const { to(px, py) = from(px, py); }
};

struct PaintDifference {
  Pixels pixels;
  ComparedImages images;
  ColorScale scale;

  PERTURB_HD bool has_numbers(int px, int py) const {
    return !images.first_numbers.empty() && is_counted(images.first_numbers(px, py)) &&
           is_counted(images.second_numbers(px, py));
  }
  PERTURB_HD void operator()(int px, int py) const {
    const std::uint32_t first = images.first(px, py), second = images.second(px, py);
    if (has_numbers(px, py)) {
      const std::uint32_t x = first & bits24_last, y = second & bits24_last;
      const auto parts = static_cast<float>(x > y ? x - y : y - x);
      constexpr float octaves = 24.f;
      pixels(px, py) = parts > 0.f ? scale((1.f + log2f(parts)) / (1.f + octaves)) : rgba(0, 0, 0);
      return;
    }
    pixels(px, py) = first == second ? mix_colors(first, Color{22.f, 24.f, 28.f}, 0.7f) : rgba(255, 150, 40);
  }
};

}  // namespace

void fill_pixels(Backend& backend, Pixels pixels, std::uint32_t color) {
  if (pixels.width <= 0 || pixels.height <= 0) return;
  parallel_for(backend, "panes.fill", Range2D{pixels.width, pixels.height}, FillPixels{pixels, color});
}

void copy_pixels(Backend& backend, Pixels to, View2D<const std::uint32_t> from) {
  if (to.width <= 0 || to.height <= 0) return;
  parallel_for(backend, "panes.copy", Range2D{to.width, to.height}, CopyPixels{to, from});
}

void paint_difference(Backend& backend, Pixels pixels, const ComparedImages& images, const ColorScale& scale) {
  if (pixels.width <= 0 || pixels.height <= 0) return;
  parallel_for(backend, "panes.difference", Range2D{pixels.width, pixels.height},
               PaintDifference{pixels, images, scale});
}

}  // namespace perturb

#include "cuda/core/image_cells.h"

#include <gtest/gtest.h>

namespace perturb {
namespace {

GreyImage counted_image(int width, int height) {
  GreyImage image{width, height, {}};
  for (int k = 0; k < width * height; ++k) image.values.push_back(static_cast<float>(k * 37 % 64) / 64);
  return image;
}

TEST(ImageCells, OfTheGridsOwnSizeAreThePixels) {
  const GreyImage image = counted_image(7, 5);
  for (int j = 0; j < 5; ++j)
    for (int i = 0; i < 7; ++i) {
      EXPECT_EQ(image_smoothed(image, {7, 5}, i, j), image.values[j * 7 + i]);
      EXPECT_EQ(image_in_pixels(image, {7, 5}, i, j), image.values[j * 7 + i]);
    }
}

// Values are multiples of 1/64, whose sums are exact.
TEST(ImageCells, ThatHoldWholePixelsHaveTheirMean) {
  const GreyImage image = counted_image(12, 6);
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) {
      double sum = 0;
      for (int y = 2 * j; y < 2 * j + 2; ++y)
        for (int x = 4 * i; x < 4 * i + 4; ++x) sum += image.values[y * 12 + x];
      EXPECT_EQ(image_smoothed(image, {3, 3}, i, j), sum / 8);
      EXPECT_EQ(image_in_pixels(image, {3, 3}, i, j), sum / 8);
    }
}

TEST(ImageCells, FinerThanPixelsAreSmoothOrKeepTheirSquares) {
  const GreyImage ramp{2, 1, {0.f, 1.f}};
  const double expected[] = {0, 0, 0.125, 0.375, 0.625, 0.875, 1, 1};
  for (int i = 0; i < 8; ++i) {
    EXPECT_NEAR(image_smoothed(ramp, {8, 3}, i, 1), expected[i], 1e-15) << i;
    EXPECT_EQ(image_in_pixels(ramp, {8, 3}, i, 1), i < 4 ? 0 : 1) << i;
  }
}

}  // namespace
}  // namespace perturb

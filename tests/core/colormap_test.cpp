#include "cuda/core/paint/colormap.h"

#include <limits>

#include <gtest/gtest.h>

#include "tests/support/error_thrown_by.h"

namespace perturb {
namespace {

TEST(Colormaps, ContainDocumentedOnes) {
  for (const char* id : {"viridis", "magma", "turbo", "balance", "grey", "ripple"})
    EXPECT_NO_THROW(find_colormap(id)) << id;
  EXPECT_EQ(find_colormap("ripple").colors.size(), 70u);
  EXPECT_EQ(find_colormap("viridis").colors.size(), 256u);
  EXPECT_EQ(find_colormap("ripple").colors.front(), rgba(0, 0, 143));
}

TEST(Colormaps, UnknownNameSuggestsNearest) {
  const std::string error = error_thrown_by([&] { find_colormap("viridiss"); });
  EXPECT_EQ(error, "There is no colormap \"viridiss\"; did you mean \"viridis\"?");
}

// The lowest of the 24 bits are red: values in the range that differ as floats have different colours.
TEST(ColorScale, Bits24AreTheNumberOfAValueInItsRange) {
  auto backend = Backend::make_cpu(1);
  const ColorTable table(*backend, find_colormap("bits24"));
  const ColorScale scale = table.scale(-1, 1);
  EXPECT_EQ(scale(-2.f), rgba(0, 0, 0));
  EXPECT_EQ(scale(-1.f), rgba(0, 0, 0));
  EXPECT_EQ(scale(0.f), rgba(255, 255, 127)) << "0x7FFFFF";
  EXPECT_EQ(scale(1.f), rgba(255, 255, 255));
  EXPECT_EQ(scale(3.f), rgba(255, 255, 255));
  EXPECT_EQ(scale(-1.f + 0x1p-16f), rgba(127, 0, 0)) << "128 of 2^24 - 1, less a part: 127.99";
  EXPECT_EQ(scale(-1.f + 0x1p-8f), rgba(255, 127, 0));
  EXPECT_EQ(scale(std::numeric_limits<float>::quiet_NaN()), rgba(255, 0, 255));
}

TEST(ColorScale, ClampsEndsAndMarksNan) {
  auto backend = Backend::make_cpu(1);
  const Colormap map{"three", {1, 2, 3}};
  const ColorTable table(*backend, map);
  const ColorScale scale = table.scale(-1, 2);
  EXPECT_EQ(scale(-5.f), 1u);
  EXPECT_EQ(scale(-0.5f), 1u);
  EXPECT_EQ(scale(0.5f), 2u);
  EXPECT_EQ(scale(1.5f), 3u);
  EXPECT_EQ(scale(9.f), 3u);
  EXPECT_EQ(scale(std::numeric_limits<float>::infinity()), 3u);
  EXPECT_EQ(scale(std::numeric_limits<float>::quiet_NaN()), rgba(255, 0, 255));
}

}  // namespace
}  // namespace perturb

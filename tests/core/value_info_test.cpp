#include <cmath>

#include <gtest/gtest.h>

#include "cuda/core/math/random.h"
#include "cuda/core/simulation/parameters.h"
#include "tests/support/error_thrown_by.h"

namespace perturb {
namespace {

ValueInfo damping() { return real_value("damping", "Damping", "1/time", "k", 0.002, 0, 1, "How fast waves die."); }

std::string error_of(const ValueInfo& info, const std::string& text) {
  return error_thrown_by([&] { info.parse(text); });
}

TEST(ValueInfo, ErrorNamesValueAndRange) {
  EXPECT_EQ(error_of(damping(), "2"), "damping cannot be 2 1/time: it takes a number from 0 to 1 1/time.");
  EXPECT_EQ(error_of(damping(), "nan"), "damping cannot be nan: it takes a number from 0 to 1 1/time.");
  EXPECT_EQ(error_of(damping(), "inf"), "damping cannot be inf: it takes a number from 0 to 1 1/time.");
  EXPECT_EQ(error_of(damping(), "fast"), "damping cannot be \"fast\": it takes a number from 0 to 1 1/time.");
  EXPECT_NE(error_of(damping(), ""), "");
  EXPECT_NE(error_of(damping(), "0.5x"), "");
}

TEST(ValueInfo, IntegersMustBeWhole) {
  ValueInfo info = damping();
  info.kind = ValueKind::integer;
  info.maximum = 10;
  EXPECT_EQ(info.parse("7"), 7);
  EXPECT_NE(error_of(info, "7.5"), "");
}

TEST(ValueInfo, ParsesAndFormatsChoicesAndBooleans) {
  ValueInfo info;
  info.id = "boundary_left";
  info.kind = ValueKind::choice;
  info.choices = {{"fixed", "Fixed"}, {"free", "Free"}, {"periodic", "Periodic"}};
  info.maximum = 2;
  EXPECT_EQ(info.parse("free"), 1);
  EXPECT_EQ(info.format(2), "periodic");
  EXPECT_EQ(error_of(info, "open"), "boundary_left cannot be \"open\": it takes fixed, free or periodic.");
  info.kind = ValueKind::boolean;
  EXPECT_EQ(info.parse("true"), 1);
  EXPECT_EQ(info.format(0), "false");
  EXPECT_NE(error_of(info, "maybe"), "");
}

TEST(ValueInfo, FormattedNumbersReadBackToTheSameBits) {
  ValueInfo info = damping();
  for (std::uint64_t k = 0; k < 1000; ++k) {
    const Random4 r = philox(7, 0, k);
    const double value = uniform_double(r.v[0], r.v[1]) * std::pow(10.0, -static_cast<double>(r.v[2] % 30));
    EXPECT_EQ(info.parse(info.format(value)), value);
  }
}

TEST(NearestWord, OffersWhatWasMeant) {
  const std::vector<std::string> words = {"wave", "lbm", "particles"};
  EXPECT_EQ(nearest_name("wafe", words), "wave");
  EXPECT_EQ(nearest_name("particle", words), "particles");
  EXPECT_EQ(nearest_name("quantum", words), "");
}

}  // namespace
}  // namespace perturb

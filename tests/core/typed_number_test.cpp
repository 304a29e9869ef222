// Numbers as typed by users, with a decimal comma.
#include <string>

#include <gtest/gtest.h>

#include "cuda/core/simulation/format.h"
#include "cuda/core/simulation/parameters.h"
#include "tests/support/error_thrown_by.h"

namespace perturb {
namespace {

TEST(TypedNumber, TakesADecimalComma) {
  EXPECT_EQ(with_decimal_point("0,5"), "0.5");
  EXPECT_EQ(with_decimal_point("-1,07"), "-1.07");
  EXPECT_EQ(with_decimal_point("1,5e-3"), "1.5e-3");
  EXPECT_EQ(with_decimal_point("0,125"), "0.125");
  EXPECT_EQ(with_decimal_point("1234,567"), "1234.567");
}

TEST(TypedNumber, KeepsNonNumbersAndThousands) {
  for (const char* text : {"", ",", "0.5", "1,2,3", "a,b", "1,000", "-12,500", "1.000,5", "0,5 x", "sqrt(2),1"})
    EXPECT_EQ(with_decimal_point(text), text);
}

TEST(TypedNumber, ErrorMentionsDecimalPoint) {
  const ValueInfo info = real_value("damping", "Damping", "", "", 0, 0, 1, "");
  const std::string error = error_thrown_by([&] { info.parse("0,5"); });
  EXPECT_NE(error.find("decimal point"), std::string::npos) << error;
}

}  // namespace
}  // namespace perturb

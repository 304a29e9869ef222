#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/core/backend/field.h"
#include "cuda/core/loops/parallel_for.h"
#include "cuda/core/math/elementary.h"
#include "tests/support/backends.h"

namespace perturb {
namespace {

// Sine, cosine, exponential and logarithm of the k-th number.
struct AllOfThem {
  View1D<double> out;

  static PERTURB_HD double number(int k) { return (k % 2 == 0 ? 1 : -1) * 1e-3 * k * (1 + 1e-3 * k); }
  PERTURB_HD void operator()(int k) const {
    const double x = number(k);
    const std::size_t at = 4 * static_cast<std::size_t>(k);
    out[at] = sine(x);
    out[at + 1] = cosine(x);
    out[at + 2] = exponential(0.01 * x);
    out[at + 3] = logarithm(x * x);
  }
};

class ElementaryOn : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(ElementaryOn);

TEST_P(ElementaryOn, AreBitIdenticalAcrossBackends) {
  constexpr int count = 20000;
  Array<double> out(backend(), 4 * count, "elementary");
  parallel_for(backend(), "test.elementary", Range1D{count}, AllOfThem{out.view()});
  const std::vector<double> got = out.download();
  for (int k = 1; k < count; ++k) {
    const double x = AllOfThem::number(k);
    const std::size_t at = 4 * static_cast<std::size_t>(k);
    EXPECT_EQ(got[at], sine(x)) << x;
    EXPECT_EQ(got[at + 1], cosine(x)) << x;
    EXPECT_EQ(got[at + 2], exponential(0.01 * x)) << x;
    EXPECT_NEAR(got[at + 3], std::log(x * x), 4e-16 * std::abs(std::log(x * x))) << x;  // a GPU uses its own logarithm
  }
}

}  // namespace
}  // namespace perturb

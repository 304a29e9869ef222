#include <cmath>

#include <gtest/gtest.h>

#include "cuda/core/backend/field.h"
#include "cuda/core/loops/parallel_for.h"
#include "cuda/core/math/arithmetic.h"
#include "tests/support/backends.h"

namespace perturb {
namespace {

struct InvertAll {
  View1D<float> out;
  float first;  // a power of two: out[k] is the reciprocal of the k-th number from it on

  PERTURB_HD void operator()(int k) const {
    out[static_cast<std::size_t>(k)] = reciprocal(first * (1.f + static_cast<float>(k) * (1.f / 8388608.f)));
  }
};

class Reciprocal : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(Reciprocal);

TEST_P(Reciprocal, IsDivisionForEveryMantissa) {
  constexpr int mantissas = 1 << 23;
  Array<float> out(backend(), mantissas, "reciprocals");
  for (const float first : {1.f, -0.5f, 1e-30f}) {
    const float power = std::copysign(std::exp2(std::floor(std::log2(std::abs(first)))), first);
    parallel_for(backend(), "test.reciprocal", Range1D{mantissas}, InvertAll{out.view(), power});
    const std::vector<float> values = out.download();
    int wrong = 0;
    for (int k = 0; k < mantissas; ++k)
      wrong += values[static_cast<std::size_t>(k)] != 1.f / (power * (1.f + static_cast<float>(k) * (1.f / 8388608.f)));
    EXPECT_EQ(wrong, 0) << "from " << power;
  }
}

}  // namespace
}  // namespace perturb

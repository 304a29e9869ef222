#include "cuda/core/simulation/field_difference.h"

#include <limits>

#include <gtest/gtest.h>

#include "cuda/core/backend/field.h"
#include "tests/support/backends.h"

namespace perturb {
namespace {

class FieldDifferences : public OnEachBackend {
 protected:
  template <class T>
  Field<T> field(int width, int height, T value) {
    Field<T> made(backend(), width, height, "test");
    made.upload(std::vector<T>(static_cast<std::size_t>(width * height), value));
    return made;
  }
  template <class A, class B>
  double between(const Field<A>& a, const Field<B>& b, bool has_sign = true, float unit = 1) {
    return FieldDifference(backend()).between({{{"u", a.view(), has_sign, unit}}, {}},
                                              {{{"u", b.view(), has_sign, unit}}, {}});
  }
};
PERTURB_ON_EACH_BACKEND(FieldDifferences);

TEST_P(FieldDifferences, FindTheLargestInBothPrecisions) {
  Field<float> a = field(37, 5, 1.f);
  std::vector<float> values = a.download();
  values[100] = 0.75f;
  values[20] = 1.125f;
  a.upload(values);
  EXPECT_EQ(between(a, a), 0);
  EXPECT_EQ(between(a, field(37, 5, 1.f)), 0.25);
  EXPECT_EQ(between(a, field(37, 5, 1.0)), 0.25);
  EXPECT_EQ(between(field(37, 5, 1.0), field(37, 5, 1 + 1e-15)), 1 + 1e-15 - 1) << "no rounding to single precision";
}

TEST_P(FieldDifferences, AreInfiniteForOtherSizesTypesAndNumbersThatAreNotFinite) {
  const double infinite = std::numeric_limits<double>::infinity();
  const Field<float> ones = field(8, 4, 1.f);
  EXPECT_EQ(between(ones, field(4, 8, 1.f)), infinite);
  EXPECT_EQ(between(ones, field(8, 4, std::int16_t(1))), infinite);
  EXPECT_EQ(between(ones, field(8, 4, std::numeric_limits<float>::quiet_NaN())), infinite);
  EXPECT_EQ(between(ones, field(8, 4, -std::numeric_limits<float>::infinity())), infinite);
}

TEST_P(FieldDifferences, CompareTheSavedForm) {
  EXPECT_EQ(between(field(8, 4, -1.5f), field(8, 4, 1.f), false), 0.5);
  EXPECT_EQ(between(field(8, 4, std::int16_t(-3)), field(8, 4, std::int16_t(5)), true, 0.25f), 2);
}

TEST_P(FieldDifferences, CompareWhatBothHave) {
  const Field<float> ones = field(8, 4, 1.f), twos = field(8, 4, 2.f);
  ComparedState a{{{"u", ones.view()}, {"speed", ones.view()}}, {}},
      b{{{"u", ones.view()}, {"other", twos.view()}}, {}};
  EXPECT_EQ(FieldDifference(backend()).between(a, b), 0);
  a.others.put<double>("clock", {1}, "", std::vector<double>{3});
  b.others.put<double>("clock", {1}, "", std::vector<double>{5});
  EXPECT_EQ(FieldDifference(backend()).between(a, b), 2);
}

}  // namespace
}  // namespace perturb

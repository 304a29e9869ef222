// The kernel that `auto` selects: never by timing, because the kernels differ in rounding.
#include <gtest/gtest.h>

#include "cuda/membrane/membrane.h"
#include "tests/support/auto_kernel.h"
#include "tests/support/backends.h"
#include "tests/support/setup_of.h"

namespace perturb::membrane {
namespace {

class MembraneChoice : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(MembraneChoice);

TEST_P(MembraneChoice, AutoIsBitIdenticalForAnyTimings) {
  const EmptyBook empty;
  std::string key = backend().device_name();
  if (!backend().is_cuda()) key += ", " + std::to_string(backend().threads()) + " threads";
  const auto coefficients = [&](const char* kernel) {
    perturb::Setup setup = setup_of("membrane", 16, 16, {{"level", 2}, {"degree", 3}, {"motion", 1}});
    const auto membrane = create(backend(), setup);
    membrane->select_kernel(kernel);
    membrane->apply({"strike", {{"x", 0.3}, {"y", 0.4}, {"velocity", 1}}, "", nullptr});
    membrane->step(4);
    return membrane->save().datasets.at("coefficients").bytes;
  };
  const auto tensor = coefficients("tensor");
  EXPECT_NE(coefficients("rows"), tensor) << "they differ in rounding";
  EXPECT_EQ(coefficients("auto"), tensor);
  EXPECT_TRUE(empty.book().entries().empty()) << "nothing is timed";
  empty.book().add(key + " | membrane | assembly, degree 3 | 1 steps", {{"rows", 1e-9}, {"tensor", 1}});
  EXPECT_EQ(coefficients("auto"), tensor);
}

}  // namespace
}  // namespace perturb::membrane

// Rejected input, warnings, and errors that stop a run: each with a message, and with the state kept.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "cuda/core/backend/check.h"
#include "cuda/core/backend/field.h"
#include "cuda/fibers/fibers.h"
#include "cuda/fibers/parameters.h"
#include "tests/support/backends.h"
#include "tests/support/error_thrown_by.h"
#include "tests/support/scalars.h"
#include "tests/support/setup_of.h"

namespace perturb::fibers {
namespace {

class FiberBadInput : public OnEachBackend {
 protected:
  std::unique_ptr<Simulation> make(int count, std::map<std::string, double> parameters = {}) {
    return fibers_simulation().create(backend(), setup_of("fibers", count, 0, std::move(parameters)));
  }
  // Message of the error; empty if there was none.
  std::string error_of(int count, const std::map<std::string, double>& parameters) {
    return error_thrown_by([&] { make(count, parameters); });
  }
};
PERTURB_ON_EACH_BACKEND(FiberBadInput);

TEST_P(FiberBadInput, RejectsSlendernessBeyondTermLimit) {
  // d = -ln(eps² e) must exceed lambda_N: N <= 6 at 0.05, 2 at 0.1.
  EXPECT_EQ(error_of(4, {{"slenderness", 0.05}, {"terms", 6}}), "");
  const std::string seven = error_of(4, {{"slenderness", 0.05}, {"terms", 7}});
  EXPECT_NE(seven.find("Lower the number of terms to 6"), std::string::npos) << seven;
  EXPECT_NE(error_of(4, {{"slenderness", 0.1}, {"terms", 3}}).find("Lower the number of terms to 2"),
            std::string::npos);
  EXPECT_EQ(error_of(4, {{"slenderness", 0.1}, {"terms", 2}}), "");
  // While it runs too; the old value stays.
  const auto run = make(4);
  EXPECT_THROW(run->set_parameter("slenderness", 0.1), InputError);
  EXPECT_EQ(run->parameters().get(run->parameters().find("slenderness")), 0.01);
}

TEST_P(FiberBadInput, RejectsFibersBeyondMemoryWithBytes) {
  const std::map<std::string, double> stored = {{"storage", static_cast<double>(Storage::stored)}, {"min_distance", 0}};
  if (backend().free_memory() > (std::size_t{300} << 30)) GTEST_SKIP() << "this machine would hold them";
  const std::string sentence = error_of(20000, stored);
  EXPECT_NE(sentence.find("GiB"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("automatic storage"), std::string::npos) << sentence;
  const std::string many = error_of(20001, {});
  EXPECT_NE(many.find("from 1 to 20000"), std::string::npos) << many;
}

TEST_P(FiberBadInput, OverlappingFibersWarnAndRunContinues) {
  const auto run = make(2, {{"start", static_cast<double>(Start::pair)}, {"gap", 0.012}, {"tilt", 0}});
  run->step(3);
  const Diagnostics d = run->diagnostics({}, true);
  EXPECT_TRUE(d.finite) << d.error;
  EXPECT_EQ(d.step, 3);
  EXPECT_EQ(scalar(d, "overlaps"), 1);
  const std::vector<Gauge> gauges = run->gauges();
  const auto gauge = std::find_if(gauges.begin(), gauges.end(), [](const Gauge& g) { return g.id == "overlaps"; });
  ASSERT_NE(gauge, gauges.end());
  EXPECT_GT(gauge->value, gauge->limit);
  EXPECT_FALSE(gauge->remedy.empty());
}

TEST_P(FiberBadInput, AToleranceThatIsNotReachedStopsWithTheResidual) {
  // Twenty overlapping fibers: the system is far from definite, and the maximum of iterations does not suffice.
  constexpr std::size_t fibers = 20;
  const auto run = make(fibers, {{"tolerance", 1e-12}});
  State state = run->save();
  for (const char* derived : {"velocity", "spin", "force_coefficients"}) state.datasets.erase(derived);
  std::vector<double> x(3 * fibers), t(3 * fibers);
  for (std::size_t m = 0; m < fibers; ++m) {
    x[3 * m] = 1e-3 * static_cast<double>(m);
    x[3 * m + 1] = 1e-3 * static_cast<double>(m * m % 7);
    x[3 * m + 2] = 1e-3 * static_cast<double>(m);
    t[3 * m + 2] = 1;
  }
  state.put<double>("position", {fibers, 3}, "length", x);
  state.put<double>("tangent", {fibers, 3}, "", t);
  run->load(state);
  run->step(1);
  const Diagnostics d = run->diagnostics({}, true);
  ASSERT_FALSE(d.finite);
  EXPECT_NE(d.error.english().find("residual is"), std::string::npos) << d.error.english();
  EXPECT_NE(d.error.english().find("Raise the tolerance"), std::string::npos) << d.error.english();
  EXPECT_EQ(run->steps(), 0);
  EXPECT_EQ(run->save().get<double>("position", {fibers, 3}), x) << "the last state is kept";
}

TEST_P(FiberBadInput, RejectsZeroDirectionAndNonFiniteNumbers) {
  const auto run = make(3);
  for (const char* kind : {"fiber", "turn"}) {
    Action action{kind, {{"tx", 0}, {"ty", 0}, {"tz", 0}}, "", nullptr};
    if (action.kind == "fiber")
      action.numbers.insert({{"x", 0}, {"y", 0}, {"z", 0}});
    else
      action.numbers["fiber"] = 1;
    EXPECT_THROW(run->apply(action), InputError) << kind;
  }
  EXPECT_THROW(run->apply({"fiber", {{"x", NAN}, {"y", 0}, {"z", 0}}, "", nullptr}), InputError);
  EXPECT_THROW(run->apply({"fiber", {{"x", 0}, {"y", 0}}, "", nullptr}), InputError) << "no z";
  EXPECT_THROW(run->apply({"no-such-action", {}, "", nullptr}), InputError);
  EXPECT_THROW(run->apply({"burst", {{"x", 0}, {"y", 0}, {"z", 0}, {"count", 20000}}, "", nullptr}), InputError);
  EXPECT_THROW(run->apply({"choose", {{"fiber", 3}}, "", nullptr}), InputError);
  EXPECT_EQ(run->save().width, 3);
}

TEST_P(FiberBadInput, FailedAllocationKeepsRun) {
  for (const char* kernel : {"stable", "nodes", "levels", "recursion"}) {
    const auto run = make(20);
    run->select_kernel(kernel);
    run->step(1);
    const State before = run->save();
    for (int k = 0; k < 60; ++k) {
      fail_memory_after(k);
      bool rejected = false;
      try {
        run->apply({"fiber", {{"x", 0}, {"y", 0}, {"z", 9}}, "", nullptr});
        run->save();  // evaluates, and may need memory then
      } catch (const Error&) {
        rejected = true;
      }
      fail_memory_after(-1);
      if (!rejected) break;
      const State after = run->save();
      if (after.width == before.width)
        EXPECT_EQ(largest_difference(after, before), 0) << kernel << k;
      else
        run->load(before);  // the fiber was in, its velocities were what failed
      run->step(1);
      run->load(before);
    }
  }
}

}  // namespace
}  // namespace perturb::fibers

// The search method of neighbours is measured, and affects only the time.
#include <algorithm>
#include <cstring>
#include <set>

#include "cuda/particles/model/plan.h"
#include "tests/support/auto_kernel.h"
#include "tests/support/backends.h"
#include "tests/support/sanitized.h"

namespace perturb::particles {
namespace {

class ParticlesAuto : public OnEachBackend {
 protected:
  // Entries for every speed of the discs: the number of kinds of work in a run before its steps are taken depends on
  // the speed of the machine.
  static TimingCache::Entries of_every_speed(const TimingCache::Entries& entries) {
    TimingCache::Entries all;
    for (const auto& [key, timings] : entries) {
      const std::string speed = " speed 2^";
      const std::string scene = key.substr(0, key.find(speed) + speed.size());
      for (int octave = -10; octave <= 20; ++octave) all[scene + std::to_string(octave)] = timings;
    }
    return all;
  }
  // A book in which `way` is the fastest of all kinds of work so far.
  static TimingCache::Entries with_first(TimingCache::Entries entries, const std::string& way) {
    for (auto& [key, timings] : entries) {
      for (KernelTiming& timing : timings) timing.spread = 0;  // on a busy machine it would be measured again
      const auto known = [&](const KernelTiming& timing) { return timing.kernel == way; };
      std::stable_partition(timings.begin(), timings.end(), known);
    }
    return of_every_speed(entries);
  }
};
PERTURB_ON_EACH_BACKEND(ParticlesAuto);

TEST_P(ParticlesAuto, TakesWhatWasMeasuredToBeTheFastest) {
  SKIP_UNDER_SANITIZERS("checks a choice by measured times, not memory");
  expect_auto_follows_the_book(backend(), "particles/report", 0, 0, 500, of_every_speed);
}

// Discs and sums over them, whose last bits follow the discs' order in memory; more discs than are
// left in their first order.
TEST_P(ParticlesAuto, ResultIsIndependentOfSearchMethod) {
  SKIP_UNDER_SANITIZERS("checks a choice by measured times, not memory");
  Scene scene = load_scene("particles/report");
  scene.setup.parameters["count"] = 5000;
  scene.setup.parameters["box"] = 600;
  scene.setup.parameters["velocity_max"] = 8;
  const EmptyBook empty;
  // The number of steps during measurement depends on their speed: the first run continues until it is over.
  std::int64_t steps = 0;
  const auto outcome = [&](std::string& words, double& energy) {
    Experiment run(backend(), scene);
    run.advance(steps);
    while (empty.book().entries().empty() && steps < 4000) {
      run.advance(200);
      steps += 200;
    }
    words = run.simulation().choice().english();
    for (const Scalar& scalar : run.simulation().diagnostics(scene.view, true).scalars)
      if (scalar.id == "energy") energy = scalar.value;
    return run.simulation().save();
  };
  std::string words;
  double energy = -1;
  const State first = outcome(words, energy);
  ASSERT_GT(energy, 0);
  const TimingCache::Entries measured = empty.book().entries();
  ASSERT_FALSE(measured.empty());
  std::set<std::string> ways;
  for (const auto& [key, timings] : measured)
    for (const KernelTiming& timing : timings) ways.insert(timing.kernel);
  ASSERT_GE(ways.size(), 2U);
  for (const std::string& way : ways) {
    SCOPED_TRACE(way);
    empty.book().clear();
    empty.book().merge(with_first(measured, way));
    double again = -1;
    const State state = outcome(words, again);
    EXPECT_EQ(words.rfind("Automatic: " + way + ",", 0), 0U) << words;
    EXPECT_EQ(std::memcmp(&again, &energy, sizeof energy), 0) << again - energy;
    EXPECT_EQ(state.datasets.at("position").bytes, first.datasets.at("position").bytes);
    EXPECT_EQ(state.datasets.at("velocity").bytes, first.datasets.at("velocity").bytes);
  }
}

// Omitted methods cannot win: for a slow gas more slices than one, for fast discs the search of all pairs.
TEST(ParticlesPlan, OnlyWhatMayWinIsTried) {
  const auto slow = search_candidates<double>(2000, 2000, 1, 0.1, 100000, false, false);
  EXPECT_EQ(slow, std::vector<std::size_t>{0});
  const auto fast = search_candidates<double>(20000, 20000, 1, 5000, 32000, false, false);
  EXPECT_GE(fast.size(), 2U);
  EXPECT_EQ(std::count(fast.begin(), fast.end(), std::size_t{0}), 0);
  EXPECT_EQ(std::count(fast.begin(), fast.end(), tiles_way), 0);
  const auto few = search_candidates<double>(100, 100, 1, 1, 1000, true, true);
  EXPECT_EQ(std::count(few.begin(), few.end(), tiles_way), 1);
  EXPECT_GE(few.size(), 2U);
}

TEST(ParticlesPlan, ASceneThatChangesALittleIsTheSameKindOfWork) {
  const std::string kind = search_kind("fp64", 2000, 2000, 1, 1.5, 100000);
  EXPECT_EQ(search_kind("fp64", 2000, 2000, 1, 1.6, 100050), kind);
  EXPECT_NE(search_kind("fp64", 2000, 2000, 1, 6, 100000), kind);
  EXPECT_NE(search_kind("fp64", 2000, 2000, 1, 1.5, 200000), kind);
  EXPECT_NE(search_kind("fp32", 2000, 2000, 1, 1.5, 100000), kind);
}

}  // namespace
}  // namespace perturb::particles

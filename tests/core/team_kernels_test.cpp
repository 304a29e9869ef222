// Loops of a team of threads, compared with plain loops.
#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/core/backend/field.h"
#include "cuda/core/loops/atomic.h"
#include "cuda/core/loops/team.h"
#include "tests/support/backends.h"

namespace perturb {
namespace {

class Team : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(Team);

// Each loop adds to what the loop before left with another item, so that a missing barrier is detected.
struct AddNext {
  const int* from;
  int* to;
  int count;
  PERTURB_HD void operator()(int i) const { to[i] = from[i] + from[(i + 37) % count] % 1000; }
  // All lanes together add the same: each takes some of 37 parts.
  template <class Lanes>
  PERTURB_HD void operator()(int i, const Lanes& lanes) const {
    if (lanes.index == 0) to[i] = from[i];
    lanes.sync();
    const int next = from[(i + 37) % count] % 1000;
    for (int part = lanes.index; part < 37; part += Lanes::count) atomic_add(to[i], next / 37 + (part < next % 37));
  }
};
struct AddNextToThirds {
  AddNext add;
  PERTURB_HD bool concerns(int i) const {
    if (i % 3 != 0) add.to[i] = add.from[i];
    return i % 3 == 0;
  }
  template <class Lanes>
  PERTURB_HD void operator()(int i, const Lanes& lanes) const {
    add(i, lanes);
  }
};

struct Sweeps {
  int *one, *other;
  int count, sweeps;
  PERTURB_HD_AS_GIVEN template <class AnyTeam>
  PERTURB_HD void operator()(AnyTeam& team) const {
    for (int k = 0; k < sweeps; ++k) {
      team.each(count, AddNext{one, other, count});
      team.share(count, AddNext{other, one, count});
      team.where(count, AddNextToThirds{{one, other, count}});
      team.each(count, AddNext{other, one, count});
    }
  }
};

std::vector<int> swept(std::vector<int> values, int sweeps) {
  const int count = static_cast<int>(values.size());
  std::vector<int> next(values.size());
  for (int k = 0; k < 4 * sweeps; ++k) {
    for (int i = 0; i < count; ++i)
      next[i] = values[i] + (k % 4 == 2 && i % 3 != 0 ? 0 : values[(i + 37) % count] % 1000);
    values.swap(next);
  }
  return values;
}

void compare_sweeps(Backend& backend) {
  constexpr int sweeps = 5;
  for (const int count : {1, 2, 31, 33, 500, 4097, 70001}) {
    std::vector<int> values;
    for (int i = 0; i < count; ++i) values.push_back(i * 7919 % 1009);
    Array<int> one(backend, values.size(), "values"), other(backend, values.size(), "values");
    one.upload(values);
    run_team(backend, "test.team", count, Sweeps{one.data(), other.data(), count, sweeps});
    ASSERT_EQ(one.download(), swept(values, sweeps)) << count << " items, " << backend.threads() << " threads";
  }
}

TEST_P(Team, LoopsSeeWhatTheLoopBeforeWrote) { compare_sweeps(backend()); }

TEST(TeamThreads, LoopsSeeWhatTheLoopBeforeWrote) {
  for (const int threads : {1, 3}) compare_sweeps(*Backend::make_cpu(threads));
}

// The first lane by an order gets all lanes' result.
struct Candidate {
  int value, lane;
};
struct FindLeast {
  const int* values;  // `width` for each item
  int* least;
  int width;
  template <class Lanes>
  PERTURB_HD void operator()(int i, const Lanes& lanes) const {
    Candidate own{1 << 30, lanes.index};
    for (int k = lanes.index; k < width; k += Lanes::count)
      if (values[i * width + k] < own.value) own.value = values[i * width + k];
    own = lanes.first(own, [](const Candidate& a, const Candidate& b) {
      return a.value != b.value ? a.value < b.value : a.lane < b.lane;
    });
    if (lanes.index == Lanes::count - 1) least[i] = own.value;
  }
};
struct ShareLeast {
  FindLeast find;
  int count;
  PERTURB_HD_AS_GIVEN template <class AnyTeam>
  PERTURB_HD void operator()(AnyTeam& team) const {
    team.share(count, find);
  }
};

TEST_P(Team, LanesFindTheFirstOfTheirValues) {
  for (const int width : {1, 7, 16, 45}) {
    constexpr int count = 1234;
    std::vector<int> values, expected;
    for (int i = 0; i < count * width; ++i) values.push_back(static_cast<int>((i * std::int64_t{48271} + 11) % 65537));
    for (int i = 0; i < count; ++i)
      expected.push_back(*std::min_element(values.begin() + i * width, values.begin() + (i + 1) * width));
    Array<int> given(backend(), values.size(), "values"), least(backend(), count, "values");
    given.upload(values);
    run_team(backend(), "test.team", count, ShareLeast{{given.data(), least.data(), width}, count});
    EXPECT_EQ(least.download(), expected) << width;
  }
}

TEST_P(Team, NoItemsAreNoError) {
  Array<int> one(backend(), 4, "values");
  run_team(backend(), "test.team", 0, Sweeps{one.data(), one.data(), 0, 1});
  EXPECT_EQ(one.download(), std::vector<int>(4, 0));
}

}  // namespace
}  // namespace perturb

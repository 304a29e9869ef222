// Under `auto` a simulation uses the kernel that was measured as the fastest.
#pragma once

#include <algorithm>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "app/run/experiment.h"
#include "cuda/core/timing/kernel_choice.h"

namespace perturb {

// Empties the timing cache of the process and restores it in the destructor.
class EmptyBook {
 public:
  EmptyBook() : before_(book().entries()) { book().clear(); }
  ~EmptyBook() {
    book().clear();
    book().merge(before_);
  }
  EmptyBook(const EmptyBook&) = delete;
  EmptyBook& operator=(const EmptyBook&) = delete;
  TimingCache& book() const { return TimingCache::of_process(); }

 private:
  TimingCache::Entries before_;
};

// Runs the scene of this path until its kernels are measured, reverses the order in the timing cache, and checks that
// the next run uses the kernel that is then the fastest. `width` and `height`: 0 for the scene's own. `spread`: extends
// the entries to every kind of work that a run of the scene may reach, if that depends on the duration of the
// measurement.
inline void expect_auto_follows_the_book(
    Backend& backend, const std::string& path, int width = 0, int height = 0, std::int64_t steps = 2000,
    const std::function<TimingCache::Entries(const TimingCache::Entries&)>& spread = nullptr) {
  Scene scene = load_scene(path);
  if (width > 0) {
    scene.setup.width = width;
    scene.setup.height = height;
  }
  const EmptyBook empty;
  TimingCache& book = empty.book();
  {
    Experiment run(backend, scene);
    run.advance(steps);
    EXPECT_EQ(run.simulation().choice().english().rfind("Automatic: ", 0), 0U) << run.simulation().choice().english();
  }
  TimingCache::Entries turned = spread ? spread(book.entries()) : book.entries();
  ASSERT_FALSE(turned.empty());
  book.clear();
  for (auto& [key, timings] : turned) {
    ASSERT_GE(timings.size(), 2U) << key;
    for (KernelTiming& timing : timings) {
      EXPECT_GT(timing.seconds_per_step, 0) << key << ' ' << timing.kernel;
      timing.spread = 0;  // on a busy machine the measurement would be repeated
    }
    std::reverse(timings.begin(), timings.end());
  }
  book.merge(turned);
  {
    Experiment run(backend, scene);
    run.advance(steps);
    const std::string words = run.simulation().choice().english();
    bool found = false;
    for (const auto& [key, timings] : turned)
      found = found || words.rfind("Automatic: " + timings.front().kernel + ",", 0) == 0;
    EXPECT_TRUE(found) << words;
  }
  EXPECT_EQ(book.entries().size(), turned.size()) << "nothing more had to be measured";
}

}  // namespace perturb

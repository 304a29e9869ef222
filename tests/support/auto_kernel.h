// What a simulation takes under `auto` follows what was measured, not what its author thought.
#pragma once

#include <algorithm>

#include <gtest/gtest.h>

#include "app/experiment.h"
#include "cuda/core/kernel_choice.h"

namespace perturb {

// Runs `setup` until its kernels were measured, turns the book's order around, and sees that the next run takes what the book
// then calls the fastest. The process's book is as before afterwards.
inline void expect_auto_follows_the_book(Backend& backend, const Setup& setup, std::int64_t steps) {
  KernelBook& book = KernelBook::of_process();
  const KernelBook::Entries before = book.entries();
  book.clear();
  {
    Experiment run(backend, setup);
    run.advance(steps);
    EXPECT_EQ(run.simulation().choice().rfind("Automatic: ", 0), 0U) << run.simulation().choice();
  }
  KernelBook::Entries turned = book.entries();
  ASSERT_FALSE(turned.empty());
  book.clear();
  for (auto& [key, timings] : turned) {
    ASSERT_GE(timings.size(), 2U) << key;
    for (const KernelTiming& timing : timings) EXPECT_GT(timing.seconds_per_step, 0) << key << ' ' << timing.kernel;
    std::reverse(timings.begin(), timings.end());
  }
  book.merge(turned);
  {
    Experiment run(backend, setup);
    run.advance(steps);
    const std::string words = run.simulation().choice();
    bool found = false;
    for (const auto& [key, timings] : turned)
      found = found || words.rfind("Automatic: " + timings.front().kernel + ",", 0) == 0;
    EXPECT_TRUE(found) << words;
  }
  EXPECT_EQ(book.entries().size(), turned.size()) << "nothing more had to be measured";
  book.clear();
  book.merge(before);
}

}  // namespace perturb

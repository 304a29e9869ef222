// Progress of a setup's actions, for front ends that show it: thousands of strokes take seconds.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>

namespace perturb {

// During its lifetime, actions that are applied on this thread report how many of all are done.
class SetupProgress {
 public:
  using Report = std::function<void(std::size_t done, std::size_t all)>;

  explicit SetupProgress(Report report) : report_(std::move(report)), outer_(std::exchange(current_, this)) {}
  ~SetupProgress() { current_ = outer_; }
  SetupProgress(const SetupProgress&) = delete;
  SetupProgress& operator=(const SetupProgress&) = delete;

  static void report(std::size_t done, std::size_t all) {
    if (current_ && current_->report_) current_->report_(done, all);
  }

 private:
  Report report_;
  SetupProgress* outer_;
  static inline thread_local SetupProgress* current_ = nullptr;
};

}  // namespace perturb

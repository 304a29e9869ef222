// Does what a front asks of a run: on a thread of its own, so that no step holds the front's frames, or at once.
//
//   front's thread     post(job, on_done) ... wait_until(end) ... deliver_results(): on_done(result)
//   the run's thread         job, job, job, each with a result
//
// Between orders nobody computes: while is_idle(), the front may use the backend (to make room for a picture). While
// orders are under way the experiment and the backend belong to the run's thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "app/run/jobs.h"

namespace perturb {

class Runner {
 public:
  enum class Where { own_thread, here };
  using OnDone = std::function<void(JobResult&)>;
  using Clock = std::chrono::steady_clock;

  // `here`: each order is done when post() returns, and so is its `on_done`; whoever made the experiment may drive it
  // too.
  Runner(Experiment& experiment, Where where);
  // Gives up what is being computed, and waits for that. What was not begun yet is not done.
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  // Orders are done in turn. One that puts another run in this one's place (Restart, Undo, Redo, RestoreLastGood, Open)
  // does not wait for a frame's orders before it: they are given up.
  void post(RunJob job, OnDone on_done);
  // Gives up the frame's order that is being done, if one is; whether one was.
  bool cancel();
  // Whether all that was asked is done and collected.
  bool is_idle() const;
  // Waits until all is done, at most until `end`; whether it is.
  bool wait_until(Clock::time_point end);
  // Calls `on_done` for what has been answered, on this thread.
  void deliver_results();
  // Called on the run's thread when all is done that was asked: wakes a front that waits elsewhere. Set while it rests.
  void on_idle(std::function<void()> call);

  // As of the last answer that was collected; with `here`, as it is now.
  std::shared_ptr<const RunStatus> status() const { return status_; }
  // With `here`: looks whether somebody else has driven the experiment.
  void refresh_status();

 private:
  struct Thread;
  JobResult execute(const RunJob& job);
  void deliver(JobResult& result, const OnDone& on_done);

  Experiment& experiment_;
  std::shared_ptr<const RunStatus> status_;       // the front's
  std::shared_ptr<const RunStatus> last_status_;  // the run's
  std::unique_ptr<Thread> thread_;
};

}  // namespace perturb

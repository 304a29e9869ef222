// Executes the jobs of a front end: on the run thread, so that no step delays a frame, or immediately on the caller's
// thread.
//
//   front end's thread   post(job, on_done) ... wait_until(end) ... deliver_results(): on_done(result)
//   run thread                 job, job, job, each with a result
//
// The run thread is idle between jobs: while is_idle(), the front end may use the backend (for example to allocate an
// image). While jobs are pending, the experiment and the backend belong to the run thread.
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

  // `here`: post() executes each job, including its `on_done`, before it returns; the caller may use the experiment
  // too.
  Runner(Experiment& experiment, Where where);
  // Cancels the current computation and waits for its end. Discards jobs that have not begun.
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  // Jobs are executed in order. A job that replaces the run (Restart, Undo, Redo, RestoreLastGood, Open) does not wait
  // for earlier frame jobs: they are cancelled.
  void post(RunJob job, OnDone on_done);
  // Cancels the current frame job. Returns whether there was one.
  bool cancel();
  // Whether all jobs are done and their results delivered.
  bool is_idle() const;
  // Waits until all jobs are done, or until `end`. Returns whether they are done.
  bool wait_until(Clock::time_point end);
  // Calls `on_done` for each finished job, on the calling thread.
  void deliver_results();
  // Sets a function that is called on the run thread when all jobs are done: it wakes a front end that waits elsewhere.
  // Call only while idle.
  void on_idle(std::function<void()> call);

  // As of the last delivered result; with `here`, the current one.
  std::shared_ptr<const RunStatus> status() const { return status_; }
  // With `here`: updates the status if other code has used the experiment.
  void refresh_status();

 private:
  struct Thread;
  JobResult execute(const RunJob& job);
  void deliver(JobResult& result, const OnDone& on_done);

  Experiment& experiment_;
  std::shared_ptr<const RunStatus> status_;       // used by the front end's thread
  std::shared_ptr<const RunStatus> last_status_;  // used by the run thread
  std::unique_ptr<Thread> thread_;
};

}  // namespace perturb

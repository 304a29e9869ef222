// Does what a front asks of a run: on a thread of its own, so that no step holds the front's frames, or at once.
//
//   front's thread     post(order, then) ... wait(seconds) ... collect(): then(answer)
//   the run's thread         order, order, order, each answered
//
// Between orders nobody computes: while rests(), the front may use the backend (to make room for a picture). While
// orders are under way the experiment and the backend belong to the run's thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "app/run/orders.h"

namespace perturb {

class Runner {
 public:
  enum class Where { own_thread, here };
  using Then = std::function<void(Answer&)>;
  using Clock = std::chrono::steady_clock;

  // `here`: each order is done when post() returns, and so is its `then`; whoever made the experiment may drive it too.
  Runner(Experiment& experiment, Where where);
  // Gives up what is being computed, and waits for that. What was not begun yet is not done.
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  // Orders are done in turn. One that puts another run in this one's place (Restart, Undo, Redo, RestoreLastGood, Open)
  // does not wait for a frame's orders before it: they are given up.
  void post(Order order, Then then);
  // Gives up the frame's order that is being done, if one is; whether one was.
  bool give_up();
  // Whether all that was asked is done and collected.
  bool rests() const;
  // Waits until all is done, at most until `end`; whether it is.
  bool wait_until(Clock::time_point end);
  // Calls `then` for what has been answered, on this thread.
  void collect();
  // Called on the run's thread when all is done that was asked: wakes a front that waits elsewhere. Set while it rests.
  void when_done(std::function<void()> call);

  // As of the last answer that was collected; with `here`, as it is now.
  std::shared_ptr<const RunFacts> facts() const { return facts_; }
  // With `here`: looks whether somebody else has driven the experiment.
  void look_again();

 private:
  struct Thread;
  Answer carry_out(const Order& order);
  void take(Answer& answer, const Then& then);

  Experiment& experiment_;
  std::shared_ptr<const RunFacts> facts_;       // the front's
  std::shared_ptr<const RunFacts> last_facts_;  // the run's
  std::unique_ptr<Thread> thread_;
};

}  // namespace perturb

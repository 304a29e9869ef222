#include "app/run/runner.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "app/run/describe.h"
#include "cuda/core/check.h"
#include "cuda/core/thread_device.h"

namespace perturb {

namespace {

template <class... Kinds>
bool is_one_of(const Order& order) {
  return (std::holds_alternative<Kinds>(order) || ...);
}
bool is_of_frame(const Order& order) { return is_one_of<order::Advance, order::Look, order::Paint>(order); }
bool replaces_run(const Order& order) {
  return is_one_of<order::Restart, order::Undo, order::Redo, order::RestoreLastGood, order::Open>(order);
}

Sample read_at(Simulation& simulation, const std::vector<ReadPlace>& places) {
  Sample sample{simulation.steps(), simulation.time(), {}};
  ViewSettings view;
  for (const ReadPlace& place : places) {
    view.quantity = place.quantity;
    sample.values.push_back(
        simulation.number_at(place.x, place.y, view).value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  return sample;
}

// Each kind of order done, its results put into `answer`.
struct Doer {
  Experiment& experiment;
  Answer& answer;

  void operator()(const order::Advance& advance) const {
    const std::int64_t before = experiment.simulation().steps();
    try {
      if (advance.places.empty())
        experiment.advance(advance.steps);
      else
        advance_and_read(advance);
    } catch (...) {
      answer.steps = experiment.simulation().steps() - before;
      throw;
    }
    answer.steps = experiment.simulation().steps() - before;
  }
  void advance_and_read(const order::Advance& advance) const {
    const std::int64_t end = experiment.simulation().steps() + advance.steps;
    for (std::int64_t now = end - advance.steps; now < end;) {
      const std::int64_t next = std::min(end, (now / advance.every + 1) * advance.every);
      experiment.advance(next - now);
      if (experiment.simulation().steps() != next) return;  // the run has stopped
      if (next % advance.every == 0) answer.samples.push_back(read_at(experiment.simulation(), advance.places));
      now = next;
    }
  }
  void operator()(const order::Look& look) const {
    Simulation& simulation = experiment.simulation();
    if (look.diagnostics) {
      answer.diagnostics = simulation.diagnostics(look.view, look.wait);
      experiment.inspect(answer.diagnostics);
    }
    if (!look.places.empty()) answer.samples.push_back(read_at(simulation, look.places));
    if (look.value_at) answer.value = simulation.value_at(look.value_at->x, look.value_at->y, look.view);
  }
  void operator()(const order::Paint& paint) const {
    experiment.simulation().paint_view(paint.pixels, paint.camera, paint.view, *paint.table);
  }
  void operator()(const order::SetParameters& set) const {
    bool merge_with_last = set.merge_with_last;
    for (const ParameterChange& change : set.changes) {
      try {
        experiment.set_parameter(change.id, change.value, merge_with_last);
        merge_with_last = true;
      } catch (const Error& error) {
        answer.refusals.emplace_back(change.id, error.what());
      }
    }
  }
  void operator()(const order::Restart& restart) const {
    if (restart.keep_built)
      experiment.restart_keeping();
    else
      experiment.restart();
  }
  void operator()(const order::Undo&) const { answer.words = experiment.undo(); }
  void operator()(const order::Redo&) const { answer.words = experiment.redo(); }
  void operator()(const order::RestoreLastGood&) const { experiment.restore_last_good(); }
  void operator()(const order::Open& open) const {
    experiment.open(open.start(), open.what);
    if (open.events) experiment.schedule(open.events());
  }
  void operator()(const order::Act& act) const { experiment.perform(act.action); }
  void operator()(const order::Read& read) const { answer.words = read.read(experiment); }
  void operator()(const order::Describe& what) const { answer.words = describe(experiment, what.view); }
  void operator()(const Gesture& gesture) const {
    const std::size_t before = experiment.log().size();
    experiment.perform(gesture);
    const std::vector<Event>& log = experiment.log();
    for (std::size_t k = std::min(before, log.size()); k < log.size(); ++k)
      if (const auto* action = std::get_if<Action>(&log[k].change)) answer.actions.push_back(*action);
  }
  void operator()(const ChooseKernel& kernel) const { experiment.choose_kernel(kernel.id); }
  void operator()(const ViewChange& view) const { experiment.show(view); }
};

}  // namespace

struct Runner::Thread {
  struct Posted {
    Order order;
    Then then;
  };
  struct Answered {
    Answer answer;
    Then then;
  };

  StopRequest stop;
  std::mutex mutex;
  std::condition_variable posted, done;
  std::deque<Posted> queue;
  std::deque<Answered> answers;
  int replacing = 0;      // of those in the queue
  bool of_frame = false;  // what is being done is
  bool busy = false, closing = false;
  std::function<void()> when_done;
  std::thread thread;

  bool is_done() const { return queue.empty() && !busy; }

  void work(Runner& runner) {
    use_device_here(runner.experiment_.backend());
    const StopScope scope(runner.experiment_.backend(), stop);
    std::unique_lock lock(mutex);
    for (;;) {
      posted.wait(lock, [this] { return closing || !queue.empty(); });
      if (closing) return;
      Posted now = std::move(queue.front());
      queue.pop_front();
      busy = true, of_frame = is_of_frame(now.order);
      if (replaces_run(now.order)) --replacing;
      const bool skip = of_frame && replacing > 0;
      lock.unlock();
      Answer answer;
      if (skip) {
        answer.given_up = true, answer.facts = runner.last_facts_;
      } else {
        answer = runner.carry_out(now.order);
      }
      lock.lock();
      answers.push_back({std::move(answer), std::move(now.then)});
      busy = of_frame = false;
      if (!closing) stop.withdraw();
      if (!is_done()) continue;
      done.notify_all();
      if (when_done) when_done();
    }
  }
};

Runner::Runner(Experiment& experiment, Where where)
    : experiment_(experiment), facts_(std::make_shared<const RunFacts>(facts_of(experiment))), last_facts_(facts_) {
  if (where == Where::here) return;
  thread_ = std::make_unique<Thread>();
  try {
    thread_->thread = std::thread([this] { thread_->work(*this); });
  } catch (const std::system_error&) {
    thread_.reset();  // a limit of memory or of processes: the run stays on the front's thread
  }
}

Runner::~Runner() {
  if (!thread_) return;
  {
    const std::lock_guard lock(thread_->mutex);
    thread_->closing = true;
    thread_->stop.ask();
  }
  thread_->posted.notify_all();
  thread_->thread.join();
}

void Runner::post(Order order, Then then) {
  if (!thread_) {
    Answer answer = carry_out(order);
    take(answer, then);
    return;
  }
  {
    const std::lock_guard lock(thread_->mutex);
    if (replaces_run(order)) {
      ++thread_->replacing;
      if (thread_->of_frame) thread_->stop.ask();
    }
    thread_->queue.push_back({std::move(order), std::move(then)});
  }
  thread_->posted.notify_one();
}

bool Runner::give_up() {
  if (!thread_) return false;
  const std::lock_guard lock(thread_->mutex);
  if (!thread_->of_frame) return false;
  thread_->stop.ask();
  return true;
}

bool Runner::rests() const {
  if (!thread_) return true;
  const std::lock_guard lock(thread_->mutex);
  return thread_->is_done() && thread_->answers.empty();
}

bool Runner::wait_until(Clock::time_point end) {
  if (!thread_) return true;
  std::unique_lock lock(thread_->mutex);
  return thread_->done.wait_until(lock, end, [this] { return thread_->is_done(); });
}

void Runner::collect() {
  if (!thread_) return;
  for (;;) {
    Thread::Answered next;
    {
      const std::lock_guard lock(thread_->mutex);
      if (thread_->answers.empty()) return;
      next = std::move(thread_->answers.front());
      thread_->answers.pop_front();
    }
    take(next.answer, next.then);
  }
}

void Runner::take(Answer& answer, const Then& then) {
  // It had made way for another run, which could not be made.
  if (!answer.facts) answer.check();
  if (answer.facts) facts_ = answer.facts;
  then(answer);
}

void Runner::when_done(std::function<void()> call) {
  if (!thread_) return;
  const std::lock_guard lock(thread_->mutex);
  thread_->when_done = std::move(call);
}

void Runner::look_again() {
  if (!thread_) facts_ = last_facts_ = std::make_shared<const RunFacts>(facts_of(experiment_));
}

Answer Runner::carry_out(const Order& order) {
  Answer answer;
  const auto begin = Clock::now();
  try {
    std::visit(Doer{experiment_, answer}, order);
  } catch (const Stopped&) {
    // On a thread of its own it was the front that asked.
    answer.given_up = true;
    if (!thread_) answer.error = std::current_exception();
  } catch (...) {
    answer.error = std::current_exception();
  }
  answer.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  if (!experiment_.has_run()) return answer;
  answer.note = experiment_.take_note();
  // A frame's orders change no more than the numbers; how the step is computed only where it was asked for.
  const auto* look = std::get_if<order::Look>(&order);
  const bool only_numbers = is_of_frame(order) && !(look && look->kernels);
  answer.facts = last_facts_ =
      std::make_shared<const RunFacts>(facts_of(experiment_, only_numbers ? last_facts_.get() : nullptr));
  return answer;
}

}  // namespace perturb

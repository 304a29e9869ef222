#include "cuda/core/kernel_choice.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <limits>

#include "cuda/core/check.h"
#include "cuda/core/format.h"

namespace perturb {

namespace {

// Turns of each candidate; the first loads the kernel and warms the caches, and is not counted.
constexpr int turns_of_each = 4, turns_not_counted = 1;
// A turn this long is beyond the noise of clocks and launches: one counted turn is enough.
constexpr double long_turn_seconds = 0.05;
// Steps of one turn at most: a few of the deepest passes.
constexpr std::int64_t most_steps_of_a_turn = 48;
// Calls of this many steps and more are one kind of work: passes of any depth fit into them.
constexpr std::int64_t many_steps = 16;
// A candidate so much slower than the best one gets no further turn.
constexpr double hopeless = 1.5;
// One that comes later in the order of preference must be faster by this, which is about what
// repeated measurements differ.
constexpr double worth_it = 0.97;

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

AutoKernel::Choices kernels_of(const SimulationInfo& info) {
  AutoKernel::Choices choices;
  choices.simulation = info.id;
  for (const KernelVariant& kernel : info.kernels) choices.names.push_back(kernel.id);
  return choices;
}

std::string format_time(double seconds) {
  if (seconds < 1e-3) return format_number(1e6 * seconds, 3) + " µs";
  if (seconds < 1) return format_number(1e3 * seconds, 3) + " ms";
  return format_number(seconds, 3) + " s";
}

}  // namespace

KernelBook& KernelBook::of_process() {
  static KernelBook book;
  return book;
}

std::optional<std::vector<KernelTiming>> KernelBook::find(const std::string& key) const {
  const std::scoped_lock lock(mutex_);
  const auto entry = entries_.find(key);
  if (entry == entries_.end()) return std::nullopt;
  return entry->second;
}

void KernelBook::add(const std::string& key, std::vector<KernelTiming> timings) {
  const std::scoped_lock lock(mutex_);
  entries_[key] = std::move(timings);
  news_ = true;
}

KernelBook::Entries KernelBook::entries() const {
  const std::scoped_lock lock(mutex_);
  return entries_;
}

void KernelBook::merge(const Entries& entries) {
  const std::scoped_lock lock(mutex_);
  entries_.insert(entries.begin(), entries.end());
}

bool KernelBook::take_news() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(news_, false);
}

void KernelBook::clear() {
  const std::scoped_lock lock(mutex_);
  entries_.clear();
  news_ = false;
}

AutoKernel::AutoKernel(Backend& backend, Choices choices, Clock clock, KernelBook* book)
    : backend_(backend),
      choices_(std::move(choices)),
      clock_(clock ? std::move(clock) : Clock(steady_seconds)),
      book_(book ? *book : KernelBook::of_process()) {}

AutoKernel::AutoKernel(Backend& backend, const SimulationInfo& info, Clock clock, KernelBook* book)
    : AutoKernel(backend, kernels_of(info), std::move(clock), book) {}

std::size_t AutoKernel::index_of(const std::string& name) const {
  const auto place = std::find(choices_.names.begin(), choices_.names.end(), name);
  PERTURB_ASSERT(place != choices_.names.end());
  return static_cast<std::size_t>(place - choices_.names.begin());
}

std::string AutoKernel::key(const std::string& kind, std::int64_t wanted) const {
  const auto few = static_cast<std::uint64_t>(std::clamp<std::int64_t>(wanted, 1, many_steps));
  std::string device = backend_.device_name();
  if (!backend_.is_cuda()) device += ", " + std::to_string(backend_.threads()) + " threads";
  const std::string key = device + " | " + choices_.simulation + " | " + kind;
  return choices_.passes ? key + " | " + std::to_string(std::bit_floor(few)) + " steps" : key;
}

std::optional<std::size_t> AutoKernel::known(const std::string& key, std::span<const std::size_t> candidates) const {
  const auto timings = book_.find(key);
  if (!timings) return std::nullopt;
  // A book from a file may name kernels that are not candidates here.
  for (const KernelTiming& timing : *timings)
    for (const std::size_t k : candidates)
      if (choices_.names[k] == timing.kernel) return k;
  return std::nullopt;
}

AutoKernel::Turn AutoKernel::next(const std::string& kind, std::span<const std::size_t> candidates,
                                  std::int64_t wanted) {
  PERTURB_ASSERT(!candidates.empty() && wanted >= 1);
  if (candidates.size() == 1) {
    key_.clear();
    return {candidates.front(), wanted, false};
  }
  key_ = key(kind, wanted);
  if (const auto entry = chosen_.find(key_); entry != chosen_.end()) return {entry->second, wanted, false};
  if (const auto kernel = known(key_, candidates)) {
    chosen_[key_] = *kernel;
    return {*kernel, wanted, false};
  }
  Trial& trial = trials_[key_];
  if (trial.candidates.empty()) {
    trial.candidates.assign(candidates.begin(), candidates.end());
    trial.seconds.assign(candidates.size(), std::numeric_limits<double>::infinity());
    trial.latest = trial.seconds;
    trial.turns.assign(candidates.size(), 0);
  }
  backend_.synchronize();
  began_ = clock_();
  return {trial.candidates[trial.place], std::min(wanted, longest_turn(trial)), true};
}

// Steps of a turn: all that a pass may want; where there are no passes, one to begin with, and then no more than are
// needed, for who is slow in a large scene shall not hold up the run.
std::int64_t AutoKernel::longest_turn(const Trial& trial) const {
  if (choices_.passes) return most_steps_of_a_turn;
  if (trial.turns[trial.place] < turns_not_counted) return 1;
  const double fit = long_turn_seconds / std::max(trial.latest[trial.place], 1e-9);
  return static_cast<std::int64_t>(std::clamp(fit, 1.0, static_cast<double>(most_steps_of_a_turn)));
}

bool AutoKernel::out_of_the_race(const Trial& trial, std::size_t candidate) const {
  const double best = *std::min_element(trial.seconds.begin(), trial.seconds.end());
  return trial.turns[candidate] >= turns_of_each ||
         (trial.turns[candidate] > turns_not_counted && trial.seconds[candidate] > hopeless * best);
}

void AutoKernel::done(const Turn& turn) {
  if (!turn.timed) return;
  backend_.synchronize();
  const double seconds = clock_() - began_;
  Trial& trial = trials_.at(key_);
  const std::size_t place = trial.place;
  int& turns = trial.turns[place];
  trial.latest[place] = seconds / static_cast<double>(turn.steps);
  if (++turns > turns_not_counted) {
    double& least = trial.seconds[place];
    least = std::min(least, trial.latest[place]);
    if (seconds > long_turn_seconds) turns = turns_of_each;
  }
  for (std::size_t tried = 0; tried < trial.candidates.size(); ++tried) {
    trial.place = (trial.place + 1) % trial.candidates.size();
    if (!out_of_the_race(trial, trial.place)) return;
  }
  finish(key_, trial);
}

void AutoKernel::finish(const std::string& key, const Trial& trial) {
  std::size_t best = 0;
  for (std::size_t c = 1; c < trial.candidates.size(); ++c)
    if (trial.seconds[c] < worth_it * trial.seconds[best]) best = c;
  std::vector<KernelTiming> timings;
  for (std::size_t c = 0; c < trial.candidates.size(); ++c)
    timings.push_back({choices_.names[trial.candidates[c]], trial.seconds[c]});
  std::rotate(timings.begin(), timings.begin() + static_cast<std::ptrdiff_t>(best),
              timings.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  chosen_[key] = trial.candidates[best];
  book_.add(key, std::move(timings));
  trials_.erase(key);
}

std::size_t AutoKernel::best(const Work& work) const {
  PERTURB_ASSERT(!work.candidates.empty());
  return known(key(work.kind, work.steps), work.candidates).value_or(work.candidates.front());
}

std::string AutoKernel::text() const {
  if (key_.empty()) return {};
  const auto timings = book_.find(key_);
  if (!timings || timings->empty()) return "Automatic: the kernels take turns until it is known which is the fastest.";
  std::string text = "Automatic: " + timings->front().kernel + ", " + format_time(timings->front().seconds_per_step) +
                     " a step here";
  for (std::size_t i = 1; i < timings->size(); ++i)
    text += (i == 1 ? "; " : ", ") + (*timings)[i].kernel + " takes " + format_time((*timings)[i].seconds_per_step);
  return text + ".";
}

}  // namespace perturb

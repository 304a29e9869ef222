#include "cuda/core/timing/kernel_choice.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <limits>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

namespace {

// Slices per candidate; the first loads the kernel and warms the caches, and is not counted.
constexpr int slices_per_candidate = 4, warmup_slices = 1;
// A slice this long is not affected by the noise of clocks and launches: two counted slices are enough.
constexpr double long_slice_seconds = 0.05;
// Maximum number of steps per slice: a few of the deepest passes.
constexpr std::int64_t max_slice_steps = 48;
// Calls of at least this many steps count as one kind of work: passes of any depth fit into them.
constexpr std::int64_t many_steps = 16;
// A candidate slower than the best one by this factor gets no further slice. It must be slower by `certain_factor` as
// long as no two of its slices agree: another program may have disturbed them.
constexpr double elimination_factor = 1.5;
// A candidate later in the order of preference must be faster by this factor, which is about the spread of repeated
// measurements.
constexpr double min_advantage = 0.97;

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

AutoKernel::AutoKernel(Backend& backend, Choices choices, Clock clock, TimingCache* cache)
    : backend_(backend),
      choices_(std::move(choices)),
      clock_(clock ? std::move(clock) : Clock(steady_seconds)),
      cache_(cache ? *cache : TimingCache::of_process()) {}

AutoKernel::AutoKernel(Backend& backend, const SimulationInfo& info, Clock clock, TimingCache* cache)
    : AutoKernel(backend, kernels_of(info), std::move(clock), cache) {}

std::size_t AutoKernel::index_of(const std::string& name) const {
  const auto position = std::find(choices_.names.begin(), choices_.names.end(), name);
  PERTURB_ASSERT(position != choices_.names.end());
  return static_cast<std::size_t>(position - choices_.names.begin());
}

std::string AutoKernel::key(const std::string& kind, std::int64_t wanted) const {
  const auto few = static_cast<std::uint64_t>(std::clamp<std::int64_t>(wanted, 1, many_steps));
  std::string device = backend_.device_name();
  if (!backend_.is_cuda()) device += ", " + std::to_string(backend_.threads()) + " threads";
  const std::string key = device + " | " + choices_.simulation + " | " + kind;
  return choices_.passes ? key + " | " + std::to_string(std::bit_floor(few)) + " steps" : key;
}

std::optional<std::size_t> AutoKernel::known(const std::string& key, std::span<const std::size_t> candidates) const {
  const auto timings = cache_.find(key);
  if (!timings) return std::nullopt;
  // A cache from a file may name kernels that are not candidates here.
  for (const KernelTiming& timing : *timings)
    for (const std::size_t k : candidates)
      if (choices_.names[k] == timing.kernel) return k;
  return std::nullopt;
}

AutoKernel::TimedSlice AutoKernel::next(const std::string& kind, std::span<const std::size_t> candidates,
                                        std::int64_t wanted) {
  PERTURB_ASSERT(!candidates.empty() && wanted >= 1);
  if (candidates.size() == 1) {
    key_.clear();
    return {candidates.front(), wanted, false};
  }
  key_ = key(kind, wanted);
  if (generation_ != cache_.generation()) {
    chosen_.clear();
    trials_.clear();
    generation_ = cache_.generation();
  }
  auto entry = chosen_.find(key_);
  if (entry == chosen_.end())
    if (const auto kernel = known(key_, candidates))
      entry = chosen_.emplace(key_, Choice{*kernel, cache_.valid_until(key_)}).first;
  if (entry != chosen_.end())
    if (const auto [kernel, valid_until] = entry->second;
        valid_until == std::numeric_limits<double>::infinity() || clock_() < valid_until)
      return {kernel, wanted, false};
  Trial& trial = trials_[key_];
  if (trial.candidates.empty()) {
    trial.candidates.assign(candidates.begin(), candidates.end());
    trial.seconds.assign(candidates.size(), std::numeric_limits<double>::infinity());
    trial.second = trial.latest = trial.seconds;
    trial.slices.assign(candidates.size(), 0);
  }
  backend_.synchronize();
  start_seconds_ = clock_();
  return {trial.candidates[trial.position], std::min(wanted, max_steps(trial)), true};
}

// Number of steps per slice: the most that a pass may use. Without passes it is one at first and then no more than
// needed, so that a slow candidate does not delay a large scene.
std::int64_t AutoKernel::max_steps(const Trial& trial) const {
  if (choices_.passes) return max_slice_steps;
  if (trial.slices[trial.position] < warmup_slices) return 1;
  const double fit = long_slice_seconds / std::max(trial.latest[trial.position], 1e-9);
  return static_cast<std::int64_t>(std::clamp(fit, 1.0, static_cast<double>(max_slice_steps)));
}

bool AutoKernel::is_eliminated(const Trial& trial, std::size_t candidate) const {
  const double best = *std::min_element(trial.seconds.begin(), trial.seconds.end());
  const int counted = trial.slices[candidate] - warmup_slices;
  const bool agrees = trial.second[candidate] <= (1 + max_timing_spread) * trial.seconds[candidate];
  const double factor = agrees ? elimination_factor : certain_factor;
  return trial.slices[candidate] >= slices_per_candidate || (counted > 0 && trial.seconds[candidate] > factor * best);
}

void AutoKernel::finish_slice(const TimedSlice& slice) {
  if (!slice.timed) return;
  backend_.synchronize();
  const double seconds = clock_() - start_seconds_;
  Trial& trial = trials_.at(key_);
  const std::size_t position = trial.position;
  int& slices = trial.slices[position];
  trial.latest[position] = seconds / static_cast<double>(slice.steps);
  if (++slices > warmup_slices) {
    const double latest = trial.latest[position];
    double &shortest = trial.seconds[position], &second = trial.second[position];
    second = std::min(second, std::max(shortest, latest));
    shortest = std::min(shortest, latest);
    if (seconds > long_slice_seconds) slices = std::max(slices, slices_per_candidate - 1);
  }
  for (std::size_t checked = 0; checked < trial.candidates.size(); ++checked) {
    trial.position = (trial.position + 1) % trial.candidates.size();
    if (!is_eliminated(trial, trial.position)) return;
  }
  finish(key_, trial);
}

void AutoKernel::finish(const std::string& key, const Trial& trial) {
  std::size_t best = 0;
  for (std::size_t c = 1; c < trial.candidates.size(); ++c)
    if (trial.seconds[c] < min_advantage * trial.seconds[best]) best = c;
  std::vector<KernelTiming> timings;
  for (std::size_t c = 0; c < trial.candidates.size(); ++c)
    timings.push_back({choices_.names[trial.candidates[c]], trial.seconds[c],
                       std::isfinite(trial.second[c]) ? trial.second[c] / trial.seconds[c] - 1 : 0});
  std::rotate(timings.begin(), timings.begin() + static_cast<std::ptrdiff_t>(best),
              timings.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  cache_.add(key, std::move(timings), clock_());
  // The cache may have kept an earlier measurement.
  chosen_[key] = {known(key, trial.candidates).value_or(trial.candidates[best]), cache_.valid_until(key)};
  trials_.erase(key);
}

std::size_t AutoKernel::best(const Work& work) const {
  PERTURB_ASSERT(!work.candidates.empty());
  return known(key(work.kind, work.steps), work.candidates).value_or(work.candidates.front());
}

Message AutoKernel::text() const {
  if (key_.empty()) return {};
  const auto timings = cache_.find(key_);
  if (!timings || timings->empty()) return "Automatic: measuring which kernel is the fastest.";
  const KernelTiming& best = timings->front();
  const std::string time = format_time(best.seconds_per_step);
  Message others;
  for (std::size_t i = 1; i < timings->size(); ++i) {
    const KernelTiming& other = (*timings)[i];
    const Message takes("{} takes {}", other.kernel, format_time(other.seconds_per_step));
    others = others.empty() ? takes : Message("{}, {}", others, takes);
  }
  const Message choice = others.empty() ? Message("Automatic: {}, {} per step here.", best.kernel, time)
                                        : Message("Automatic: {}, {} per step here; {}.", best.kernel, time, others);
  return is_provisional(*timings)
             ? choice + "Provisional: the machine was busy during the measurement, which is repeated later."
             : choice;
}

}  // namespace perturb

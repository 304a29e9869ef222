#include "cuda/core/timing/timing_cache.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace perturb {

namespace {

// Seconds until provisional timings are measured again: at first, and at most.
constexpr double first_retry = 30, longest_retry = 600;

// Of the kernels that a disturbance may have kept from being the fastest.
double largest_spread(const std::vector<KernelTiming>& timings) {
  double spread = 0;
  for (const KernelTiming& timing : timings)
    if (timing.seconds_per_step < certain_factor * timings.front().seconds_per_step)
      spread = std::max(spread, timing.spread);
  return spread;
}

// The part of a key that names the simulation (AutoKernel::key).
std::string simulation_part(const std::string& simulation) { return " | " + simulation + " | "; }

}  // namespace

bool is_provisional(const std::vector<KernelTiming>& timings) {
  return !timings.empty() && largest_spread(timings) > max_timing_spread;
}

std::string measured_device(const Backend& backend) {
  if (backend.is_cuda()) return backend.device_name();
  return backend.device_name() + ", " + std::to_string(backend.threads()) + " threads";
}

TimingCache& TimingCache::of_process() {
  static TimingCache cache;
  return cache;
}

std::optional<std::vector<KernelTiming>> TimingCache::find(const std::string& key) const {
  const std::scoped_lock lock(mutex_);
  const auto entry = entries_.find(key);
  if (entry == entries_.end()) return std::nullopt;
  return entry->second;
}

void TimingCache::add(const std::string& key, std::vector<KernelTiming> timings, double now) {
  const std::scoped_lock lock(mutex_);
  std::vector<KernelTiming>& entry = entries_[key];
  changed_ = true;
  if (!is_provisional(timings)) {
    entry = std::move(timings);
    retries_.erase(key);
    return;
  }
  if (entry.empty() || largest_spread(timings) < largest_spread(entry)) entry = std::move(timings);
  Retry& retry = retries_[key];
  retry.interval = retry.interval == 0 ? first_retry : std::min(2 * retry.interval, longest_retry);
  retry.at = now + retry.interval;
}

double TimingCache::valid_until(const std::string& key) const {
  const std::scoped_lock lock(mutex_);
  const auto entry = entries_.find(key);
  if (entry == entries_.end()) return -std::numeric_limits<double>::infinity();
  if (!is_provisional(entry->second)) return std::numeric_limits<double>::infinity();
  // One from a file was measured by an earlier process.
  const auto retry = retries_.find(key);
  return retry == retries_.end() ? -std::numeric_limits<double>::infinity() : retry->second.at;
}

TimingCache::Entries TimingCache::entries() const {
  const std::scoped_lock lock(mutex_);
  return entries_;
}

void TimingCache::merge(const Entries& entries) {
  const std::scoped_lock lock(mutex_);
  for (const auto& [key, timings] : entries) {
    const auto names = [&key = key](const std::string& simulation) {
      return key.find(simulation_part(simulation)) != std::string::npos;
    };
    if (std::none_of(forgotten_.begin(), forgotten_.end(), names)) entries_.emplace(key, timings);
  }
}

bool TimingCache::contains(const std::string& simulation) const {
  const std::scoped_lock lock(mutex_);
  const std::string part = simulation_part(simulation);
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const auto& entry) { return entry.first.find(part) != std::string::npos; });
}

void TimingCache::forget(const std::string& simulation) {
  const std::scoped_lock lock(mutex_);
  const std::string part = simulation_part(simulation);
  const auto names = [&](const auto& entry) { return entry.first.find(part) != std::string::npos; };
  std::erase_if(entries_, names);
  std::erase_if(retries_, names);
  forgotten_.insert(simulation);
  ++generation_;
}

std::vector<KernelTiming> TimingCache::table(const std::string& key) const {
  const std::scoped_lock lock(mutex_);
  const auto found = tables_.find(key);
  return found == tables_.end() ? std::vector<KernelTiming>() : found->second;
}

void TimingCache::set_in_table(const std::string& key, const KernelTiming& timing) {
  const std::scoped_lock lock(mutex_);
  std::vector<KernelTiming>& timings = tables_[key];
  const auto same = std::find_if(timings.begin(), timings.end(),
                                 [&](const KernelTiming& one) { return one.kernel == timing.kernel; });
  if (same == timings.end())
    timings.push_back(timing);
  else
    *same = timing;
  changed_ = true;
}

void TimingCache::forget_table(const std::string& key, const std::string& device) {
  const std::scoped_lock lock(mutex_);
  tables_.erase(key);
  rooflines_.erase(device);
}

std::optional<Roofline> TimingCache::roofline(const std::string& device) const {
  const std::scoped_lock lock(mutex_);
  const auto found = rooflines_.find(device);
  return found == rooflines_.end() ? std::nullopt : std::optional(found->second);
}

void TimingCache::set_roofline(const std::string& device, const Roofline& roofline) {
  const std::scoped_lock lock(mutex_);
  rooflines_[device] = roofline;
  changed_ = true;
}

TimingCache::Entries TimingCache::tables() const {
  const std::scoped_lock lock(mutex_);
  return tables_;
}

TimingCache::Rooflines TimingCache::rooflines() const {
  const std::scoped_lock lock(mutex_);
  return rooflines_;
}

void TimingCache::merge_tables(const Entries& tables, const Rooflines& rooflines) {
  const std::scoped_lock lock(mutex_);
  tables_.insert(tables.begin(), tables.end());
  rooflines_.insert(rooflines.begin(), rooflines.end());
}

bool TimingCache::take_changed() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(changed_, false);
}

void TimingCache::clear() {
  const std::scoped_lock lock(mutex_);
  entries_.clear();
  retries_.clear();
  forgotten_.clear();
  tables_.clear();
  rooflines_.clear();
  changed_ = false;
}

}  // namespace perturb

#include "cuda/core/timing/kernel_table.h"

#include <algorithm>
#include <utility>

namespace perturb {

std::string measured_device(const Backend& backend) {
  if (backend.is_cuda()) return backend.device_name();
  return backend.device_name() + ", " + std::to_string(backend.threads()) + " threads";
}

KernelTable& KernelTable::of_process() {
  static KernelTable table;
  return table;
}

std::vector<KernelTiming> KernelTable::find(const std::string& key) const {
  const std::scoped_lock lock(mutex_);
  const auto found = timings_.find(key);
  return found == timings_.end() ? std::vector<KernelTiming>() : found->second;
}

void KernelTable::set(const std::string& key, const KernelTiming& timing) {
  const std::scoped_lock lock(mutex_);
  std::vector<KernelTiming>& timings = timings_[key];
  const auto same = std::find_if(timings.begin(), timings.end(),
                                 [&](const KernelTiming& one) { return one.kernel == timing.kernel; });
  if (same == timings.end())
    timings.push_back(timing);
  else
    *same = timing;
  changed_ = true;
}

void KernelTable::forget(const std::string& key, const std::string& device) {
  const std::scoped_lock lock(mutex_);
  timings_.erase(key);
  rooflines_.erase(device);
}

std::optional<Roofline> KernelTable::roofline(const std::string& device) const {
  const std::scoped_lock lock(mutex_);
  const auto found = rooflines_.find(device);
  return found == rooflines_.end() ? std::nullopt : std::optional(found->second);
}

void KernelTable::set_roofline(const std::string& device, const Roofline& roofline) {
  const std::scoped_lock lock(mutex_);
  rooflines_[device] = roofline;
  changed_ = true;
}

KernelTable::Timings KernelTable::timings() const {
  const std::scoped_lock lock(mutex_);
  return timings_;
}

KernelTable::Rooflines KernelTable::rooflines() const {
  const std::scoped_lock lock(mutex_);
  return rooflines_;
}

void KernelTable::merge(const Timings& timings, const Rooflines& rooflines) {
  const std::scoped_lock lock(mutex_);
  timings_.insert(timings.begin(), timings.end());
  rooflines_.insert(rooflines.begin(), rooflines.end());
}

bool KernelTable::take_changed() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(changed_, false);
}

void KernelTable::clear() {
  const std::scoped_lock lock(mutex_);
  timings_.clear();
  rooflines_.clear();
  changed_ = false;
}

}  // namespace perturb

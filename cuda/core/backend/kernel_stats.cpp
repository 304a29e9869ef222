#include "cuda/core/backend/kernel_stats.h"

#include <algorithm>

namespace perturb {

void KernelStats::add(const char* label, double seconds) {
  KernelTime& entry = times_[label];
  entry.label = label;
  entry.launches += 1;
  entry.seconds += seconds;
}

std::vector<KernelTime> KernelStats::table() const {
  std::vector<KernelTime> rows;
  for (const auto& [label, time] : times_) rows.push_back(time);
  std::sort(rows.begin(), rows.end(), [](const KernelTime& a, const KernelTime& b) { return a.seconds > b.seconds; });
  return rows;
}

}  // namespace perturb

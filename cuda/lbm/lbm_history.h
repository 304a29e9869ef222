// Drag and lift as they were, for curves and for the frequency at which vortices leave.
#pragma once

#include <cstddef>
#include <vector>

namespace perturb {

class LbmHistory {
 public:
  struct Entry {
    double time, drag, lift;
  };

  const std::vector<Entry>& entries() const { return entries_; }
  void clear() { entries_.clear(); }
  // An entry of the same time is left out; one of an earlier time begins anew.
  void add(double time, double drag, double lift) {
    constexpr std::size_t most = 4000;
    if (!entries_.empty() && time == entries_.back().time) return;
    if (!entries_.empty() && time < entries_.back().time) entries_.clear();
    if (entries_.size() >= most) entries_.erase(entries_.begin(), entries_.begin() + most / 2);
    entries_.push_back({time, drag, lift});
  }
  // From the upward crossings of the lift through its mean, over the later half; 1/step. 0 while there are fewer than three.
  double lift_frequency() const {
    if (entries_.size() < 16) return 0;
    const std::size_t begin = entries_.size() / 2;
    double mean = 0, first = 0, last = 0;
    for (std::size_t k = begin; k < entries_.size(); ++k) mean += entries_[k].lift;
    mean /= static_cast<double>(entries_.size() - begin);
    int crossings = 0;
    for (std::size_t k = begin + 1; k < entries_.size(); ++k) {
      const double a = entries_[k - 1].lift - mean, b = entries_[k].lift - mean;
      if (!(a < 0 && b >= 0)) continue;
      last = entries_[k - 1].time + (entries_[k].time - entries_[k - 1].time) * (-a / (b - a));
      if (crossings++ == 0) first = last;
    }
    return crossings < 3 ? 0 : (crossings - 1) / (last - first);
  }

 private:
  std::vector<Entry> entries_;
};

}  // namespace perturb

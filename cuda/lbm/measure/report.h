// The flow's numbers and curves as text with units, and the history that they are read from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "cuda/core/simulation/diagnostics.h"
#include "cuda/lbm/measure/profile.h"
#include "cuda/lbm/measure/sums.h"
#include "cuda/lbm/model/bodies.h"
#include "cuda/lbm/model/forces.h"
#include "cuda/lbm/model/turning.h"
#include "cuda/lbm/parameters.h"
#include "cuda/lbm/view/paint.h"

namespace perturb::lbm {

// Samples are this many steps apart, or a power of two times as many: passes of six steps and of two then end with
// them.
inline constexpr std::int64_t min_steps_per_sample = 12, max_steps_per_sample = min_steps_per_sample << 10;

class History {
 public:
  struct Entry {
    double time, along, across;
  };

  const std::vector<Entry>& entries() const { return entries_; }
  void clear() {
    entries_.clear();
    is_whole_ = true;
  }
  // Whether no old entry had to make room for new ones.
  bool is_whole() const { return is_whole_; }
  static constexpr std::size_t min_for_frequency = 16;
  // Ignores an entry of the same time; an earlier time restarts the history.
  void add(double time, double along, double across) {
    constexpr std::size_t max_entries = 4000;
    if (!entries_.empty() && time == entries_.back().time) return;
    if (!entries_.empty() && time < entries_.back().time) clear();
    if (entries_.size() >= max_entries) {
      entries_.erase(entries_.begin(), entries_.begin() + max_entries / 2);
      is_whole_ = false;
    }
    entries_.push_back({time, along, across});
  }
  // The samples in this time of the later half.
  double samples_in(double time) const {
    const std::size_t begin = entries_.size() / 2;
    if (entries_.size() < begin + 2) return 0;
    return time * static_cast<double>(entries_.size() - 1 - begin) / (entries_.back().time - entries_[begin].time);
  }
  // Steps over which the later half extends.
  double later_half() const { return entries_.empty() ? 0 : entries_.back().time - entries_[entries_.size() / 2].time; }
  // The dominant frequency of the second number over the later half, from its crossings of the mean; 1/step. Entries
  // need not be evenly spaced. Upward and downward crossings are counted separately, so that a mirror image has the
  // same frequency. 0 while the later half spans less than `shortest_span` steps, or neither kind shows a steady
  // oscillation.
  double frequency(double shortest_span = 0) const {
    if (entries_.size() < min_for_frequency) return 0;
    const std::size_t begin = entries_.size() / 2;
    if (entries_.back().time - entries_[begin].time < shortest_span) return 0;
    double mean = 0, low = entries_[begin].across, high = low;
    for (std::size_t k = begin; k < entries_.size(); ++k) {
      const double a = entries_[k].across;
      mean += a;
      low = a < low ? a : low;
      high = a > high ? a : high;
    }
    mean /= static_cast<double>(entries_.size() - begin);
    const double upward = frequency_of_crossings(begin, mean, high - low, 1),
                 downward = frequency_of_crossings(begin, mean, high - low, -1);
    return upward > 0 && downward > 0 ? 0.5 * (upward + downward) : upward + downward;
  }

 private:
  // From the crossings of the mean upwards (`direction` 1) or downwards (-1), from entry `begin` on. One counts once
  // the number has varied by a quarter of its range, so that ripples do not count. 0: fewer than three crossings, or
  // their distances differ by more than a quarter of their mean.
  double frequency_of_crossings(std::size_t begin, double mean, double range, double direction) const {
    const double swing = 0.25 * range;
    bool armed = false;
    int crossings = 0;
    double first = 0, last = 0, shortest = 0, longest = 0;  // distances
    for (std::size_t k = begin + 1; k < entries_.size(); ++k) {
      const double a = direction * (entries_[k - 1].across - mean), b = direction * (entries_[k].across - mean);
      if (b < -0.5 * swing) armed = true;
      if (!(armed && a < 0 && b >= 0)) continue;
      armed = false;
      const double before = last;
      last = entries_[k - 1].time + (entries_[k].time - entries_[k - 1].time) * (-a / (b - a));
      if (crossings++ == 0) {
        first = last;
        continue;
      }
      const double distance = last - before;
      shortest = crossings == 2 || distance < shortest ? distance : shortest;
      longest = distance > longest ? distance : longest;
    }
    if (crossings < 3) return 0;
    const double mean_distance = (last - first) / (crossings - 1);
    return longest - shortest > 0.25 * mean_distance ? 0 : 1 / mean_distance;
  }

  std::vector<Entry> entries_;
  bool is_whole_ = true;
};

struct Report {
  const Parameters& parameters;
  int width, height;  // cells
  std::int64_t step;
  std::int64_t forces_begin;  // the step since which the walls and the direction of the stream are the same
  const Sums& sums;
  double speed;                      // the reference speed of coefficients and the Reynolds number, cell/step
  bool walls;                        // whether walls were drawn
  const Bodies& bodies;              // of these walls
  const std::vector<Force>& forces;  // one per bodies.reported; empty: not measured
  const std::vector<History>& force_histories;  // one per bodies.reported, along the stream and across it
  const Profiles& profiles;
  const History* probe;  // null: no probe
  Shown shown;
  std::int64_t changed = 0;  // step of the last change that the flow must follow
  std::optional<Annulus> annulus;
};

Diagnostics lbm_describe(const Report& report);

// The step from which the force on this reported body is that of the flow around it.
std::int64_t first_step_of_forces(const Report& report, std::size_t body);

// The component of a force along the stream (drag) and to the left of it (lift).
inline double lbm_drag(const Force& f, Stream s) { return s.sign * (s.along_y ? f.y : f.x); }
inline double lbm_lift(const Force& f, Stream s) { return s.sign * (s.along_y ? -f.x : f.y); }

}  // namespace perturb::lbm

// Time spent by kernel label.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace perturb {

struct KernelTime {
  std::string label;
  std::int64_t launches = 0;
  double seconds = 0;
};

// Counts the runs of each labelled loop and, while `timing` is on, measures their time. Timing waits for each kernel,
// so it is for `bench` and the profile panel, never for ordinary frames.
class KernelStats {
 public:
  bool timing() const { return timing_; }
  void set_timing(bool on) { timing_ = on; }
  void add(const char* label, double seconds);
  void clear() { times_.clear(); }
  // Longest first.
  std::vector<KernelTime> table() const;

 private:
  bool timing_ = false;
  std::map<std::string, KernelTime> times_;
};

}  // namespace perturb

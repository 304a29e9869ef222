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

// Collects how often each labelled loop ran and, while `timing` is on, how long it took. Timing waits for each kernel,
// so it is for `bench` and for the profile panel, never on in an ordinary frame.
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

// What was measured of kernels on this machine, kept from run to run.
#pragma once

#include <string>

#include "cuda/core/bench/kernel_choice.h"

namespace perturb {

// "$XDG_CACHE_HOME/perturb/kernels.json", else in ~/.cache; empty where neither is set.
std::string timing_cache_path();

// Adds to `cache` what the file holds. What another build of the program measured, or no program wrote, counts as
// nothing: the file is a cache, and everything in it can be measured again. Returns why an existing file cannot be read
// (a message), else nothing.
std::string read_timing_cache(const std::string& path, TimingCache& cache);
// Replaces the file with all that `cache` holds. Throws Error.
void write_timing_cache(const std::string& path, const TimingCache& cache);

// While this lives, the process's book begins with the file's contents; at the end what was measured since goes
// there. What cannot be read is reported by `note()` and left alone; one that cannot be written is done without,
// silently: everything works, and only the first moments of a run are measured again.
class TimingCacheFile {
 public:
  TimingCacheFile();
  ~TimingCacheFile();
  TimingCacheFile(const TimingCacheFile&) = delete;
  TimingCacheFile& operator=(const TimingCacheFile&) = delete;

  const std::string& note() const { return note_; }

 private:
  std::string path_, note_;
};

}  // namespace perturb

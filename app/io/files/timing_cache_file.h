// Kernel timings measured on this machine, saved between sessions.
#pragma once

#include <string>

#include "cuda/core/backend/message.h"
#include "cuda/core/timing/timing_cache.h"

namespace perturb {

// "$XDG_CACHE_HOME/perturb/kernels.json", otherwise in ~/.cache; empty if neither is set.
std::string timing_cache_path();

// Adds the timings in the file to `cache`. Ignores those of another build and invalid ones: all of them can be measured
// again. Returns a message if an existing file cannot be read; otherwise empty.
Message read_timing_cache(const std::string& path, TimingCache& cache);
// Replaces the file by the contents of `cache`. Throws Error.
void write_timing_cache(const std::string& path, const TimingCache& cache);

// Loads the file into the process's timing cache at construction, and saves new timings at destruction, except those
// measured under a profiler. A file that cannot be read is reported by `note()` and not
// overwritten. A file that cannot be written is ignored: only the timing at the start of the next run is repeated.
class TimingCacheFile {
 public:
  TimingCacheFile();
  ~TimingCacheFile();
  TimingCacheFile(const TimingCacheFile&) = delete;
  TimingCacheFile& operator=(const TimingCacheFile&) = delete;

  const Message& note() const { return note_; }

 private:
  std::string path_;
  Message note_;
};

}  // namespace perturb

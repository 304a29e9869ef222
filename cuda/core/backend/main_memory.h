// The memory available to this process, given the machine and the limits of a container or shell.
#pragma once

#include <cstddef>
#include <string>

namespace perturb {

struct MainMemory {
  std::size_t free = 0;   // bytes that can still be allocated
  std::size_t total = 0;  // bytes that this process could use in total
};

// The minimum of: the available memory of /proc/meminfo; what the control groups of this process leave (versions 1 and
// 2, its own group and all parents; files that the kernel only caches count as free); and RLIMIT_AS and RLIMIT_DATA
// (ulimit -v, -d). `root`: location of /proc and /sys, for tests; limits of the process itself count only with the real
// root.
MainMemory main_memory(const std::string& root = "");

// Whether RLIMIT_AS or RLIMIT_DATA limit this process: then not only fields but also threads and libraries may fail to
// get memory.
bool memory_of_process_is_limited();

// The memory counted by those limits, in bytes.
struct MemoryUse {
  std::size_t addresses = 0;  // RLIMIT_AS
  std::size_t data = 0;       // RLIMIT_DATA; part of `addresses`
};
MemoryUse memory_use_of_process();

// Allocates a multiple of 256 bytes, aligned to 256, to be released by std::free; null: out of memory. Large blocks
// request pages of 2 MiB: a page is prepared at first touch, which for 38 MB took 40 ms on two busy cores with 4 KiB
// pages, and 3 to 12 ms with 2 MiB pages.
void* allocate_main_memory(std::size_t bytes);

}  // namespace perturb

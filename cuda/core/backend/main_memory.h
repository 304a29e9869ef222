// How much of the machine's memory this process may have: the machine's own, and what a container
// or a shell allows of it.
#pragma once

#include <cstddef>
#include <string>

namespace perturb {

struct MainMemory {
  std::size_t free = 0;   // bytes that could still be taken
  std::size_t total = 0;  // bytes that this process could have in all
};

// The least of: what /proc/meminfo has available; what the control groups of this process leave (versions 1 and 2,
// its own group and all those above it; files that the kernel only caches count as free); and RLIMIT_AS and
// RLIMIT_DATA (ulimit -v, -d). `root`: where /proc and /sys lie, for tests; limits of the process itself count
// with the real one alone.
MainMemory main_memory(const std::string& root = "");

// Whether RLIMIT_AS or RLIMIT_DATA bound this process: then not only fields may find no room, but
// threads and libraries too.
bool memory_of_process_is_limited();

// What those limits count, in bytes.
struct MemoryUse {
  std::size_t addresses = 0;  // RLIMIT_AS
  std::size_t data = 0;       // RLIMIT_DATA; part of `addresses`
};
MemoryUse memory_use_of_process();

// Memory of a multiple of 256 bytes at a multiple of 256, for std::free; null: there is none. What is large asks for
// pages of 2 MiB: a page is made ready when it is touched first, which for 38 MB in pages of 4 KiB took 40 ms on two
// busy cores, and so 3 to 12.
void* allocate_main_memory(std::size_t bytes);

}  // namespace perturb

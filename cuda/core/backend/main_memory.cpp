#include "cuda/core/backend/main_memory.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

#include <sys/mman.h>
#include <sys/resource.h>

#include "cuda/core/backend/control_groups.h"

namespace perturb {

namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

// The number after a key in lines of "key number ...", multiplied by `unit` bytes.
std::optional<std::size_t> number_of(const std::string& path, const std::string& key, std::size_t unit) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word;
    std::size_t value = 0;
    if (words >> word && word == key && words >> value) return value * unit;
  }
  return std::nullopt;
}

// The number in a file that holds only one; "max" counts as none.
std::optional<std::size_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::size_t value = 0;
  if (file >> value) return value;
  return std::nullopt;
}

void take_min(MainMemory& memory, std::size_t limit, std::size_t used) {
  memory.total = std::min(memory.total, limit);
  memory.free = std::min(memory.free, limit > used ? limit - used : 0);
}

void limit_by_process(decltype(RLIMIT_AS) resource, const char* used_key, MainMemory& memory) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  take_min(memory, limit.rlim_cur, number_of("/proc/self/status", used_key, 1024).value_or(0));
}

}  // namespace

bool memory_of_process_is_limited() {
  for (const auto resource : {RLIMIT_AS, RLIMIT_DATA}) {
    rlimit limit{};
    if (getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) return true;
  }
  return false;
}

MemoryUse memory_use_of_process() {
  const auto used = [](const char* key) { return number_of("/proc/self/status", key, 1024).value_or(0); };
  return {used("VmSize:"), used("VmData:")};
}

MainMemory main_memory(const std::string& root) {
  const std::string meminfo = root + "/proc/meminfo";
  MainMemory memory{number_of(meminfo, "MemAvailable:", 1024).value_or(unlimited),
                    number_of(meminfo, "MemTotal:", 1024).value_or(unlimited)};
  for_each_control_group(root, "memory", [&](int version, const std::string& folder) {
    const auto limit = number_in(folder + (version == 2 ? "memory.max" : "memory.limit_in_bytes"));
    if (!limit) return;
    const std::size_t used =
        number_in(folder + (version == 2 ? "memory.current" : "memory.usage_in_bytes")).value_or(0);
    const std::size_t cached =
        number_of(folder + "memory.stat", version == 2 ? "inactive_file" : "total_inactive_file", 1).value_or(0);
    take_min(memory, *limit, used - std::min(used, cached));
  });
  if (root.empty()) {
    limit_by_process(RLIMIT_AS, "VmSize:", memory);
    limit_by_process(RLIMIT_DATA, "VmData:", memory);
  }
  return memory;
}

void* allocate_main_memory(std::size_t bytes) {
  constexpr std::size_t page = std::size_t{2} << 20, large = 4 * page;
  if (bytes >= large)
    if (void* const memory = std::aligned_alloc(page, (bytes + page - 1) / page * page)) {
      madvise(memory, bytes, MADV_HUGEPAGE);  // without huge pages, normal pages are used
      return memory;
    }
  return std::aligned_alloc(256, bytes == 0 ? 256 : bytes);
}

}  // namespace perturb

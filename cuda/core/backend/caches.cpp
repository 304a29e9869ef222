#include "cuda/core/backend/caches.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

namespace perturb {

namespace {

// The first word of a file; empty if it cannot be read.
std::string word_in(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

// "48K" or "32M" in bytes; 0 for anything else, such as more than nine digits.
std::size_t bytes_of(const std::string& size) {
  std::size_t number = 0, k = 0;
  for (; k < size.size() && size[k] >= '0' && size[k] <= '9' && k < 9; ++k)
    number = 10 * number + static_cast<std::size_t>(size[k] - '0');
  const std::string unit = size.substr(k);
  return number * (unit == "K" ? 1024 : unit == "M" ? 1024 * 1024 : unit.empty() ? 1 : 0);
}

}  // namespace

std::vector<Cache> read_caches(const std::string& folder, int threads) {
  constexpr int max_processors = 4096, max_caches = 16;
  struct Level {
    std::size_t bytes = 0;
    std::set<std::string> sharing;  // the processors of each cache of this level
  };
  std::map<int, Level> levels;
  for (int processor = 0; processor < max_processors; ++processor) {
    const std::string caches = folder + "/cpu" + std::to_string(processor) + "/cache/index";
    int read = 0;
    for (; read < max_caches; ++read) {
      const std::string cache = caches + std::to_string(read) + "/";
      const std::string level = word_in(cache + "level");
      if (level.size() != 1 || level[0] < '1' || level[0] > '9') break;
      if (word_in(cache + "type") == "Instruction") continue;
      Level& of = levels[level[0] - '0'];
      of.bytes = std::max(of.bytes, bytes_of(word_in(cache + "size")));
      of.sharing.insert(word_in(cache + "shared_cpu_list"));
    }
    if (read == 0) break;
  }
  std::vector<Cache> found;
  for (const auto& [level, of] : levels)
    if (of.bytes > 0)
      found.push_back({level, of.bytes * std::min(of.sharing.size(), static_cast<std::size_t>(std::max(1, threads)))});
  return found;
}

std::vector<Cache> caches_of(const Backend& backend) {
  if (!backend.is_cuda()) return read_caches("/sys/devices/system/cpu", backend.threads());
  const std::size_t bytes = detail::l2_bytes_cuda(backend.device_index());
  return bytes > 0 ? std::vector<Cache>{{2, bytes}} : std::vector<Cache>();
}

}  // namespace perturb

#include "cuda/core/backend/control_groups.h"

#include <algorithm>
#include <fstream>

namespace perturb {

void for_each_control_group(const std::string& root, const std::string& controller,
                            const std::function<void(int version, const std::string& folder)>& visit) {
  // In a container the path may be the host's and not exist; then only its root, the mount itself, exists, and it is
  // the container's.
  const auto visit_path = [&](int version, const std::string& mount, std::string group) {
    while (true) {
      while (!group.empty() && group.back() == '/') group.pop_back();
      visit(version, root + mount + group + "/");
      if (group.empty()) return;
      group.resize(group.rfind('/') == std::string::npos ? 0 : group.rfind('/'));
    }
  };
  // Lines of "number:controllers:path"; version 2 has no controllers, and both versions may be present.
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string path = line.substr(second + 1);
    if (controllers == ",,") visit_path(2, "/sys/fs/cgroup", path);
    if (controllers.find("," + controller + ",") != std::string::npos)
      visit_path(1, "/sys/fs/cgroup/" + controller, path);
  }
}

double processor_quota(const std::string& root) {
  double min_processors = 0;
  for_each_control_group(root, "cpu", [&](int version, const std::string& folder) {
    double quota = 0, period = 0;  // microseconds; "max" and -1: no limit
    if (version == 2) {
      std::ifstream(folder + "cpu.max") >> quota >> period;
    } else {
      std::ifstream(folder + "cpu.cfs_quota_us") >> quota;
      std::ifstream(folder + "cpu.cfs_period_us") >> period;
    }
    if (quota > 0 && period > 0)
      min_processors = min_processors > 0 ? std::min(min_processors, quota / period) : quota / period;
  });
  return min_processors;
}

}  // namespace perturb

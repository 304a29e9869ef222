// The control groups of Linux, by which a container limits memory and processors.
#pragma once

#include <functional>
#include <string>

namespace perturb {

// Calls `visit` for the group of this process and all its parents, in both versions, with the folder of the group's
// files, which ends with a slash and may not exist. `controller`: "memory" or "cpu". `root`: for tests, the folder that
// stands for /.
void for_each_control_group(const std::string& root, const std::string& controller,
                            const std::function<void(int version, const std::string& folder)>& visit);

// The processors that the groups allow on average, such as 1.5; 0: they set no limit.
double processor_quota(const std::string& root = "");

}  // namespace perturb

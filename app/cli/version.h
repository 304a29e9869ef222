// Which program this is.
#pragma once

#include <string>

namespace perturb {

// The commit that it was built from, such as "98772d1f24" or, with changes that are not committed,
// "98772d1f24-changed". Empty: from sources without git's history. (scripts/cmake/Commit.cmake)
extern const char* const build_commit;

// "Perturb 0.1.0 (98772d1f24)".
std::string version_text();

}  // namespace perturb

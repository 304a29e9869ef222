#include "app/cli/version.h"

namespace perturb {

std::string version_text() {
  const std::string commit = build_commit;
  return "Perturb " PERTURB_VERSION + (commit.empty() ? "" : " (" + commit + ")");
}

}  // namespace perturb

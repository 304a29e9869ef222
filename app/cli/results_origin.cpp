#include "app/cli/results_origin.h"

#include "app/cli/version.h"
#include "app/io/files/date.h"
#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/cpu_threads.h"

namespace perturb {

const nlohmann::ordered_json& results_origin() {
  static const nlohmann::ordered_json origin = {
      {"date", today()},
      {"commit", build_commit},
      {"driver", cuda_status().driver},
      {"host",
       Backend::make_cpu(1)->device_name() + ", " + std::to_string(CpuThreads::available()) + " threads available"}};
  return origin;
}

}  // namespace perturb

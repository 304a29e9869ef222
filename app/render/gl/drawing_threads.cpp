#include "app/render/gl/drawing_threads.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <unistd.h>

#include "cuda/core/backend/cpu_threads.h"

namespace perturb {

void limit_drawing_threads() {
  constexpr long most = 32, others = 8;  // Mesa's maximum; its queues for shaders and for the screen, and this thread
  const auto processors = static_cast<int>(std::clamp(sysconf(_SC_NPROCESSORS_ONLN), 1L, most) + others);
  if (CpuThreads::startable(processors) == processors) return;
  for (const auto& [name, value] : {std::pair{"LP_NUM_THREADS", "0"}, std::pair{"MESA_SHADER_CACHE_DISABLE", "true"},
                                    std::pair{"MESA_GLSL_CACHE_DISABLE", "true"}, std::pair{"mesa_glthread", "false"}})
    setenv(name, value, 1);
}

}  // namespace perturb

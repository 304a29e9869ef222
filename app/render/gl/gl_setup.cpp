#include "app/render/gl/gl_setup.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <glad/gl.h>
#include <unistd.h>

#include "cuda/core/backend/check.h"
#include "cuda/core/backend/cpu_threads.h"

namespace perturb {

void load_gl(GlFunction (*look_up)(const char* name)) {
  const int version = gladLoadGL(look_up);
  const int major = GLAD_VERSION_MAJOR(version), minor = GLAD_VERSION_MINOR(version);
  if (major > 3 || (major == 3 && minor >= 3)) return;
  throw Error(
      (version == 0 ? Message("Perturb draws with OpenGL 3.3, but no OpenGL was found.")
                    : Message("Perturb draws with OpenGL 3.3, but this machine offers {}.{}.", major, minor)) +
      "Update the graphics driver, or install Mesa (package libgl1-mesa-dri) and start with LIBGL_ALWAYS_SOFTWARE=1.");
}

void limit_drawing_threads() {
  constexpr long max_processors = 32,
                 others = 8;  // Mesa's maximum; its queues for shaders and for the screen, and this thread
  const auto processors = static_cast<int>(std::clamp(sysconf(_SC_NPROCESSORS_ONLN), 1L, max_processors) + others);
  if (CpuThreads::startable(processors) == processors) return;
  for (const auto& [name, value] : {std::pair{"LP_NUM_THREADS", "0"}, std::pair{"MESA_SHADER_CACHE_DISABLE", "true"},
                                    std::pair{"MESA_GLSL_CACHE_DISABLE", "true"}, std::pair{"mesa_glthread", "false"}})
    setenv(name, value, 1);
}

}  // namespace perturb

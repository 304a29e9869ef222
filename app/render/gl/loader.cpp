#include "app/render/gl/loader.h"

#include <string>

#include <glad/gl.h>

#include "cuda/core/backend/check.h"

namespace perturb {

void load_gl(GlFunction (*look_up)(const char* name)) {
  const int version = gladLoadGL(look_up);
  const int major = GLAD_VERSION_MAJOR(version), minor = GLAD_VERSION_MINOR(version);
  if (major > 3 || (major == 3 && minor >= 3)) return;
  throw Error("Perturb draws with OpenGL 3.3, but " +
              (version == 0 ? std::string("no OpenGL was found")
                            : "this machine offers " + std::to_string(major) + "." + std::to_string(minor)) +
              ". Update the graphics driver, or install Mesa (package libgl1-mesa-dri) and start with "
              "LIBGL_ALWAYS_SOFTWARE=1.");
}

}  // namespace perturb

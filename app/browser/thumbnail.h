// A scene's small picture, made by running it for a moment.
#pragma once

#include <string>

#include "app/run/scene.h"
#include "cuda/core/backend/stop.h"
#include "cuda/core/paint/picture.h"

namespace perturb {

inline constexpr int thumbnail_width = 288, thumbnail_height = 162;

// What the scene looks like some seconds after it began: of several moments the one in which most is to be seen. On one
// CPU thread, this one, for at most about `seconds` of computing. Throws Stopped once `stop` is asked, and Error for a
// scene that cannot be run here.
Picture make_thumbnail(const Scene& scene, double seconds, const StopRequest& stop);

// The name of the file that keeps it: other for another program, and for another text of its preset.
std::string thumbnail_file_name(const std::string& scene, const std::string& preset);
// How the names of a scene's files begin, whatever its text.
std::string thumbnail_file_prefix(const std::string& scene);

}  // namespace perturb

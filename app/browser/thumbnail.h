// Makes the thumbnail of a scene by running it briefly.
#pragma once

#include <string>

#include "app/run/scene.h"
#include "cuda/core/backend/stop.h"
#include "cuda/core/paint/picture.h"

namespace perturb {

inline constexpr int thumbnail_width = 288, thumbnail_height = 162;

// Image of the scene some seconds after its start: of several candidate times, the one with the most visible detail.
// Runs on the calling thread only, for at most about `seconds` of CPU time. Throws Stopped once `stop` is requested,
// and Error for a scene that cannot run here.
Picture make_thumbnail(const Scene& scene, double seconds, const StopRequest& stop);

// Name of the cache file. It changes with the program and with the text of the preset.
std::string thumbnail_file_name(const std::string& scene, const std::string& preset);
// Common prefix of the names of a scene's files, for any text of the preset.
std::string thumbnail_file_prefix(const std::string& scene);

}  // namespace perturb

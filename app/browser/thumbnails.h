// Thumbnails of scenes: makes them by running each scene briefly, and saves them between sessions.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cuda/core/backend/stop.h"
#include "cuda/core/paint/pixels.h"

namespace perturb {

struct Scene;

inline constexpr int thumbnail_width = 288, thumbnail_height = 162;

// Image of the scene some seconds after its start: of several candidate times, the one with the most visible detail.
// Runs on the calling thread only, for at most about `seconds` of CPU time. Throws Stopped once `stop` is requested,
// and Error for a scene that cannot run here.
Picture make_thumbnail(const Scene& scene, double seconds, const StopRequest& stop);

// Identifies the image of a scene: changes with what is drawn, but not with the scene's texts.
std::string thumbnail_key(const Scene& scene);
// The thumbnail that is part of the program (assets/thumbnails). None for a scene that is not built-in, or that differs
// from the one whose thumbnail was made.
std::optional<Picture> embedded_thumbnail(const std::string& scene);
// Path of the embedded image below assets/thumbnails.
std::string embedded_thumbnail_name(const std::string& scene);

// Name of the cache file. It changes with the program and with the text of the preset.
std::string thumbnail_file_name(const std::string& scene, const std::string& preset);
// Common prefix of the names of a scene's files, for any text of the preset.
std::string thumbnail_file_prefix(const std::string& scene);

// Takes the embedded thumbnails, loads those of earlier sessions from disk, and makes the others on a background thread
// of low priority.
class ThumbnailStore {
 public:
  // `folder`: where the thumbnails are saved, created when needed; "" saves none. `seconds`: maximum computing time for
  // each.
  explicit ThumbnailStore(std::string folder, double seconds = 2);
  // Cancels the thumbnail in progress.
  ~ThumbnailStore();
  ThumbnailStore(const ThumbnailStore&) = delete;
  ThumbnailStore& operator=(const ThumbnailStore&) = delete;

  // Requests the thumbnail of a scene, once or in every frame. Scenes requested since the last take() come first, in
  // the order of the requests. The first request starts the thread.
  void request(const std::string& scene);
  // Thumbnails finished since the last call, each returned once. A scene that cannot be drawn has none.
  std::vector<std::pair<std::string, Picture>> take();

 private:
  struct Thread;
  std::string folder_;
  double seconds_;
  std::unique_ptr<Thread> thread_;
};

// "$XDG_CACHE_HOME/perturb/thumbnails"; empty if no such folder is available.
std::string thumbnails_folder();

}  // namespace perturb

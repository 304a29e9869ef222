// Thumbnails of scenes: loads those of earlier runs from disk and makes the others on a background thread of low
// priority.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuda/core/paint/picture.h"

namespace perturb {

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

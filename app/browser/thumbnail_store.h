// Small pictures of scenes: those of earlier runs from the disk, others made behind, on a thread of its own that gives
// way to everything else.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuda/core/paint/picture.h"

namespace perturb {

class ThumbnailStore {
 public:
  // `folder`: where they are kept, made when it is needed; "": nowhere. `seconds`: of computing for each at most.
  explicit ThumbnailStore(std::string folder, double seconds = 2);
  // Gives up what is being made.
  ~ThumbnailStore();
  ThumbnailStore(const ThumbnailStore&) = delete;
  ThumbnailStore& operator=(const ThumbnailStore&) = delete;

  // Asks for a scene's picture, once or in every frame: what was asked for since the last take() is made first, in that
  // order. The thread begins with the first wish.
  void request(const std::string& scene);
  // Those that have come since, each once. A scene that cannot be drawn has none.
  std::vector<std::pair<std::string, Picture>> take();

 private:
  struct Thread;
  std::string folder_;
  double seconds_;
  std::unique_ptr<Thread> thread_;
};

// "$XDG_CACHE_HOME/perturb/thumbnails"; empty where there is no such folder to be had.
std::string thumbnails_folder();

}  // namespace perturb

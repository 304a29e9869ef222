#include "app/browser/thumbnail_store.h"

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <tuple>

#include <sys/resource.h>

#include "app/browser/thumbnail.h"
#include "app/io/files/user_folders.h"
#include "app/io/image/image.h"
#include "app/io/image/picture_file.h"
#include "app/io/preset/presets.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

namespace fs = std::filesystem;

constexpr double quick_share = 0.06;  // of the computing time of a thumbnail

// The folder is a cache: if it cannot be written, thumbnails are made again.
void save_thumbnail(const std::string& folder, const std::string& scene, const std::string& name,
                    const Picture& picture) {
  std::error_code error;
  fs::create_directories(folder, error);
  const std::string prefix = thumbnail_file_prefix(scene);
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (entry->path().filename().string().starts_with(prefix)) fs::remove(entry->path(), ignored);
  }
  try {
    save_png(picture, folder + "/" + name);
  } catch (const Error&) {
    return;
  }
}

}  // namespace

struct ThumbnailStore::Thread {
  // First searched for on disk; otherwise drawn quickly, so that something is visible; then drawn in full and saved.
  enum class Stage { requested, quick, full, done };
  struct Request {
    Stage stage = Stage::requested;
    std::int64_t batch = 0, position = 0;  // batch of the last request, and its position within the batch
  };

  std::mutex mutex;
  std::condition_variable requested;
  std::map<std::string, Request> requests;
  std::vector<std::pair<std::string, Picture>> finished;
  std::int64_t batches = 1, positions = 0;
  bool closing = false;
  StopRequest stop;
  std::thread thread;

  // The next scene: the quicker stage first; within a stage, the currently visible entries from top to bottom.
  std::map<std::string, Request>::iterator next() {
    auto best = requests.end();
    for (auto it = requests.begin(); it != requests.end(); ++it) {
      if (it->second.stage == Stage::done) continue;
      const Request &one = it->second, &other = best == requests.end() ? one : best->second;
      if (best == requests.end() ||
          std::tuple(one.stage, -one.batch, one.position) < std::tuple(other.stage, -other.batch, other.position))
        best = it;
    }
    return best;
  }

  void work(const std::string& folder, double seconds) {
    // On Linux this applies to the calling thread only.
    setpriority(PRIO_PROCESS, 0, 10);
    std::unique_lock lock(mutex);
    for (;;) {
      requested.wait(lock, [this] { return closing || next() != requests.end(); });
      if (closing) return;
      const auto chosen = next();
      const std::string scene = chosen->first;
      const Stage stage = chosen->second.stage;
      lock.unlock();
      std::optional<Picture> picture;
      const std::string name = thumbnail_file_name(scene, preset_text(scene));
      try {
        if (stage == Stage::requested) {
          if (!folder.empty()) picture = load_picture(folder + "/" + name, 4096);
        } else {
          picture = make_thumbnail(load_scene(scene), stage == Stage::quick ? quick_share * seconds : seconds, stop);
          if (stage == Stage::full && !folder.empty()) save_thumbnail(folder, scene, name, *picture);
        }
      } catch (const std::exception&) {
        // A scene that cannot run reports the reason when the user opens it; Stopped ends the thread.
      }
      lock.lock();
      if (closing) return;
      Request& request = requests[scene];
      if (stage == Stage::requested)
        request.stage = picture ? Stage::done : Stage::quick;
      else  // a scene that failed would fail again
        request.stage = picture && stage == Stage::quick ? Stage::full : Stage::done;
      if (picture) finished.emplace_back(scene, std::move(*picture));
    }
  }
};

ThumbnailStore::ThumbnailStore(std::string folder, double seconds) : folder_(std::move(folder)), seconds_(seconds) {}

ThumbnailStore::~ThumbnailStore() {
  if (!thread_) return;
  {
    const std::lock_guard lock(thread_->mutex);
    thread_->closing = true;
    thread_->stop.request_stop();
  }
  thread_->requested.notify_all();
  if (thread_->thread.joinable()) thread_->thread.join();
}

void ThumbnailStore::request(const std::string& scene) {
  if (!thread_) {
    thread_ = std::make_unique<Thread>();
    try {
      thread_->thread = std::thread([this] { thread_->work(folder_, seconds_); });
    } catch (const std::system_error&) {
      // A limit of memory or processes was reached: the browser shows no thumbnails.
    }
  }
  {
    const std::lock_guard lock(thread_->mutex);
    Thread::Request& request = thread_->requests[scene];
    if (request.batch != thread_->batches) request.batch = thread_->batches, request.position = ++thread_->positions;
  }
  thread_->requested.notify_one();
}

std::vector<std::pair<std::string, Picture>> ThumbnailStore::take() {
  if (!thread_) return {};
  const std::lock_guard lock(thread_->mutex);
  ++thread_->batches;
  return std::exchange(thread_->finished, {});
}

std::string thumbnails_folder() {
  const std::string folder = cache_folder();
  return folder.empty() ? folder : folder + "/thumbnails";
}

}  // namespace perturb

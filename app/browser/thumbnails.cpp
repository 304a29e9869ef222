#include "app/browser/thumbnails.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <tuple>

#include <sys/resource.h>
#include <time.h>

#include "app/io/files/folders.h"
#include "app/io/image/image.h"
#include "app/io/preset/presets.h"
#include "app/run/experiment.h"
#include "app/run/run.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/field.h"
#include "cuda/core/paint/colormap.h"
#include "cuda/core/simulation/catalog.h"

namespace perturb {

namespace {

constexpr std::size_t most_thumbnail_memory = std::size_t{1} << 30;
// Times of the candidate images, in frames of the window; the later ones only if time remains.
constexpr int thumbnail_times[] = {10, 20, 40, 80, 160, 320, 640};
constexpr int thumbnail_steps_per_frame = 16;
constexpr int thumbnail_version = 2;  // increase it when the same scene would be drawn differently

// Amount of visible detail: differences between neighbours, weighted so that a few large ones count no more than many
// small ones.
double detail_of(const Picture& picture) {
  const auto level = [&](int x, int y) {
    const std::uint32_t p = picture.pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(picture.width) +
                                           static_cast<std::size_t>(x)];
    return static_cast<int>((p & 255) + ((p >> 8) & 255) + ((p >> 16) & 255));
  };
  double sum = 0;
  for (int y = 0; y + 2 < picture.height; y += 2)
    for (int x = 0; x + 2 < picture.width; x += 2) {
      const int here = level(x, y);
      sum += std::min(120, std::abs(level(x + 2, y) - here)) + std::min(120, std::abs(level(x, y + 2) - here));
    }
  return sum;
}

// The view with every automatic setting resolved, as a window shows the scene.
ViewSettings thumbnail_view(Simulation& simulation, const ViewSettings& given) {
  ViewSettings view = given;
  const std::vector<Quantity>& quantities = simulation.info().quantities;
  auto quantity =
      std::find_if(quantities.begin(), quantities.end(), [&](const Quantity& q) { return q.id == view.quantity; });
  if (quantity == quantities.end()) quantity = quantities.begin();
  view.quantity = quantity->id;
  if (view.colormap.empty()) view.colormap = quantity->colormap;
  if (view.automatic) {
    const Diagnostics found = simulation.diagnostics(view, true);
    view.minimum = found.minimum, view.maximum = found.maximum;
    if (quantity->is_signed)
      view.maximum = std::max(std::abs(view.minimum), std::abs(view.maximum)), view.minimum = -view.maximum;
  }
  if (!(view.maximum > view.minimum)) view.minimum = quantity->minimum, view.maximum = quantity->maximum;
  return view;
}

// CPU time of this thread. The thread has a low priority, so elapsed time says little about the work done.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::string digits(std::uint64_t hash) {
  char text[20];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

// The FNV-1a hash of Fowler, Noll and Vo.
std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

}  // namespace

std::string thumbnail_file_prefix(const std::string& scene) { return digits(hash_of(scene)) + "-"; }

std::string thumbnail_file_name(const std::string& scene, const std::string& preset) {
  return thumbnail_file_prefix(scene) +
         digits(hash_of(PERTURB_VERSION "\n" + std::to_string(thumbnail_version) + "\n" + preset)) + ".png";
}

Picture make_thumbnail(const Scene& scene, double seconds, const StopRequest& stop) {
  const auto backend = Backend::make_cpu(1);
  const StopScope scope(*backend, stop);
  const SimulationInfo& info = find_simulation(scene.setup.simulation);
  if (info.memory_needed && info.memory_needed(*backend, scene.setup) > most_thumbnail_memory)
    throw Error("The scene is too large for a thumbnail.");
  Experiment experiment(*backend, scene);
  Field<std::uint32_t> pixels(*backend, thumbnail_width, thumbnail_height, "thumbnail");
  Picture best;
  double most = -1;
  const auto capture = [&] {
    const ViewSettings view = thumbnail_view(experiment.simulation(), scene.view);
    const ColorTable table(*backend, find_colormap(view.colormap));
    experiment.simulation().paint_view(pixels.view(), scene.camera, view, table);
    backend->synchronize();
    Picture picture{thumbnail_width, thumbnail_height, {}};
    for (int j = 0; j < thumbnail_height; ++j) {
      const std::uint32_t* row = pixels.view().row(j);
      picture.pixels.insert(picture.pixels.end(), row, row + thumbnail_width);
    }
    if (const double detail = detail_of(picture); detail > most) most = detail, best = std::move(picture);
  };
  const std::int64_t steps = scene.steps_per_frame > 0 ? scene.steps_per_frame : thumbnail_steps_per_frame;
  // Also limits the elapsed time on a busy machine.
  const double end = processor_seconds() + seconds;
  const auto latest = std::chrono::steady_clock::now() + std::chrono::duration<double>(10 * seconds);
  const auto has_time = [&] { return processor_seconds() < end && std::chrono::steady_clock::now() < latest; };
  capture();
  std::int64_t frames = 0;
  for (const int moment : thumbnail_times) {
    for (; frames < moment && has_time(); ++frames) {
      experiment.advance(steps);
      if (stop.stop_requested()) throw Stopped();
    }
    if (!experiment.stop_reason().empty()) break;
    capture();
    if (frames < moment) break;
  }
  return best;
}

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

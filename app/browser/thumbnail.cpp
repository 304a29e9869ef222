#include "app/browser/thumbnail.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <time.h>

#include "app/run/experiment.h"
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
    throw Error("The scene is too large for a small picture.");
  Experiment experiment(*backend, scene);
  Field<std::uint32_t> pixels(*backend, thumbnail_width, thumbnail_height, "small picture");
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

}  // namespace perturb

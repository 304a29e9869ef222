#include "app/cli/bench_study.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "cuda/core/backend/field.h"
#include "cuda/core/paint/colormap.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/timing/timing_duration.h"
#include "cuda/studies/study.h"

namespace perturb {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double seconds_before = 1;  // maximum time of computing, so that the image shows something
constexpr int frames_before = 60, usual_steps_per_frame = 16;
constexpr double frame_group_seconds = 0.1;
constexpr int frame_groups = 5;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Seconds per call: the best of several groups, each long compared with the clock's resolution. Queued work is
// completed at the end of each group.
template <class Do>
double best_seconds(Backend& backend, const Do& once) {
  const auto group = [&](std::int64_t times) {
    const double seconds = seconds_to_run(backend, [&] {
      for (std::int64_t k = 0; k < times; ++k) once();
    });
    return seconds / static_cast<double>(times);
  };
  group(1);  // the first one allocates memory
  const double rough = std::max(group(2), 1e-7);
  const auto times = static_cast<std::int64_t>(std::clamp(frame_group_seconds / rough, 1.0, 1e4));
  double best = group(times);
  for (int k = 1; k < frame_groups; ++k) best = std::min(best, group(times));
  return best;
}

StudyResult run_frame_study(Backend& backend, const Scene& scene, const StudyProgress& progress) {
  const Setup& setup = scene.setup;
  const int side = backend.is_cuda() ? 1024 : 512;
  const SimulationInfo& info = find_simulation(setup.simulation);
  const std::unique_ptr<Simulation> simulation = info.create(backend, setup);
  progress(setup.simulation + (setup.preset.empty() ? "" : "/" + setup.preset));
  const int steps = scene.steps_per_frame > 0 ? scene.steps_per_frame : usual_steps_per_frame;
  const auto start = Clock::now();
  for (int frame = 0; frame < frames_before && seconds_since(start) < seconds_before; ++frame) {
    simulation->step(steps);
    backend.synchronize();
  }

  Array<std::uint32_t> picture(backend, static_cast<std::size_t>(side) * static_cast<std::size_t>(side), "image");
  const Pixels pixels{picture.view().data, side, side, side};
  StudyTable table("frame",
                   "Time per frame in addition to the steps: images of " + std::to_string(side) + " x " +
                       std::to_string(side) + " pixels",
                   {column("part"), column("id", ""), column("seconds", "time", "s")},
                   "The best of " + std::to_string(frame_groups) +
                       " groups. The time of the curves applies to frames that wait for them; the window draws them "
                       "only in spare time.");
  for (const Quantity& quantity : info.quantities) {
    progress(quantity.id);
    ViewSettings view = scene.view;
    view.quantity = quantity.id;
    view.minimum = quantity.minimum;
    view.maximum = quantity.maximum;
    const ColorTable colors(backend, find_colormap(quantity.colormap));
    table.rows.push_back({std::string("picture"), quantity.id,
                          best_seconds(backend, [&] { simulation->paint(pixels, scene.camera, view, colors); })});
  }
  progress("curves");
  // Measurements of an unchanged state may be cached, so each follows a step, which is completed before the clock
  // starts.
  double min_seconds = 1e30;
  for (int group = 0; group < frame_groups; ++group) {
    double spent = 0;
    int times = 0;
    for (const auto begun = Clock::now(); times == 0 || seconds_since(begun) < frame_group_seconds; ++times) {
      simulation->step(1);
      backend.synchronize();
      const auto asked = Clock::now();
      simulation->diagnostics(scene.view, true);
      spent += seconds_since(asked);
    }
    min_seconds = std::min(min_seconds, spent / times);
  }
  table.rows.push_back({std::string("curves"), std::string("all"), min_seconds});
  return {{table}, {}};
}

}  // namespace

BenchStudy frame_study() {
  return {"frame", "Time per frame in addition to the steps: the image of each quantity, and the curves.",
          run_frame_study};
}

std::vector<BenchStudy> bench_studies(const SimulationInfo& info) {
  std::vector<BenchStudy> all;
  for (const Study& study : studies_of(info.id))
    all.push_back({study.id, study.summary,
                   [run = study.run](Backend& backend, const Scene& scene, const StudyProgress& progress) {
                     return run(backend, scene.setup, progress);
                   }});
  all.push_back(frame_study());
  return all;
}

}  // namespace perturb

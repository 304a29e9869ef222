#include "app/web/engine/shared_run.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>
#include <variant>

#include "app/io/preset/scenes.h"
#include "app/web/engine/web_run.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/paint/orbit.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb {

namespace {
using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds progress_every{100};

// Whether the run continues from another state: earlier readings do not belong to it.
bool replaces_state(const RunJob& job) {
  return std::holds_alternative<job::Restart>(job) || std::holds_alternative<job::Undo>(job) ||
         std::holds_alternative<job::Redo>(job) || std::holds_alternative<job::RestoreLastGood>(job) ||
         std::holds_alternative<job::ApplyRemedy>(job);
}
}  // namespace

SharedRun::SharedRun(int threads) { backends_.preferred = Backend::make_cpu(threads); }

SharedRun::SharedRun(Experiment& experiment)
    : experiment_(&experiment),
      runner_(std::make_unique<Runner>(experiment, Runner::Where::here)),
      seen_opening_(experiment.opening()) {}

void SharedRun::follow() {
  runner_->refresh_status();
  const RunStatus& now = *runner_->status();
  if (std::exchange(seen_opening_, now.opening) != now.opening)
    forget_run(false);
  else if (now.steps < seen_steps_)
    end_drags();
  seen_steps_ = now.steps;
}

Experiment& SharedRun::experiment() {
  if (!has_run()) throw InputError("No scene is open. Open one first.");
  return *experiment_;
}

std::shared_ptr<const RunStatus> SharedRun::status() {
  experiment();
  return runner_->status();
}

JobResult SharedRun::run_job(RunJob job) {
  experiment();
  const SetupProgress progress = shown_progress();
  const bool replaces = replaces_state(job);
  if (std::holds_alternative<job::ReturnToStep>(job))
    if (const RunStatus& before = *runner_->status(); before.steps == before.last_step)
      kept_readings_.keep(past_end_of(before), instruments.readings());
  if (replaces) instruments.clear_readings();
  JobResult final_result;
  runner_->post(std::move(job), [&](JobResult& result) { final_result = result; });
  if (replaces)
    if (const auto* kept = kept_readings_.find(past_end_of(*runner_->status()))) instruments.restore_readings(**kept);
  if (!final_result.warning.empty()) warning_ = final_result.warning;
  final_result.check();
  return final_result;
}

JobResult SharedRun::advance(std::int64_t steps) {
  const JobResult result = run_job(
      job::Advance{steps, instruments.probed(), instruments.along_cuts(cut_grid(), CutPoints::of_means), std::nullopt});
  instruments.take_probed(result.samples, result.every);
  for (const Sample& sample : result.lines) instruments.take_means(sample.values, cut_grid());
  return result;
}

SharedRun::Advanced SharedRun::advance(std::int64_t steps, double max_seconds) {
  const auto begin = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  std::int64_t taken = 0;
  while (taken < steps) {
    const double left = max_seconds - seconds();
    if (taken > 0 && left <= 0) break;
    std::int64_t piece = 1;
    if (seconds_per_step > 0 && left > 0)
      piece = static_cast<std::int64_t>(std::clamp(left / seconds_per_step, 1.0, 1e9));
    // A large piece would be late by the error of its estimate.
    if (seconds_per_step > 0 && piece > 4 && left < 1e6) piece = (3 * piece + 3) / 4;
    const double before = seconds();
    const JobResult result = advance(std::min(piece, steps - taken));
    if (result.steps == 0) break;  // the run has stopped
    // A GPU only queues the steps: without this, far more would be queued than it takes in the time, and the next
    // picture would wait for them.
    experiment().backend().synchronize();
    const double each = (seconds() - before) / static_cast<double>(result.steps);
    seconds_per_step = seconds_per_step > 0 ? 0.5 * (seconds_per_step + each) : each;
    taken += result.steps;
  }
  return {taken, seconds()};
}

DomainSize SharedRun::domain() {
  const std::shared_ptr<const RunStatus> now = status();
  return {now->domain_width, now->domain_height};
}

CutGrid SharedRun::cut_grid() { return perturb::cut_grid(experiment().setup(), experiment().info(), false); }

SetupProgress SharedRun::shown_progress() {
  return SetupProgress([this, shown = Clock::time_point()](std::size_t done, std::size_t all) mutable {
    const auto now = Clock::now();
    if (!show_progress || now - shown < progress_every) return;
    shown = now;
    show_progress(static_cast<double>(done) / static_cast<double>(all));
  });
}

void SharedRun::begin(Start start, const std::string& kernel) {
  if (!kernel.empty()) {
    const SimulationInfo& info = find_simulation(start.scene.setup.simulation);
    if (kernel != "auto") kernel_index(info, kernel);
    start.kernel = kernel;
  }
  const SetupProgress progress = shown_progress();
  const std::string before = has_run() ? scene_path_of(experiment_->setup()) : "";
  if (!experiment_) {
    auto made = std::make_unique<Experiment>(backends_.get(), std::move(start));
    runner_ = std::make_unique<Runner>(*made, Runner::Where::here);
    own_experiment_ = std::move(made);
    experiment_ = own_experiment_.get();
  } else {
    experiment_->open(std::move(start));
    runner_->refresh_status();
  }
  forget_run(scene_path_of(experiment_->setup()) == before);
}

void SharedRun::forget_run(bool same_scene) {
  // As in the window: those of another scene measure nothing here. The steps of a lesson open the same scene again.
  if (same_scene)
    instruments.clear_readings();
  else
    instruments.clear();
  range_.forget();
  seconds_per_step = 0;
  has_chosen_width = false;
  marks.clear();
  end_drags();
  for (WebRun* client : clients) {
    client->gesture.reset();
    // Its steps are those of the run before: none is counted until the client begins the step again.
    if (client->lesson) client->lesson->go_to(client->lesson->index());
  }
}

void SharedRun::end_drags() {
  for (WebRun* client : clients) client->end_drag();
}

void SharedRun::rewind_lessons() {
  for (WebRun* client : clients)
    if (client->lesson) client->lesson->on_run_rewound(status()->steps);
}

const Quantity& SharedRun::shown_quantity() {
  const SimulationInfo& info = experiment().info();
  return info.quantities[quantity_index(info, experiment().shown().view.quantity)];
}

ViewSettings SharedRun::resolved_view() {
  ViewSettings view = experiment().shown().view;
  const Quantity& quantity = shown_quantity();
  view.quantity = quantity.id;
  view.colormap = view.colormap.empty() ? quantity.colormap : find_colormap(view.colormap).id;
  if (view.automatic && range_.known()) {
    view.minimum = range_.minimum();
    view.maximum = range_.maximum();
  } else {
    const ShownRange range = shown_range(view, quantity);
    view.minimum = range.low;
    view.maximum = range.high;
  }
  return view;
}

ViewSettings SharedRun::painted_view() {
  if (experiment().shown().view.automatic && !range_known()) {
    job::ReadDiagnostics first;
    first.view = resolved_view();
    first.wait = true;
    follow_range(run_job(first).diagnostics);
  }
  return resolved_view();
}

const ColorTable& SharedRun::color_table(const std::string& colormap) {
  Backend& backend = experiment().backend();  // another scene may be on another one
  if (const Colormap& colors = find_colormap(colormap);
      !colors_ || color_backend_ != &backend || !colors_->holds(colors))
    colors_ = std::make_unique<ColorTable>(backend, colors);
  color_backend_ = &backend;
  return *colors_;
}

void SharedRun::follow_range(const Diagnostics& diagnostics) {
  if (experiment().shown().view.automatic)
    range_.follow(diagnostics, shown_quantity().is_signed);
  else
    range_.forget();
}

std::span<const std::uint32_t> SharedRun::paint(int width, int height) {
  if (width < 1 || height < 1 || width > max_image_side || height > max_image_side)
    throw InputError("An image must have 1 to {} pixels per side.", max_image_side);
  const std::size_t columns = static_cast<std::size_t>(width), size = columns * static_cast<std::size_t>(height);
  picture_.resize(size);
  const ViewSettings view = painted_view();
  const ColorTable& table = color_table(view.colormap);
  const auto paint_into = [&](std::uint32_t* pixels) {
    run_job(job::Paint{{pixels, width, height, width}, &table, experiment().shown().camera, view});
  };
  if (Backend& backend = experiment().backend(); backend.is_cuda()) {
    if (device_picture_.size() != size) {
      device_picture_ = {};  // release first, then allocate: two large images need not fit at once
      device_picture_ = Array<std::uint32_t>(backend, size, "image");
    }
    paint_into(device_picture_.data());
    device_picture_.download(std::span(picture_));
  } else {
    paint_into(picture_.data());
  }
  // The first row of Pixels is the bottom row.
  for (auto low = picture_.begin(), high = picture_.end(); low + width < high; low += width) {
    high -= width;
    std::swap_ranges(low, low + width, high);
  }
  return picture_;
}

// The middle of the pixel, as for the window's pointer.
Camera::Point SharedRun::position_of(double x, double y, int width, int height) {
  const std::shared_ptr<const RunStatus> now = status();
  const RunStatus& run = *now;
  const Camera& camera = experiment().shown().camera;
  const Camera::Point at = camera.to_domain(x, height - y, width, height, run.domain_width, run.domain_height);
  return shown_quantity().has_depth ? GroundView(camera, run.domain_width, run.domain_height).to_ground(at) : at;
}

Camera::Point SharedRun::pixel_of(double x, double y, int width, int height) {
  const std::shared_ptr<const RunStatus> now = status();
  const RunStatus& run = *now;
  const Camera& camera = experiment().shown().camera;
  const Camera::Point at = shown_quantity().has_depth
                               ? GroundView(camera, run.domain_width, run.domain_height).to_picture({x, y})
                               : Camera::Point{x, y};
  const Camera::Point pixel = camera.to_pixel(at.x, at.y, width, height, run.domain_width, run.domain_height);
  return {pixel.x, height - pixel.y};
}

}  // namespace perturb

#include "app/web/engine/web_run.h"

#include <chrono>
#include <utility>
#include <variant>

#include "app/io/preset/scenes.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/paint/orbit.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb {

namespace {
constexpr std::chrono::milliseconds progress_every{100};

// Whether the run continues from another state: earlier readings do not belong to it.
bool replaces_state(const RunJob& job) {
  return std::holds_alternative<job::Restart>(job) || std::holds_alternative<job::Undo>(job) ||
         std::holds_alternative<job::Redo>(job) || std::holds_alternative<job::RestoreLastGood>(job) ||
         std::holds_alternative<job::ApplyRemedy>(job);
}
}  // namespace

WebRun::WebRun(int threads) : backend_(Backend::make_cpu(threads)) {}

Experiment& WebRun::experiment() {
  if (!experiment_ || !experiment_->has_run()) throw InputError("No scene is open. Open one first.");
  return *experiment_;
}

std::shared_ptr<const RunStatus> WebRun::status() {
  experiment();
  return runner_->status();
}

const DisplayUnits& WebRun::display_units(bool of_scene) {
  static const DisplayUnits none;
  if (!experiment_ || !experiment_->has_run() || !(of_scene || lesson)) return none;
  const Simulation& simulation = experiment_->simulation();
  units_ = units_in_domain(experiment_->scene().units, experiment_->info(), simulation.domain_width(),
                           simulation.domain_height());
  return units_;
}

JobResult WebRun::run_job(RunJob job) {
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

JobResult WebRun::advance(std::int64_t steps) {
  const JobResult result = run_job(
      job::Advance{steps, instruments.probed(), instruments.along_cuts(cut_grid(), CutPoints::of_means), std::nullopt});
  instruments.take_probed(result.samples, result.every);
  for (const Sample& sample : result.lines) instruments.take_means(sample.values, cut_grid());
  return result;
}

DomainSize WebRun::domain() {
  const std::shared_ptr<const RunStatus> now = status();
  return {now->domain_width, now->domain_height};
}

CutGrid WebRun::cut_grid() { return perturb::cut_grid(experiment().setup(), experiment().info(), false); }

SetupProgress WebRun::shown_progress() {
  using Clock = std::chrono::steady_clock;
  return SetupProgress([this, shown = Clock::time_point()](std::size_t done, std::size_t all) mutable {
    const auto now = Clock::now();
    if (!show_progress || now - shown < progress_every) return;
    shown = now;
    show_progress(static_cast<double>(done) / static_cast<double>(all));
  });
}

void WebRun::begin(Start start, const std::string& kernel) {
  if (!kernel.empty()) {
    const SimulationInfo& info = find_simulation(start.scene.setup.simulation);
    if (kernel != "auto") kernel_index(info, kernel);
    start.kernel = kernel;
  }
  const SetupProgress progress = shown_progress();
  const std::string before = experiment_ && experiment_->has_run() ? scene_path_of(experiment_->setup()) : "";
  if (!experiment_) {
    auto made = std::make_unique<Experiment>(*backend_, std::move(start));
    runner_ = std::make_unique<Runner>(*made, Runner::Where::here);
    experiment_ = std::move(made);
  } else {
    experiment_->open(std::move(start));
    runner_->refresh_status();
  }
  // As in the window: those of another scene measure nothing here. The steps of a lesson open the same scene again.
  if (scene_path_of(experiment_->setup()) == before)
    instruments.clear_readings();
  else
    instruments.clear();
  range_.forget();
  seconds_per_step = 0;
  has_chosen_width = false;
  object_drag.reset();
  marks.clear();
}

const Quantity& WebRun::shown_quantity() {
  const SimulationInfo& info = experiment().info();
  return info.quantities[quantity_index(info, experiment().shown().view.quantity)];
}

ViewSettings WebRun::resolved_view() {
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

ViewSettings WebRun::painted_view() {
  if (experiment().shown().view.automatic && !range_known()) {
    job::ReadDiagnostics first;
    first.view = resolved_view();
    first.wait = true;
    follow_range(run_job(first).diagnostics);
  }
  return resolved_view();
}

const ColorTable& WebRun::color_table(const std::string& colormap) {
  if (const Colormap& colors = find_colormap(colormap); !colors_ || !colors_->holds(colors))
    colors_ = std::make_unique<ColorTable>(backend(), colors);
  return *colors_;
}

void WebRun::follow_range(const Diagnostics& diagnostics) {
  if (experiment().shown().view.automatic)
    range_.follow(diagnostics, shown_quantity().is_signed);
  else
    range_.forget();
}

// The middle of the pixel, as for the window's pointer.
Camera::Point WebRun::position_of(double x, double y, int width, int height) {
  const std::shared_ptr<const RunStatus> now = status();
  const RunStatus& run = *now;
  const Camera& camera = experiment().shown().camera;
  const Camera::Point at = camera.to_domain(x, height - y, width, height, run.domain_width, run.domain_height);
  return shown_quantity().has_depth ? GroundView(camera, run.domain_width, run.domain_height).to_ground(at) : at;
}

Camera::Point WebRun::pixel_of(double x, double y, int width, int height) {
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

#include "app/session/measurements.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "app/io/files/csv.h"
#include "app/run/pointer_segment.h"
#include "cuda/core/simulation/diagnostics.h"

namespace perturb {

void History::clear() {
  series_.clear();
  last_step_ = -1;
}

void History::add_point(Series& series, const CurvePoint& point) {
  series.points.push_back(point);
  const std::size_t old = series.groups.size();
  if (series.points.size() - old < 2 * min_new_points) return;
  for (std::size_t k = 0; k < min_new_points; ++k) {
    const SampleGroup one = SampleGroup::of(series.points[old + k]);
    if (k % series.in_group == 0)
      series.groups.push_back(one);
    else
      series.groups.back().add(one);
  }
  while (series.groups.size() > max_groups) {
    merge_pairs(series.groups);
    series.in_group = std::min(2 * series.in_group, min_new_points);
  }
  std::vector<CurvePoint> points;
  for (const SampleGroup& group : series.groups) points.push_back({group.x, group.mean});
  points.insert(points.end(), series.points.end() - static_cast<std::ptrdiff_t>(min_new_points), series.points.end());
  series.points = std::move(points);
}

void History::drop_from(double time) {
  for (Series& one : series_) {
    const auto is_later = [time](const auto& at) { return at.x >= time; };
    std::erase_if(one.points, is_later);
    std::erase_if(one.groups, is_later);
  }
}

void History::add(const Diagnostics& diagnostics) {
  if (diagnostics.scalars.empty() || diagnostics.step == last_step_) return;
  if (diagnostics.step < last_step_) drop_from(diagnostics.time);
  last_step_ = diagnostics.step;
  for (const Scalar& scalar : diagnostics.scalars) {
    if (!has_value(scalar.value)) continue;
    auto found = std::find_if(series_.begin(), series_.end(), [&](const Series& s) { return s.id == scalar.id; });
    if (found == series_.end())
      found = series_.insert(series_.end(), {scalar.id, scalar.label, scalar.unit, {}, scalar.meaning});
    add_point(*found, {diagnostics.time, scalar.value});
  }
}

void PointerProbe::move_to(const Camera::Point& fraction, double domain_width, double domain_height,
                           bool over_picture) {
  const bool moved = fraction.x != fraction_.x || fraction.y != fraction_.y;
  fraction_ = fraction;
  position_ = {fraction.x * domain_width, fraction.y * domain_height};
  in_domain_ = over_picture && is_in_domain(fraction);
  if (moved) {
    hover_seconds_ = 0;
    moved_ = true;
    if (reading_waits_) value_ = {};
  }
  if (!in_domain_) value_ = {};
}

bool PointerProbe::value_is_due() const {
  if (!in_domain_) return false;
  return reading_waits_ ? hover_seconds_ > 0.15 && value_age_ > 0.25 : value_age_ > 0.08 || moved_;
}

namespace {
// On a large grid on the CPU, diagnostics cost as much as steps: they may take a tenth of the time.
constexpr double rest_per_cost = 9;
// On a GPU, reading a record waits for the device.
constexpr double seconds_per_record = 0.25;
}  // namespace

DiagnosticsPoller::ObservedState DiagnosticsPoller::observed_state() const {
  const RunStatus& run = client_.run();
  return {run.steps, run.events, view_.quantity().id, view_.settings().automatic};
}

DiagnosticsPoller::InspectedPosition DiagnosticsPoller::inspected_position(const Camera::Point& at) const {
  return {at.x, at.y, client_.run().steps, client_.run().events};
}

void DiagnosticsPoller::poll(Requested requested, OnDiagnostics on_diagnostics) {
  job::ReadDiagnostics job;
  job.view = view_.resolved();
  job.kernels = requested.kernels;
  if (pointer_.value_is_due()) job.value_at = pointer_.fraction();
  // While steps are running, the state to observe is not known yet.
  job.diagnostics = !client_.is_idle() || !(observed_state() == last_waited_state_);
  job.wait = requested.wait;
  if (!job.wait && since_asked_ < rest_per_cost * cost_) job.diagnostics = false;
  if (!requested.microscope || !pointer_.in_domain()) {
    inspection_ = {};
    last_inspected_ = {};
  } else if (!client_.is_idle() || !(inspected_position(pointer_.fraction()) == last_inspected_)) {
    job.inspect_at = pointer_.fraction();
  }
  const LoopBlock block = requested.launch ? requested.loop_block : LoopBlock();
  if (!requested.launch) {
    launch_map_ = nullptr;
    last_mapped_ = {};
  } else {
    job.launch = !client_.is_idle() || !(inspected_position({}) == last_mapped_) || !(block == loop_block_);
  }
  // Repeated, because a restart has the usual shape again.
  if (job.launch || !(block == loop_block_)) job.loop_block = loop_block_ = block;
  // Where the user can choose the blocks, their time is shown.
  if (requested.launch && (requested.block_starts || (launch_map_ && launch_map_->block_is_a_choice))) {
    if (!records_blocks_ || since_record_ >= seconds_per_record) {
      job.block_starts = true;
      since_record_ = 0;
    }
  } else {
    block_starts_ = nullptr;
    if (records_blocks_) job.block_starts = false;
  }
  if (job.block_starts) records_blocks_ = *job.block_starts;
  if (!job.diagnostics && !job.value_at && !job.kernels && !job.inspect_at && !job.launch && !job.block_starts &&
      !job.loop_block)
    return;
  const bool has_value = job.value_at.has_value(), has_numbers = job.diagnostics, waited = job.wait, maps = job.launch;
  const std::optional<Camera::Point> inspects = job.inspect_at;
  if (has_value) pointer_.value_asked();
  client_.run_frame_job(std::move(job), [this, has_value, has_numbers, waited, inspects, maps,
                                         on_diagnostics = std::move(on_diagnostics)](JobResult& result) {
    if (result.cancelled) return;
    if (has_value) pointer_.take_value(result.value);
    if (inspects) {
      inspection_ = std::move(result.inspection);
      last_inspected_ = inspected_position(*inspects);
    }
    if (maps) {
      launch_map_ = std::move(result.launch_map);
      last_mapped_ = inspected_position({});
    }
    if (result.block_starts && records_blocks_) block_starts_ = std::move(result.block_starts);
    if (!has_numbers) return;
    if (waited) last_waited_state_ = observed_state();
    latest_ = std::move(result.diagnostics);
    cost_ = result.seconds;
    since_asked_ = 0;
    on_diagnostics(latest_);
  });
}

void DiagnosticsPoller::forget() {
  history_.clear();
  latest_ = {};
  last_waited_state_ = {};
  inspection_ = {};
  last_inspected_ = {};
  launch_map_ = nullptr;
  last_mapped_ = {};
  block_starts_ = nullptr;
  records_blocks_ = false;
}

std::vector<Curve> Measurements::curves_in(const DisplayUnits& units) const {
  const SimulationInfo& info = client_.info();
  std::vector<Curve> all = diagnostics_poller_.latest().curves;
  for (Curve& curve : instruments_.curves(info, client_.domain(), units, Instruments::For::files))
    all.push_back(std::move(curve));
  for (Curve& curve : all) curve = in_display_units(units, info, std::move(curve));
  return all;
}

std::vector<Curve> Measurements::curves_over_time() const {
  const SimulationInfo& info = client_.info();
  std::vector<Curve> curves;
  for (const History::Series& one : diagnostics_poller_.history().series()) {
    Curve curve;
    curve.id = one.id;
    curve.label = one.label;
    curve.x_label = "Time";
    curve.x_unit = time_unit_of(info);
    curve.y_label = one.label;
    curve.y_unit = one.unit;
    curve.points.assign(one.points.begin() + static_cast<std::ptrdiff_t>(one.groups.size()), one.points.end());
    curves.push_back(in_display_units(units_(), info, std::move(curve)));
  }
  return curves;
}

std::vector<Curve> Measurements::all_curves() const {
  std::vector<Curve> all = curves();
  for (Curve& curve : curves_over_time()) all.push_back(std::move(curve));
  return all;
}

std::string Measurements::to_text() const {
  const DisplayUnits& units = units_();
  const double time = client_.run().time;
  std::string text = "time: " + clock_text(units, client_.info(), time).english() + "\n";
  if (const std::string scales = scale_text(units); !scales.empty()) text += "units: " + scales + "\n";
  for (const Scalar& scalar : diagnostics_poller_.latest().scalars)
    text +=
        scalar.label.english() + ": " + quantity_text(units, scalar.value, scalar.unit, scalar.id, 6).english() + "\n";
  for (const Curve& curve : diagnostics_poller_.latest().curves)
    if (const Message error = error_text(curve); !error.empty())
      text += curve.label.english() + ": against theory" + error.english() + "\n";
  text += instruments_.text(client_.info(), client_.domain(), time, units);
  return text;
}

}  // namespace perturb

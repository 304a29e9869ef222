#include "app/session/instrument_readings.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace perturb {

namespace {

// A cut is read again when its cost is this share of the time since the last reading, but not more often than
// `least_cut_age`.
constexpr double cut_share = 0.05, least_cut_age = 1.0 / 40;
// Enough readings per frame to show an oscillation within it.
constexpr int readings_per_frame = 8;
constexpr double refresh_seconds = 0.1;

}  // namespace

void InstrumentReadings::take_probed(const JobResult& result, int asked) {
  if (asked == instruments_.generation()) instruments_.take_probed(result.samples, every_);
}

void InstrumentReadings::read_cuts() {
  const std::vector<SamplePoint> places = instruments_.along_cuts(Instruments::most_cut_places / 2);
  if (places.empty() || !client_.is_idle()) return;
  const RunStatus& run = client_.run();
  const bool is_same =
      cut_step_ == run.steps && cut_generation_ == instruments_.generation() && cut_events_ == run.events;
  if (is_same || cut_age_ < std::max(least_cut_age, cut_seconds_ / cut_share)) return;
  cut_step_ = run.steps, cut_generation_ = instruments_.generation(), cut_events_ = run.events;
  cut_age_ = 0;
  job::ReadDiagnostics job;
  job.diagnostics = false;
  job.points = places;
  client_.run_frame_job(std::move(job), [this, asked = cut_generation_](JobResult& result) {
    if (result.cancelled || result.samples.empty() || asked != instruments_.generation()) return;
    cut_seconds_ = result.seconds;
    instruments_.take_cuts(result.samples.front().values, result.samples.front().step);
  });
}

void InstrumentReadings::read_probes() {
  job::ReadDiagnostics job;
  job.diagnostics = false;
  job.points = instruments_.probed();
  if (!job.points.empty())
    client_.run_frame_job(std::move(job),
                          [this](JobResult& result) { instruments_.take_probed(result.samples, every_); });
}

void InstrumentReadings::read_all() {
  job::ReadDiagnostics job;
  job.diagnostics = false;
  job.points = instruments_.along_cuts(Instruments::most_cut_places);
  if (!job.points.empty())
    client_.run_frame_job(std::move(job), [this](JobResult& result) {
      if (!result.samples.empty()) instruments_.take_cuts(result.samples.front().values, result.samples.front().step);
    });
  instruments_.refresh(true, client_.info());
}

void InstrumentReadings::elapse(double seconds) {
  cut_age_ += seconds, refresh_age_ += seconds;
  if (refresh_age_ > refresh_seconds) instruments_.refresh(false, client_.info()), refresh_age_ = 0;
}

void InstrumentReadings::on_run_replaced(bool new_scene, int steps_per_frame) {
  instruments_.clear_readings();
  if (new_scene) every_ = std::max(1, steps_per_frame / readings_per_frame);
}

}  // namespace perturb

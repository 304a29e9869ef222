#include "app/session/instrument_readings.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "cuda/core/backend/check.h"

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

namespace {

constexpr int most_each_frame = 20;

std::unique_ptr<AudioSink> opened(const OpenAudio& open) {
  if (!open) throw Error("Cannot play sound here. Save the sound as a WAV file.");
  return open();
}

}  // namespace

ProbePlayer::ProbePlayer(int probe, const OpenAudio& open) : probe_(probe), out_(opened(open)), sound_(out_->rate()) {}

bool ProbePlayer::update(const Instruments& instruments) {
  if (!instruments.find(probe_)) return false;
  // An output that accepts everything at once, such as a file, gets at most the samples of a slow frame.
  for (int k = 0; k < most_each_frame && out_->free_samples() >= sound_.samples_per_call(); ++k) {
    const Series* series = instruments.series(probe_);
    const Spectrum* spectrum = instruments.spectrum(probe_);
    const bool has_read = series && !series->empty() && spectrum;
    out_->write(has_read ? sound_.next(series->even_values(), series->spacing(), spectrum->peak, series->last_step())
                         : sound_.next({}, 0, 0, -1));
  }
  return true;
}

void AudioOutput::play(int probe) {
  const bool ends = probe == this->probe();
  player_.reset();
  if (!ends) player_ = std::make_unique<ProbePlayer>(probe, open_);
}

void AudioOutput::update() {
  if (!player_) return;
  try {
    if (player_->update(instruments_)) return;
  } catch (const Error& error) {
    client_.show_error(error.message());
  }
  player_.reset();
}

}  // namespace perturb

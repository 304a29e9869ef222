#include "app/session/instrument_readings.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

// A cut is read again when its cost is this share of the time since the last reading, but not more often than
// `min_cut_age`.
constexpr double cut_share = 0.05, min_cut_age = 1.0 / 40;
constexpr double refresh_seconds = 0.1;

}  // namespace

job::Advance InstrumentReadings::steps(std::int64_t count) const {
  return {count, instruments_.probed(), instruments_.along_cuts(grid(), CutPoints::of_means),
          diagnostics_poller_.sampled_view()};
}

void InstrumentReadings::take(const JobResult& result, int asked) {
  diagnostics_poller_.take_samples(result.numbers);
  if (asked != instruments_.generation()) return;
  instruments_.take_probed(result.samples, result.every);
  for (const Sample& sample : result.lines) instruments_.take_means(sample.values, grid());
}

CutGrid InstrumentReadings::grid() const {
  return cut_grid(client_.run().scene->setup, client_.info(), client_.backend().is_cuda());
}

void InstrumentReadings::read_cuts() {
  const std::vector<SamplePoint> places = instruments_.along_cuts(grid(), CutPoints::of_plots);
  if (places.empty() || !client_.is_idle()) return;
  const RunStatus& run = client_.run();
  const bool is_same =
      cut_step_ == run.steps && cut_generation_ == instruments_.generation() && cut_events_ == run.events;
  if (is_same || cut_age_ < std::max(min_cut_age, cut_seconds_ / cut_share)) return;
  cut_step_ = run.steps;
  cut_generation_ = instruments_.generation();
  cut_events_ = run.events;
  cut_age_ = 0;
  job::ReadDiagnostics job;
  job.diagnostics = false;
  job.points = places;
  client_.run_frame_job(std::move(job), [this, asked = cut_generation_](JobResult& result) {
    if (result.cancelled || result.samples.empty() || asked != instruments_.generation()) return;
    cut_seconds_ = result.seconds;
    instruments_.take_cuts(result.samples.front().values, grid(), CutPoints::of_plots);
  });
}

void InstrumentReadings::read(std::vector<SamplePoint> points, const std::function<void(JobResult&)>& on_read) {
  job::ReadDiagnostics job;
  job.diagnostics = false;
  job.points = std::move(points);
  if (job.points.empty()) return;
  client_.run_frame_job(std::move(job), [on_read](JobResult& result) {
    if (!result.samples.empty()) on_read(result);
  });
}

void InstrumentReadings::read_probes(std::int64_t every) {
  read(instruments_.probed(), [this, every](JobResult& result) { instruments_.take_probed(result.samples, every); });
}

void InstrumentReadings::read_means() {
  read(instruments_.along_cuts(grid(), CutPoints::of_means),
       [this](JobResult& result) { instruments_.take_means(result.samples.front().values, grid()); });
}

void InstrumentReadings::read_numbers() {
  job::ReadDiagnostics job;
  job.view = diagnostics_poller_.sampled_view();
  job.wait = true;
  client_.run_frame_job(std::move(job),
                        [this](JobResult& result) { diagnostics_poller_.take_samples({result.diagnostics}); });
}

void InstrumentReadings::read_all() {
  read(instruments_.along_cuts(grid(), CutPoints::of_files), [this](JobResult& result) {
    instruments_.take_cuts(result.samples.front().values, grid(), CutPoints::of_files);
  });
  instruments_.refresh(true, client_.info());
}

void InstrumentReadings::elapse(double seconds) {
  cut_age_ += seconds;
  refresh_age_ += seconds;
  if (refresh_age_ > refresh_seconds) {
    instruments_.refresh(false, client_.info());
    refresh_age_ = 0;
  }
}

namespace {

constexpr int max_each_frame = 20;

std::unique_ptr<AudioSink> opened(const OpenAudio& open) {
  if (!open) throw Error("Cannot play sound here. Save the sound as a WAV file.");
  return open();
}

}  // namespace

ProbePlayer::ProbePlayer(int probe, const OpenAudio& open) : probe_(probe), out_(opened(open)), sound_(out_->rate()) {}

bool ProbePlayer::update(const Instruments& instruments) {
  if (!instruments.find(probe_)) return false;
  // An output that accepts everything at once, such as a file, gets at most the samples of a slow frame.
  for (int k = 0; k < max_each_frame && out_->free_samples() >= sound_.samples_per_call(); ++k) {
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

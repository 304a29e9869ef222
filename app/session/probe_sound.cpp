#include "app/session/probe_sound.h"

#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

constexpr int most_each_frame = 20;

std::unique_ptr<AudioSink> opened(const OpenAudio& open) {
  if (!open) throw Error("There is no sound here: save the probe's sound as a WAV file.");
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

}  // namespace perturb

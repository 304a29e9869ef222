#include "app/session/singing.h"

#include <algorithm>
#include <cstddef>

#include "cuda/core/backend/check.h"

namespace perturb {

namespace {
constexpr std::size_t readings_per_second = 10;
}  // namespace

void Singing::toggle() {
  if (source_) return source_.reset();
  if (!sung_parameter(client_.run()))
    throw InputError("This scene has no frequency in Hz. Open Chladni's sand to sing to it.");
  if (!open_) throw Error("Cannot hear you: there is no microphone here. Move the slider.");
  source_ = open_();
  samples_.clear();
  driver_ = {};
  client_.show_message("Sing or whistle: the microphone drives the frequency. Nothing is kept or sent.");
}

void Singing::update() {
  if (!source_) return;
  try {
    if (sung_parameter(client_.run())) return listen();
  } catch (const Error& error) {
    client_.show_error(error.message());
  }
  source_.reset();
}

void Singing::listen() {
  source_->read(samples_);
  const auto rate = static_cast<std::size_t>(source_->rate());
  if (samples_.size() < std::max(pitch_samples, rate / readings_per_second)) return;
  const std::optional<ParameterChange> change = driver_.take(client_.run(), samples_, static_cast<double>(rate));
  samples_.clear();
  if (change) parameters_.change_by_wheel(*change);
}

}  // namespace perturb

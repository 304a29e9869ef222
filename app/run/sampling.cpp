#include "app/run/sampling.h"

#include <algorithm>

#include "cuda/core/simulation/shortest_period.h"

namespace perturb {

namespace {

constexpr double readings_per_period = 8, max_steps_per_reading = 64;
constexpr std::int64_t frames_per_numbers = 16, max_steps_per_numbers = 128, frames_per_mean = 32;

std::int64_t frame_of(const Scene& scene) {
  return scene.steps_per_frame > 0 ? scene.steps_per_frame : default_steps_per_frame;
}

// The step in the k-th interval: the multiples of the golden section are spread evenly over it.
std::int64_t mean_step(std::int64_t k, std::int64_t interval) {
  const auto share = static_cast<std::uint32_t>(k) * 2654435769u;
  return k * interval + static_cast<std::int64_t>((std::uint64_t{share} * static_cast<std::uint64_t>(interval)) >> 32);
}

}  // namespace

std::int64_t steps_per_reading(Simulation& simulation) {
  const auto* oscillates = simulation.find<ShortestPeriod>();
  if (!oscillates) return 1;
  return static_cast<std::int64_t>(
      std::clamp(oscillates->shortest_period() / readings_per_period, 1., max_steps_per_reading));
}

std::int64_t steps_per_numbers(const Scene& scene) {
  return std::min(frames_per_numbers * frame_of(scene), max_steps_per_numbers);
}

std::int64_t next_mean_step(const Scene& scene, std::int64_t step) {
  const std::int64_t interval = frames_per_mean * frame_of(scene);
  const std::int64_t k = step / interval, here = mean_step(k, interval);
  return here > step ? here : mean_step(k + 1, interval);
}

}  // namespace perturb

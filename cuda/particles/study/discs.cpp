#include <span>

#include "cuda/core/backend/field.h"
#include "cuda/core/loops/parallel_for.h"
#include "cuda/particles/kernels/all_pairs.h"
#include "cuda/particles/study/studies.h"

namespace perturb::particles {

StateDiscs::StateDiscs(Backend& backend, const Setup& setup, const State& state)
    : there_(backend, state.datasets.at("position").shape[0], "discs") {
  const std::vector<std::size_t> shape = state.datasets.at("position").shape;
  const std::vector<double> position = state.get<double>("position", shape),
                            velocity = state.get<double>("velocity", shape);
  std::vector<Disc<double>> discs(shape[0]);
  for (std::size_t k = 0; k < discs.size(); ++k)
    discs[k] = {position[2 * k], position[2 * k + 1], velocity[2 * k], velocity[2 * k + 1]};
  there_.upload(std::span<const Disc<double>>(discs));
  grid_.discs = there_.data(), grid_.count = static_cast<int>(discs.size());
  grid_.radius = disc_parameter(setup, "radius");
  grid_.box = {disc_parameter(setup, "box"), disc_parameter(setup, "box"), 0};
}

DiscCandidates particles_candidates(Backend& backend, const Setup& setup, const State& state) {
  const StateDiscs discs(backend, setup, state);
  const DiscGrid<double>& grid = discs.grid();
  Array<std::int64_t> counter(backend, 1, "number of candidates");
  // No capacity: candidates are counted, not stored.
  const CheckPairs<double, true> check{grid, nullptr, 0, counter.data()};
  const auto counted = [&](const auto& launch) {
    counter.fill_zero();
    launch();
    return static_cast<double>(counter.download()[0]);
  };
  DiscCandidates candidates;
  candidates.walls = counted(
      [&] { parallel_for(backend, "particles.count_walls", Range1D{grid.count}, CheckWalls<double, true>{check}); });
  const int columns = grid.count | 1;
  candidates.pairs = counted([&] {
    parallel_for(backend, "particles.count_pairs", Range2D{columns, columns / 2}, check);
  });
  return candidates;
}

}  // namespace perturb::particles

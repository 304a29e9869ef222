#include <algorithm>
#include <chrono>
#include <span>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/core/loops/parallel_for.h"
#include "cuda/particles/kernels/all_pairs.h"
#include "cuda/studies/particles/studies.h"

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
  grid_.discs = there_.data();
  grid_.count = static_cast<int>(discs.size());
  grid_.radius = disc_parameter(setup, "radius");
  grid_.box = {disc_parameter(setup, "box"), disc_parameter(setup, "box"), 0};
}

Candidates particles_candidates(Backend& backend, const Setup& setup, const State& state) {
  const StateDiscs discs(backend, setup, state);
  const Grid<double>& grid = discs.grid();
  Array<std::int64_t> counter(backend, 1, "number of candidates");
  // No capacity: candidates are counted, not stored.
  const CheckPairs<double, true> check{grid, nullptr, 0, counter.data()};
  const auto counted = [&](const auto& launch) {
    counter.fill_zero();
    launch();
    return static_cast<double>(counter.download()[0]);
  };
  Candidates candidates;
  candidates.walls = counted(
      [&] { parallel_for(backend, "particles.count_walls", Range1D{grid.count}, CheckWalls<double, true>{check}); });
  const int columns = grid.count | 1;
  candidates.pairs = counted([&] {
    parallel_for(backend, "particles.count_pairs", Range2D{columns, columns / 2}, check);
  });
  return candidates;
}

namespace {

// The paper's cmpCollision: by time, then by ids. Discs of a state are in the order of their ids.
int compare_candidates(const void* left, const void* right) {
  const auto &a = *static_cast<const PairCandidate<double>*>(left),
             &b = *static_cast<const PairCandidate<double>*>(right);
  if (a.time != b.time) return a.time < b.time ? -1 : 1;
  const auto id_p = [](const PairCandidate<double>& c) { return c.q < 0 ? c.p : std::min(c.p, c.q); };
  const auto id_q = [](const PairCandidate<double>& c) { return c.q < 0 ? -1 : std::max(c.p, c.q); };
  if (earlier_by_id(id_p(a), id_q(a), id_p(b), id_q(b))) return -1;
  return earlier_by_id(id_p(b), id_q(b), id_p(a), id_q(a)) ? 1 : 0;
}

}  // namespace

QsortFilter qsort_and_filter(Backend& backend, const Setup& setup, const State& state) {
  const Candidates counts = particles_candidates(backend, setup, state);
  const auto capacity = static_cast<std::size_t>(counts.pairs + counts.walls);
  const StateDiscs discs(backend, setup, state);
  const Grid<double>& grid = discs.grid();
  Array<std::int64_t> counter(backend, 1, "number of candidates");
  Array<PairCandidate<double>> found(backend, std::max<std::size_t>(1, capacity), "candidates of a step");
  counter.fill_zero();
  const CheckPairs<double, true> check{grid, found.data(), static_cast<std::int64_t>(capacity), counter.data()};
  parallel_for(backend, "particles.count_walls", Range1D{grid.count}, CheckWalls<double, true>{check});
  const int columns = grid.count | 1;
  parallel_for(backend, "particles.count_pairs", Range2D{columns, columns / 2}, check);
  std::vector<PairCandidate<double>> candidates = found.download();
  candidates.resize(capacity);
  QsortFilter result;
  result.best.resize(static_cast<std::size_t>(grid.count));
  std::vector<unsigned char> taken(result.best.size());
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  std::qsort(candidates.data(), candidates.size(), sizeof candidates[0], compare_candidates);
  filter_ordered(candidates, result.best, taken);
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return result;
}

}  // namespace perturb::particles

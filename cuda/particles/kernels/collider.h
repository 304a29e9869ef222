// Takes steps of the discs by the chosen rule: one collision per disc and step, or all of them. For files under cuda/
// only, like reduce.h.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

#include "cuda/particles/kernels/exact_stepper.h"
#include "cuda/particles/kernels/stepper.h"
#include "cuda/particles/parameters.h"

namespace perturb::particles {

template <class Real, bool contract>
class Collider {
 public:
  Collider(Backend& backend, Collisions rule) : stepper_(backend) {
    if (rule == Collisions::exact) exact_.emplace(backend);
  }

  // The discs have been replaced; none has a velocity component above `fastest`. If memory runs out, nothing changes.
  // `gains`: the exchange with walls so far, if it is that of another state.
  void replace_discs(const StepConstants& constants, double fastest, const std::optional<WallGains>& gains = {}) {
    exact_ ? exact_->replace_discs(constants, fastest, gains) : stepper_.replace_discs(constants, fastest, gains);
  }
  // Call after anything except a step has changed the discs.
  void invalidate() { exact_ ? exact_->invalidate() : stepper_.invalidate(); }
  StepControl* control() const { return exact_ ? exact_->control() : stepper_.control(); }

  // Selects the kernel by its index in the info's table (0: auto). Throws InputError if memory is short for this number
  // of discs; then nothing has changed.
  void use_kernel(std::size_t kernel, int count) {
    if (pairs_launches[kernel].block > 0 && !exact_) stepper_.prepare_all_pairs(count);
    pairs_ = pairs_launches[kernel];
  }
  // Sets the threads per block of the search of all pairs.
  void use_blocks(int discs_block, int pairs_block) {
    if (pairs_.block > 0) {
      pairs_.discs_block = discs_block;
      pairs_.block = pairs_block;
    }
  }
  static bool checks_all_pairs(std::size_t kernel) { return pairs_launches[kernel].block > 0; }

  // Takes `count` steps by `take_step()`, which calls step() below with these discs. `world()`: the discs at that time.
  template <class World, class TakeStep>
  void take_steps(std::int64_t count, Storage<Real>& discs, const World& grid, const TakeStep& take_step) {
    if (searches())
      stepper_.run_timed(count, discs, grid, take_step);
    else
      for (std::int64_t k = 0; k < count; ++k) take_step();
  }
  // By the rule `exact`: takes steps at once, at most one for each of `boxes`. Returns how many were completed. If
  // another one has begun, step() must follow at once.
  int take_steps_at_once(Storage<Real>& discs, const Grid<Real>& grid, const ExactPhysics<Real>& physics,
                         std::span<const Box<Real>> boxes) {
    return exact_ ? exact_->take_steps(discs, grid, physics, pairs_.block > 0, boxes) : 0;
  }
  void use_rounds_everywhere() {
    if (exact_) exact_->use_rounds_everywhere();
  }
  bool has_begun_step() const { return exact_ && exact_->has_begun_step(); }
  // Steps that it can take.
  int max_at_once() const { return exact_ ? exact_->max_steps() : 0; }
  // Takes one step; may be cancelled before any disc has moved.
  // `physics` applies to the rule `exact`.
  void step(Storage<Real>& discs, const Grid<Real>& grid, const ExactPhysics<Real>& physics) {
    if (exact_)
      exact_->step(discs, grid, physics, pairs_.block > 0);
    else
      stepper_.step(discs, grid, pairs_);
  }

  // Measured times of the search methods, as text; empty if there is no choice.
  Message choice() const { return searches() ? stepper_.choice() : Message(); }
  LaunchShape launch_shape(std::size_t kernel) const {
    if (exact_) return exact_->launch_shape();
    const int block = pairs_launches[kernel].block;
    return block > 0 ? particles_pairs_shape(std::is_same_v<Real, float>, contract, block) : stepper_.launch_shape();
  }

  static std::size_t bytes_for(const Backend& backend, std::size_t count, Collisions rule) {
    return rule == Collisions::exact ? ExactStepper<Real>::bytes_for(backend, count)
                                     : Stepper<Real, contract>::bytes_for(backend, count);
  }

 private:
  // Launch of the paper's check of pairs for each kernel, in the order of the info; no block: by cells.
  static constexpr std::array<PairsLaunch, 9> pairs_launches{
      {{0}, {32}, {64}, {96}, {128}, {192}, {256}, {32, true}, {32, false, true}}};

  // Whether one of the stepper's search methods finds the neighbours.
  bool searches() const { return !exact_ && pairs_.block == 0; }

  Stepper<Real, contract> stepper_;          // the paper's rule
  std::optional<ExactStepper<Real>> exact_;  // or all collisions
  PairsLaunch pairs_;
};

}  // namespace perturb::particles

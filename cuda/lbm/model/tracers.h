// Tracers: points of the fluid, which carries them with it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/core/paint/camera.h"
#include "cuda/core/paint/pixels.h"
#include "cuda/core/simulation/state_copy.h"
#include "cuda/lbm/model/lattice.h"

namespace perturb::lbm {

inline constexpr int max_tracers = 2000;

// They begin at random places of the fluid. What leaves through an open side comes in at the opposite one; what has no
// such place, or is caught by a wall that comes, is put at a random place anew.
class Tracers {
 public:
  // Steps from one time that they are moved to the next, as for dye.
  static constexpr int interval = 6;

  explicit Tracers(Backend& backend);
  ~Tracers();

  int count() const { return static_cast<int>(state_.size() / numbers); }
  bool empty() const { return state_.empty(); }

  // Throws Error when memory is short, and is then as it was.
  void spread(int count, const StepParams& flow, const Lattice& lattice, std::uint32_t seed);
  // As many as there are, in the memory that they have.
  void spread_again(const StepParams& flow, const Lattice& lattice, std::uint32_t seed);
  void swap(Tracers& other) noexcept { state_.swap(other.state_); }
  // Over the last `interval` steps, by Heun's rule with the velocities at their beginning and at their end. `step`: the
  // run's, which chooses random places.
  void move(const StepParams& flow, const Lattice& lattice, std::uint32_t seed, std::int64_t step);
  // Lays them over the picture, each with a tail that tells where it came from: of 3 % of the domain's height at
  // `speed` (cell/step). Queued. Throws Error when memory is short.
  void paint(const StepParams& flow, Pixels pixels, const Camera& camera, double speed);

  // [count][4]: x and y in cells, and their velocity in cell/step.
  std::vector<double> save() const { return state_.download(); }
  void load(const std::vector<double>& saved);
  void visit_members(MemberCopier& copy) { copy(state_); }

 private:
  static constexpr int numbers = 4;

  Backend& backend_;
  Array<double> state_;
  class Picture;
  std::unique_ptr<Picture> picture_;
};

}  // namespace perturb::lbm

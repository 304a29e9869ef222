// Tracers: points carried by the fluid.
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

// Tracers start at random positions in the fluid. One that leaves through an open side enters at the opposite one. If
// the position there is not fluid, or a moving wall covers a tracer, it gets a new random position.
class Tracers {
 public:
  // Number of steps between two moves, as for dye.
  static constexpr int interval = 6;

  explicit Tracers(Backend& backend);
  ~Tracers();

  int count() const { return static_cast<int>(state_.size() / numbers); }
  bool empty() const { return state_.empty(); }

  // Throws Error, with nothing changed, when memory runs out.
  void spread(int count, const StepParams& flow, const Lattice& lattice, std::uint32_t seed);
  // The same number of tracers, in the memory already allocated.
  void spread_again(const StepParams& flow, const Lattice& lattice, std::uint32_t seed);
  void swap(Tracers& other) noexcept { state_.swap(other.state_); }
  // Moves over the last `interval` steps by Heun's rule, with the velocities at the start and end positions. `step`: of
  // the run; selects random positions.
  void move(const StepParams& flow, const Lattice& lattice, std::uint32_t seed, std::int64_t step);
  // Draws the tracers over the image, each with a tail towards where it came from: 3 % of the domain's height long at
  // `speed` (cell/step). Queued. Throws Error when memory runs out.
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

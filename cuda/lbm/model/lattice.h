// The lattice: the populations of every cell, in the storage that the kernel needs, and their edits.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/core/simulation/state.h"
#include "cuda/core/simulation/state_copy.h"
#include "cuda/lbm/model/box.h"
#include "cuda/lbm/model/edit.h"
#include "cuda/lbm/model/planes.h"
#include "cuda/lbm/parameters.h"

namespace perturb::lbm {

// The velocities of a flow's cells.
template <class T>
Velocity<T> lbm_velocity(const StepParams& flow, const Populations<T>& g) {
  return {g, flow.painted ? Walls{flow.links} : Walls{}, 0.5f * flow.rates.force_x, 0.5f * flow.rates.force_y};
}

// A push along a stroke: velocity (cell/step) and radius (cells).
struct Stroke {
  CellSegment line;
  float vx, vy, radius;
};

// Outgoing populations of the cells, in FP32 or FP16, in two copies: a step reads one and writes the other. The kernel
// `in-place` needs one copy. `flow`: always the current step parameters.
class Lattice {
 public:
  // All fluid, at rest. Throws Error when memory runs out.
  Lattice(Backend& backend, int width, int height, Storage storage);

  bool is_half() const { return !half_now_.empty(); }
  // Converts to this storage. Throws Error, with nothing changed, when memory runs out.
  void store(bool half, bool one_copy);
  // Calls use(populations) with the current ones, Populations<float> or <Half>.
  template <class Use>
  void with_populations(const Use& use) const {
    if (is_half())
      use(half_now_.populations());
    else
      use(now_.populations());
  }

  // For kernels: from `now` to `next`, which FP32 allocates at the first use; then swap.
  Populations<float> now() const { return now_.populations(); }
  Populations<Half> half_now() const { return half_now_.populations(); }
  Populations<Half> half_next() const { return half_next_.populations(); }
  Populations<float> next() const { return next_.populations(); }
  void need_next();
  void swap() {
    if (is_half())
      half_now_.swap(half_next_);
    else
      now_.swap(next_);
  }

  void push(const StepParams& flow, const Stroke& stroke);
  // Sets the cells of the box to the equilibria of this flow.
  void set_flow(const StepParams& flow, const Flow& to, const Box& box);
  // Initialises populations after the walls of `flow` are replaced by `wall`.
  void initialize_uncovered_cells(const StepParams& flow, View2D<const std::uint8_t> wall,
                                  const WallVelocity& wall_velocity = {});

  // The moments of one cell; waits for the device.
  Moments moments_at(const StepParams& flow, int i, int j) const;

  // "density", "velocity", "populations" and "populations_shifted"; `wall`: [height][width], 1 or 0.
  void save_to(State& state, const StepParams& flow, const std::vector<std::uint8_t>& wall) const;
  // [link][height][width], each minus its weight.
  void load(const std::vector<float>& shifted);
  void visit_members(MemberCopier& copy) { copy(now_, half_now_); }

 private:
  Range2D whole() const { return {width_, height_}; }
  Planes<float> full_planes() const { return {backend_, width_, height_, "populations"}; }
  Planes<Half> half_planes() const { return {backend_, width_, height_, "populations in 16 bits"}; }
  std::vector<float> download() const;

  Backend& backend_;
  int width_, height_;
  // One of the two is empty.
  Planes<float> now_, next_;
  Planes<Half> half_now_, half_next_;
};

}  // namespace perturb::lbm

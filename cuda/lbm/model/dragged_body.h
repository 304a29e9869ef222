// A body that is dragged: its walls carry the velocity of the hand into the fluid, and what it covers and uncovers
// changes the mass of the fluid by nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/core/loops/reduce.h"
#include "cuda/core/simulation/state.h"
#include "cuda/core/simulation/state_copy.h"
#include "cuda/lbm/model/bodies.h"
#include "cuda/lbm/model/forces.h"
#include "cuda/lbm/model/lattice.h"
#include "cuda/lbm/model/motion.h"
#include "cuda/lbm/model/outline.h"
#include "cuda/lbm/model/walls.h"

namespace perturb::lbm {

struct Mass {
  double over = 0;  // rho - 1, summed over the fluid
  double momentum_x = 0, momentum_y = 0;
  std::int64_t cells = 0;
  PERTURB_HD void merge(const Mass& o) {
    over += o.over, cells += o.cells, momentum_x += o.momentum_x, momentum_y += o.momentum_y;
  }
};

// The velocity reaches the fluid through what a cell beside the body sends towards it: nobody but the cell itself reads
// that, as the answer of the wall, so what the moving wall adds to the answer (Ladd 1994) is added there before each
// step. No kernel knows of it.
class DraggedBody {
 public:
  explicit DraggedBody(Backend& backend) : backend_(backend), mass_(backend) {}

  bool moves_at(std::int64_t step) const { return !rim_.empty() && step < motion_.until; }
  // The walls became others: nothing moves.
  void forget() { rim_.clear(), rims_ = {}; }

  // The body is moved by whole cells, to these, at this step. prepare() may be refused, Error when memory runs out, and
  // changes nothing; then move() calls change_walls(pull).
  void prepare(std::int64_t step, int by_i, int by_j, const std::vector<Cell>& body,
               const std::vector<std::uint8_t>& wall, const StepParams& sides);
  template <class ChangeWalls, class Flow>
  void move(const Lattice& lattice, const Flow& flow, const ChangeWalls& change_walls) {
    const Mass before = mass_of(flow(), lattice);
    change_walls(wall_velocity());
    follow();
    correct_mass(before, flow(), lattice);
  }
  // Before a step, after Curved::correct_boundaries. `flow`: the pass of this moment.
  void push(const StepParams& flow, const WallCurve& curve, const Lattice& lattice) const;
  // How this body, which is one of those told, moves at this step.
  WallMotion motion_of(const Body& body, std::int64_t step) const;

  void save_to(State& state, std::int64_t step) const;  // "moving_body", while one moves
  void load(const Motion& motion, const std::vector<std::uint8_t>& wall, const StepParams& sides);
  void visit_members(MemberCopier& copy) { copy(motion_, rim_, rims_); }

 private:
  Mass mass_of(const StepParams& flow, const Lattice& lattice);
  void reserve_rim(const std::vector<Cell>& body, const std::vector<std::uint8_t>& wall, const StepParams& sides);
  void follow();
  WallVelocity wall_velocity() const;
  // Takes from the cells beside the body what there is too much of, or gives what is missing.
  void correct_mass(const Mass& before, const StepParams& flow, const Lattice& lattice);

  Backend& backend_;
  Reduction<Mass> mass_;
  Motion motion_, next_motion_;
  std::vector<RimCell> rim_, next_rim_;  // of the body that moves; empty: none does
  Array<RimCell> rims_;                  // the same, and perhaps more room
};

// The rim of a body of these cells, row by row.
std::vector<RimCell> lbm_rim_of(const std::vector<Cell>& body, const std::vector<std::uint8_t>& wall,
                                const StepParams& sides);

}  // namespace perturb::lbm

// A dragged body: its walls transfer the pointer's velocity to the fluid, and covering and uncovering cells
// conserves the mass of the fluid.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/core/loops/reduce.h"
#include "cuda/core/simulation/state.h"
#include "cuda/core/simulation/state_copy.h"
#include "cuda/lbm/model/bodies.h"
#include "cuda/lbm/model/forces.h"
#include "cuda/lbm/model/lattice.h"
#include "cuda/lbm/model/motion.h"
#include "cuda/lbm/model/walls.h"

namespace perturb::lbm {

struct Mass {
  double over = 0;  // rho - 1, summed over the fluid
  double momentum_x = 0, momentum_y = 0;
  std::int64_t cells = 0;
  PERTURB_HD void merge(const Mass& o) {
    over += o.over;
    cells += o.cells;
    momentum_x += o.momentum_x;
    momentum_y += o.momentum_y;
  }
};

// Applies the velocity through the population that a neighbouring cell sends towards the body. Only that cell reads
// it, as its boundary population, so the momentum term of the moving wall (Ladd 1994) is added there before each
// step. Kernels need no code for this.
class DraggedBody {
 public:
  explicit DraggedBody(Backend& backend) : backend_(backend), mass_(backend) {}

  bool moves_at(std::int64_t step) const { return !rim_.empty() && step < motion_.until; }
  // The walls were replaced: nothing moves.
  void forget() {
    rim_.clear();
    rims_ = {};
  }

  // Replaces the cells of a body at this step: `before` and `body` are its previous and its new cells, `wall` the new
  // walls. prepare() may throw Error when memory runs out, and then changes nothing; move() afterwards calls
  // change_walls(pull). `by`: the move that this is, in cells; without it the walls get no velocity.
  struct By {
    double x, y;
    bool curved = false;  // the walls are where they were drawn, not half-way between cells
  };
  void prepare(std::int64_t step, std::optional<By> by, const std::vector<Cell>& before, const std::vector<Cell>& body,
               const std::vector<std::uint8_t>& wall, const StepParams& sides);
  template <class ChangeWalls, class Flow>
  void move(const Lattice& lattice, const Flow& flow, const ChangeWalls& change_walls) {
    const Mass before = mass_of(flow(), lattice);
    change_walls(wall_velocity());
    follow();
    correct_mass(before, flow(), lattice);
  }
  // To be called before a step, after Curved::correct_boundaries. `flow`: the current step parameters.
  void push(const StepParams& flow, const WallCurve& curve, const Lattice& lattice) const;
  // The motion at this step of a body that is among the reported ones.
  WallMotion motion_of(const Body& body, std::int64_t step) const;

  void save_to(State& state, std::int64_t step) const;  // "moving_body", while one moves
  void load(const Motion& motion, const std::vector<std::uint8_t>& wall, const StepParams& sides);
  void visit_members(MemberCopier& copy) { copy(motion_, rim_, rims_); }

 private:
  Mass mass_of(const StepParams& flow, const Lattice& lattice);
  void reserve_rim(const std::vector<Cell>& body, const std::vector<std::uint8_t>& wall, const StepParams& sides);
  void follow();
  WallVelocity wall_velocity() const;
  // Takes excess mass from the cells next to the body, or adds missing mass to them.
  void correct_mass(const Mass& before, const StepParams& flow, const Lattice& lattice);

  Backend& backend_;
  Reduction<Mass> mass_;
  Motion motion_, next_motion_;
  float next_distance_ = 0.5f;           // of uncovered cells from the wall
  std::vector<RimCell> rim_, next_rim_;  // of the body that moves; empty: none
  Array<RimCell> rims_;                  // the same; the capacity may be larger
};

// Adds the momentum terms of a body's walls to the populations that these cells send towards it.
void push_rim(Backend& backend, const StepParams& flow, const WallCurve& curve, const Lattice& lattice,
              const Array<RimCell>& rims, int count, const RigidMotion& motion);

// The rim of a body with these cells, row by row.
std::vector<RimCell> rim_of(const std::vector<Cell>& body, const std::vector<std::uint8_t>& wall,
                            const StepParams& sides);

}  // namespace perturb::lbm

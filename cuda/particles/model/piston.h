// Box of the discs. Its right wall may be a piston.
#pragma once

#include <algorithm>

#include "cuda/core/simulation/state_copy.h"
#include "cuda/particles/model/cell.h"
#include "cuda/particles/parameters.h"

namespace perturb::particles {

// All in lengths; the left and the lower wall are at 0.
class PistonBox {
 public:
  explicit PistonBox(const ParticlesParameters& p) : width_(p.box), height_(p.box * p.aspect), right_(p.box) {}

  double width() const { return width_; }  // of the box at the start
  double height() const { return height_; }
  double right() const { return right_; }  // position of the right wall
  void set_right(double right) { right_ = right; }
  bool has_moved() const { return right_ != width_; }

  // Chooses how far the right wall moves in the step that begins. The piston stops where a disc of the largest radius
  // still fits.
  void begin_step(const ParticlesParameters& p, double largest_radius) {
    const double travel = p.piston_speed / p.slow_factor;
    const double end = std::max(p.piston_end * width_, 4 * largest_radius);
    push_ = right_ > end ? -std::min(travel, right_ - end) : 0;
  }
  void end_step() { right_ += push_, push_ = 0; }
  // No step is in progress: the last one was stopped.
  void rest() { push_ = 0; }

  template <class Real>
  DiscBox<Real> walls() const {
    return {static_cast<Real>(right_), static_cast<Real>(height_), static_cast<Real>(push_)};
  }
  void visit_members(MemberCopier& copy) { copy(right_); }

 private:
  double width_, height_, right_;
  double push_ = 0;  // how far the right wall moves in the current step
};

}  // namespace perturb::particles

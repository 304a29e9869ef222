#include "cuda/fibers/view/trail.h"

#include <utility>

namespace perturb::fibers {

void FiberTrail::resize(int steps, int fibers) {
  if (steps == steps_ && fibers == fibers_) {
    clear();
    return;
  }
  Array<double> positions;
  if (steps > 0)
    positions =
        Array<double>(backend_, 3 * static_cast<std::size_t>(fibers) * static_cast<std::size_t>(steps), "trails");
  backend_.synchronize();  // a frame in flight may still read the old ones
  positions_ = std::move(positions);
  steps_ = steps, fibers_ = fibers, newest_ = -1;
  clear();
}

void FiberTrail::record(const double* position, Vector3<double> followed) {
  newest_ = (newest_ + 1) % steps_;
  const std::size_t size = 3 * static_cast<std::size_t>(fibers_);
  backend_.copy_within(positions_.data() + static_cast<std::size_t>(newest_) * size, position, size * sizeof(double));
  centres_.push_front(followed);
  if (held() > steps_) centres_.pop_back();
}

const double* FiberTrail::position(int age) const {
  const std::size_t slot = static_cast<std::size_t>((newest_ - age + steps_) % steps_);
  return positions_.data() + slot * 3 * static_cast<std::size_t>(fibers_);
}

}  // namespace perturb::fibers

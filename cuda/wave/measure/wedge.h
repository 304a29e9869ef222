// The wedge of waves behind a source that is faster than they are.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/wave/model/grid.h"
#include "cuda/wave/model/source.h"

namespace perturb::wave {

// Half the extent of the waves in each column, in cells: between the outermost rows where |u| is at least
// `front_share` of its largest value in the column.
constexpr double front_share = 0.2;
template <class Real>
class WaveFronts {
 public:
  explicit WaveFronts(Backend& backend) : backend_(backend) {}
  // Queues a reading of the rows that are `margin` cells or more from the sides. Memory is allocated at the first call.
  void start(View2D<const Real> u, int margin);
  bool has_arrived() { return !readback_ || readback_->ready(); }
  void wait() {
    if (readback_) readback_->wait();
  }
  // 0: the waves reach these rows' ends, or there are none.
  std::vector<float> take() const;

 private:
  Backend& backend_;
  Array<float> fronts_;
  std::unique_ptr<AsyncReadback> readback_;
};

extern template class WaveFronts<float>;
extern template class WaveFronts<double>;

// Angle between the wedge and the path of its source, in degrees.
struct Wedge {
  double angle = 0;     // from a straight line through the fronts (least squares); 0: too few of them
  double expected = 0;  // asin(c/v) (Mach 1887)
};
// Whether there is exactly one source, which moves along a row, faster than the waves, between sides that are not
// periodic.
bool makes_wedge(const Sources& sources, const Grid& tank, double speed);
// For a source that does, until it turns round at a side. `fronts` at `time`; `speed`: of waves, length/time.
Wedge wedge_of(std::span<const float> fronts, const Source& source, const Grid& tank, double speed, double time);

}  // namespace perturb::wave

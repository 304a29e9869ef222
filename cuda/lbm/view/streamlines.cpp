#include "cuda/lbm/view/streamlines.h"

#include <utility>

#include "cuda/core/loops/parallel_for.h"

namespace perturb::lbm {

namespace {

// Sums along the domain's lower side, corner by corner.
template <class T>
struct StreamAlongSide {
  Velocity<T> velocity;
  int width;
  View2D<float> function;
  PERTURB_HD void operator()(int) const {
    float sum = 0.f;
    function(0, 0) = 0.f;
    for (int i = 0; i < width; ++i) {
      const Moments m = velocity(i, 0);
      sum -= (1.f + m.drho) * m.uy;
      function(i + 1, 0) = sum;
    }
  }
};

// Then sums up each column of corners, with the mean of the cells left and right of it.
template <class T>
struct StreamUpwards {
  Velocity<T> velocity;
  int width, height;
  View2D<float> function;
  PERTURB_HD float flux(int i, int j) const {
    const Moments m = velocity(i, j);
    return (1.f + m.drho) * m.ux;
  }
  PERTURB_HD void operator()(int i) const {
    const int left = i > 0 ? i - 1 : 0, right = i < width ? i : width - 1;
    float sum = function(i, 0);
    for (int j = 0; j < height; ++j) {
      sum += 0.5f * (flux(left, j) + flux(right, j));
      function(i, j + 1) = sum;
    }
  }
};

}  // namespace

View2D<const float> Streamlines::of(const StepParams& flow, const Lattice& lattice) {
  if (function_.empty()) function_ = Field<float>(backend_, width_ + 1, height_ + 1, "stream function");
  lattice.with_populations([&]<class T>(const Populations<T>& g) {
    const Velocity<T> velocity = lbm_velocity(flow, g);
    parallel_for(backend_, "lbm.stream_along_side", Range1D{1}, StreamAlongSide<T>{velocity, width_, function_.view()});
    parallel_for(backend_, "lbm.stream_upwards", Range1D{width_ + 1},
                 StreamUpwards<T>{velocity, width_, height_, function_.view()});
  });
  return std::as_const(function_).view();
}

}  // namespace perturb::lbm

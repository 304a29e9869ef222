// Image of the fibers, with trails, and the value of one of them under the pointer. A trail consists of the centres of
// the last steps, each with the point that the image followed then.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/core/loops/reduce.h"
#include "cuda/core/math/geometry.h"
#include "cuda/core/paint/camera.h"
#include "cuda/core/paint/colormap.h"
#include "cuda/core/paint/pixels.h"
#include "cuda/core/simulation/setup.h"
#include "cuda/fibers/measure/sums.h"
#include "cuda/fibers/model/flow.h"
#include "cuda/fibers/model/fluid.h"
#include "cuda/fibers/model/state.h"
#include "cuda/fibers/view/paint.h"
#include "cuda/fibers/view/view.h"

namespace perturb::fibers {

class Trail {
 public:
  explicit Trail(Backend& backend) : backend_(backend) {}
  static std::size_t bytes(int steps, int fibers) {
    return 3 * sizeof(double) * static_cast<std::size_t>(fibers) * static_cast<std::size_t>(steps);
  }

  // Keeps up to `steps` steps of `fibers` fibers, and clears the previous ones. Throws Error when memory is short, and
  // is unchanged then.
  void resize(int steps, int fibers);
  void clear() { centres_.clear(); }
  // `position`: [fibers][3], the backend's. Queued.
  void record(const double* position, Vector3<double> followed);
  int steps() const { return steps_; }
  int held() const { return static_cast<int>(centres_.size()); }
  // The record `age` steps back, 0 the newest.
  const double* position(int age) const;
  Vector3<double> followed(int age) const { return centres_[static_cast<std::size_t>(age)]; }

 private:
  Backend& backend_;
  int steps_ = 0, fibers_ = 0, newest_ = -1;
  Array<double> positions_;              // [steps][fibers][3], a ring
  std::deque<Vector3<double>> centres_;  // newest first
};

// The quantity with this id. Throws InputError if there is none.
Shown shown_quantity(const std::string& id);

// State of a run whose velocities are known.
struct PaintInput {
  const Parameters& parameters;
  const FiberState& state;
  const Trail& trail;
  const Tracers& tracers;
  const ViewState& view_state;
  const Pull& pull;
  int chosen;  // this fiber is marked; -1: none
};

// Text about fiber `m`, whose velocity is known. Waits for the device.
Message fiber_text(int m, Shown shown, const FiberState& state);

class FiberPicture {
 public:
  explicit FiberPicture(Backend& backend);
  // Bytes that the image of this number of fibers takes, except for the pieces of their trails.
  static std::size_t bytes(int fibers, const Parameters& parameters);

  // Colours every pixel, with the camera of the last set_camera(). Waits for the fibers' mean fall.
  void paint(Pixels pixels, const Camera& camera, const ViewSettings& view, const ColorTable& table,
             const PaintInput& input);
  // Value of the shown quantity at fiber `m`. Waits for the device.
  double number_of(int m, Shown shown, const PaintInput& input);

 private:
  double mean_fall(const PaintInput& input);
  void project_tracers(const Project& body, const PaintInput& input, Capsule* capsules);

  Backend& backend_;
  Reduction<Sums> sums_;
  CapsuleRaster raster_;
  Array<Line> lines_;
  Array<Capsule> capsules_;
  Array<TrailPoint> trail_points_;
};

}  // namespace perturb::fibers

// What is seen of a flow: its picture, and the value under the pointer.
#pragma once

#include <optional>

#include "cuda/core/paint/camera.h"
#include "cuda/core/paint/colormap.h"
#include "cuda/core/paint/pixels.h"
#include "cuda/core/paint/view_settings.h"
#include "cuda/lbm/model/dye.h"
#include "cuda/lbm/model/lattice.h"
#include "cuda/lbm/state/saved.h"
#include "cuda/lbm/view/paint.h"

namespace perturb::lbm {

// The flow at one moment.
struct PaintInput {
  Backend& backend;
  StepParams flow;
  WallCurve curve;  // empty: walls are shown as whole cells
  const Lattice& lattice;
  const Dye& dye;
  const std::optional<ProbePlace>& probe;
  bool arrows;
  double arrow_speed;                   // cell/step, of a long arrow
  int streamlines;                      // how many cross the height where the flow has that speed; 0: none
  View2D<const float> stream_function;  // empty where there are none
};

// Colours every pixel; queued.
void paint_scene(const PaintInput& input, Pixels pixels, const Camera& camera, const ViewSettings& view,
                 const ColorTable& table);

// The shown quantity, in its unit, in cell (i, j); none in a wall. Waits for the device.
std::optional<double> lbm_value_at(const PaintInput& input, int i, int j, Shown shown);

}  // namespace perturb::lbm

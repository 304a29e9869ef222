// Rendering of a flow, and the value under the pointer.
#pragma once

#include <optional>

#include "cuda/core/paint/camera.h"
#include "cuda/core/paint/colormap.h"
#include "cuda/core/paint/field_image.h"
#include "cuda/core/paint/pixels.h"
#include "cuda/lbm/model/dye.h"
#include "cuda/lbm/model/lattice.h"
#include "cuda/lbm/state/saved.h"
#include "cuda/lbm/view/paint.h"

namespace perturb::lbm {

// The flow at one time.
struct PaintInput {
  Backend& backend;
  StepParams flow;
  WallCurve curve;  // empty: walls are drawn as whole cells
  const Lattice& lattice;
  const Dye& dye;
  const std::optional<ProbePlace>& probe;
  bool arrows;
  double arrow_speed;                   // cell/step, of a full-length arrow
  int streamlines;                      // number across the height at that speed; 0: none
  View2D<const float> stream_function;  // empty if there are none
};

// Paints every pixel; queued.
void paint_scene(const PaintInput& input, Pixels pixels, const Camera& camera, const ViewSettings& view,
                 const ColorTable& table);

// Describes the same image (FieldImageSource).
bool describe_scene(const PaintInput& input, FieldImage& image, int width, int height, const Camera& camera,
                    const ViewSettings& view, const ColorTable& table);

// The shown quantity, in its unit, in cell (i, j); empty in a wall. Waits for the device.
std::optional<double> lbm_value_at(const PaintInput& input, int i, int j, Shown shown);

}  // namespace perturb::lbm

// A second quantity drawn over the image of the first: as contour lines, or as colours where it is not zero.
//
// The simulation paints this quantity like any other, with colours that are indices (counted_colormap); it is then
// drawn over the image pixel by pixel. So any such quantity can be an overlay, on both backends, and no simulation
// draws lines. Line width is the same at every zoom. Pixels that a painter covers with something else (a wall, an
// arrow) have no index and no overlay.
#pragma once

#include <memory>
#include <string>

#include "cuda/core/backend/field.h"
#include "cuda/core/paint/colormap.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb {

// Why the view's layer cannot be drawn over its quantity, as a message; empty if it can, or if there is no layer.
// Throws InputError for an unknown quantity.
Message layer_error(const SimulationInfo& info, const ViewSettings& view);
// The layer's own range, or that of its quantity.
ShownRange layer_range(const LayerSettings& layer, const Quantity& quantity);
// "Lines: Speed map, every 0.19 c" or "Over it: Dye, 0 to 1"; empty if there is none. `factor`: of its values, to
// `unit`.
Message describe_layer(const SimulationInfo& info, const ViewSettings& view, double factor, const std::string& unit);
Message describe_layer(const SimulationInfo& info, const ViewSettings& view);

class LayerPainter {
 public:
  explicit LayerPainter(Backend& backend) : backend_(backend) {}
  // Draws over `pixels`, which are painted; queued like them. The layer's quantity belongs to `simulation`.
  void draw_over(Pixels pixels, Simulation& simulation, const Camera& camera, const ViewSettings& view);

 private:
  Backend& backend_;
  Array<std::uint32_t> numbers_;
  std::unique_ptr<ColorTable> counted_, colors_;
};

}  // namespace perturb

// A second quantity over the picture of the first: its lines of equal value, or its colours where it is something.
//
// The quantity is painted by its simulation, as any is, with colours that are numbers (counted_colormap), and laid over
// the picture pixel by pixel: so whatever can be shown so can lie over another, on both backends, and no simulation
// draws lines. A line is as broad at every zoom. Pixels that a painter covers with something else (a wall, an arrow)
// have no number, and none of the layer.
#pragma once

#include <memory>
#include <string>

#include "cuda/core/backend/field.h"
#include "cuda/core/paint/colormap.h"
#include "cuda/core/paint/shown.h"

namespace perturb {

// Why the layer of this view cannot lie over its quantity, in a sentence; empty: it can, or there is none.
// Throws InputError for a quantity that there is not.
std::string layer_error(const SimulationInfo& info, const ViewSettings& view);
// Its range: its own, or its quantity's.
ShownRange layer_range(const LayerSettings& layer, const Quantity& quantity);
// "Lines of Speed map, every 0.19 c" or "Over it: Dye, from 0 to 1"; empty where there is none.
std::string describe_layer(const SimulationInfo& info, const ViewSettings& view);

class LayerPainter {
 public:
  explicit LayerPainter(Backend& backend) : backend_(backend) {}
  // Over `pixels`, which are painted; queued like them. The layer's quantity is one of `simulation`'s.
  void draw_over(Pixels pixels, Simulation& simulation, const Camera& camera, const ViewSettings& view);

 private:
  Backend& backend_;
  Array<std::uint32_t> numbers_;
  std::unique_ptr<ColorTable> counted_, colors_;
};

}  // namespace perturb

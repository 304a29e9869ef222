// Image of the box: its walls, the discs, and their trails. For files under cuda/ only, like reduce.h.
#pragma once

#include <string>

#include "cuda/core/loops/cell_bins.h"
#include "cuda/core/paint/camera.h"
#include "cuda/core/paint/colormap.h"
#include "cuda/core/paint/pixels.h"
#include "cuda/core/paint/raster_discs.h"
#include "cuda/core/paint/view_settings.h"
#include "cuda/particles/model/discs.h"
#include "cuda/particles/view/paint.h"
#include "cuda/particles/view/trails.h"

namespace perturb::particles {

// The quantity with this id. Throws InputError if there is none.
DiscShown shown_disc_quantity(const std::string& id);

template <class Real>
class DiscPainter {
 public:
  explicit DiscPainter(Backend& backend) : backend_(backend) {}

  // Returns the function that gives each disc its value of the shown quantity. For the density it recounts the discs
  // (queued). The result is valid until the next call.
  DiscValue<Real> values(const DiscRun<Real>& now, DiscShown shown);
  // Queued.
  void paint(Pixels pixels, const Camera& camera, const ViewSettings& view, const ColorTable& table,
             const DiscRun<Real>& now, DiscTrails<Real>& trails);

 private:
  DensityMap map_density(const DiscRun<Real>& now);

  Backend& backend_;
  DiscRaster raster_;
  CellBins density_bins_;  // made when density is shown for the first time
};

extern template class DiscPainter<float>;
extern template class DiscPainter<double>;

}  // namespace perturb::particles

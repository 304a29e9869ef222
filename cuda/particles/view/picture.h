// Image of the box: its walls, the discs, and their trails, the last positions of each disc as fading dots behind it.
// For files under cuda/ only, like reduce.h.
#pragma once

#include <cstdint>
#include <string>

#include "cuda/core/backend/check.h"
#include "cuda/core/backend/field.h"
#include "cuda/core/loops/cell_bins.h"
#include "cuda/core/loops/parallel_for.h"
#include "cuda/core/paint/camera.h"
#include "cuda/core/paint/colormap.h"
#include "cuda/core/paint/pixels.h"
#include "cuda/core/paint/raster_discs.h"
#include "cuda/core/simulation/state_copy.h"
#include "cuda/particles/model/discs.h"
#include "cuda/particles/model/grid.h"
#include "cuda/particles/view/paint.h"

namespace perturb::particles {

struct TrailPoint {
  float x, y;
};

template <class Real>
struct RecordPlaces {
  Grid<Real> grid;
  TrailPoint* places;
  PERTURB_HD void operator()(int i) const {
    places[grid.ids[i]] = {static_cast<float>(grid.discs[i].x), static_cast<float>(grid.discs[i].y)};
  }
};

// Dot `i` is disc i % count at its (i / count)-th position in the ring.
struct TrailDots {
  const TrailPoint* places;
  int count, length, newest;
  double x0, y0, pixels_per_unit;
  float radius;  // in pixels
  PERTURB_HD RasterDisc operator()(int i) const {
    const int age = (newest - i / count + length) % length;
    const float brightness = 1.f - static_cast<float>(age) / static_cast<float>(length);
    const auto mix = [&](float from, float to) { return static_cast<std::uint32_t>(from + (to - from) * brightness); };
    RasterDisc dot;
    dot.x = static_cast<float>((static_cast<double>(places[i].x) - x0) * pixels_per_unit);
    dot.y = static_cast<float>((static_cast<double>(places[i].y) - y0) * pixels_per_unit);
    dot.radius = radius;
    dot.color = rgba(mix(14, 110), mix(16, 132), mix(21, 165));  // from the box's background to a pale blue
    return dot;
  }
};

// Already painted pixels, the background of the next layer.
struct PaintedGround {
  Pixels pixels;
  PERTURB_HD std::uint32_t operator()(int px, int py) const { return pixels(px, py); }
};

template <class Real>
class Trails {
 public:
  // Limit of the dots of all discs together.
  static constexpr std::size_t max_dots = std::size_t{1} << 22;
  static std::size_t bytes_for(std::size_t count, int length) {
    const std::size_t dots = count * static_cast<std::size_t>(length);
    return dots == 0 ? 0 : dots * sizeof(TrailPoint) + DiscRaster::bytes_of(dots, std::size_t{1} << 20);
  }
  // Throws InputError if this number of discs cannot have trails of this length.
  static void check(std::size_t count, int length) {
    if (count * static_cast<std::size_t>(length) <= max_dots) return;
    const std::size_t longest = max_dots / count;
    throw InputError(
        Message("Cannot draw trails of {} points for {} discs: there are too many points.", length, count) +
        (longest == 0 ? Message("Lower the trail to 0.")
                      : Message("Lower the trail to {} or less, or use fewer discs.", longest)));
  }

  // Clears the trails. If it throws InputError or Error (no memory), nothing has changed.
  void reset(Backend& backend, int count, int length) {
    check(static_cast<std::size_t>(count), length);
    Array<TrailPoint> places;
    if (length > 0)
      places = Array<TrailPoint>(backend, static_cast<std::size_t>(count) * static_cast<std::size_t>(length), "trails");
    places_ = std::move(places);
    count_ = count;
    length_ = length;
    recorded_ = 0;
    newest_ = -1;
  }
  bool empty() const { return recorded_ == 0; }
  void visit_members(MemberCopier& copy) { copy(places_, count_, length_, recorded_, newest_); }

  void record(Backend& backend, const Grid<Real>& grid) {
    if (length_ == 0) return;
    newest_ = (newest_ + 1) % length_;
    recorded_ = recorded_ < length_ ? recorded_ + 1 : length_;
    TrailPoint* const to = places_.data() + static_cast<std::size_t>(newest_) * static_cast<std::size_t>(count_);
    parallel_for(backend, "particles.trails", Range1D{count_}, RecordPlaces<Real>{grid, to});
  }

  // `radius`: of a disc, in pixels.
  template <class Ground>
  void paint(Backend& backend, Pixels pixels, double x0, double y0, double pixels_per_unit, float radius,
             const Ground& ground) {
    const float dot = radius * 0.22f > 0.6f ? radius * 0.22f : 0.6f;
    raster_.paint(backend, "particles.trails", pixels, count_ * recorded_,
                  TrailDots{places_.data(), count_, length_, newest_, x0, y0, pixels_per_unit, dot}, dot, {}, ground);
  }

 private:
  Array<TrailPoint> places_;  // [length][count], a ring
  int count_ = 0, length_ = 0, recorded_ = 0, newest_ = -1;
  DiscRaster raster_;
};

// The quantity with this id. Throws InputError if there is none.
Shown shown_disc_quantity(const std::string& id);

template <class Real>
class Painter {
 public:
  explicit Painter(Backend& backend) : backend_(backend) {}

  // Returns the function that gives each disc its value of the shown quantity. For the density it recounts the discs
  // (queued). The result is valid until the next call.
  DiscValue<Real> values(const DiscRun<Real>& now, Shown shown);
  // Queued.
  void paint(Pixels pixels, const Camera& camera, const ViewSettings& view, const ColorTable& table,
             const DiscRun<Real>& now, Trails<Real>& trails);

 private:
  DensityMap map_density(const DiscRun<Real>& now);

  Backend& backend_;
  DiscRaster raster_;
  CellBins density_bins_;  // made when density is shown for the first time
};

extern template class Painter<float>;
extern template class Painter<double>;

}  // namespace perturb::particles

#include "app/ui/layout.h"

#include <algorithm>
#include <cmath>

namespace perturb {

namespace {
// Design pixels: what things measure at scale 1.
constexpr double column_width = 336, transport_height = 52, status_height = 28;
constexpr double narrowest_picture = 280, lowest_picture = 120;
}  // namespace

Viewport Layout::viewport() const {
  const auto pixels = [&](double coordinate) {
    return static_cast<int>(std::lround(coordinate * pixels_per_coordinate));
  };
  Viewport v;
  v.x = pixels(picture.x);
  v.width = std::max(1, pixels(picture.x + picture.width) - v.x);
  const int top = pixels(picture.y), bottom = pixels(picture.y + picture.height);
  v.height = std::max(1, bottom - top);
  v.y = pixels(height) - bottom;
  return v;
}

PointerFrame Layout::pointer_frame() const {
  return {pixels_per_coordinate, static_cast<int>(std::lround(height * pixels_per_coordinate)), viewport()};
}

Layout make_layout(int framebuffer_width, int framebuffer_height, double pixels_per_coordinate, double scale,
                   bool panels) {
  Layout l;
  l.pixels_per_coordinate = pixels_per_coordinate;
  l.width = framebuffer_width / pixels_per_coordinate;
  l.height = framebuffer_height / pixels_per_coordinate;
  l.unit = scale / pixels_per_coordinate;

  // Edges lie on whole framebuffer pixels, so that lines are sharp and the viewport is exact.
  const auto snapped = [&](double design) { return std::round(design * scale) / pixels_per_coordinate; };
  const double column = snapped(column_width), transport = snapped(transport_height), status = snapped(status_height);
  l.has_bars = panels && l.height >= transport + status + snapped(lowest_picture);
  l.has_column = l.has_bars && l.width >= column + snapped(narrowest_picture);

  const double bars = l.has_bars ? transport + status : 0;
  const double side = l.has_column ? column : 0;
  l.picture = {0, 0, l.width - side, l.height - bars};
  if (l.has_bars) {
    l.transport = {0, l.height - bars, l.width - side, transport};
    l.status = {0, l.height - status, l.width, status};
  }
  if (l.has_column) l.column = {l.width - side, 0, side, l.height - status};
  return l;
}

}  // namespace perturb

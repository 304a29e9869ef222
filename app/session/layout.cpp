#include "app/session/layout.h"

#include <algorithm>
#include <cmath>

namespace perturb {

namespace {
// Design pixels: sizes at scale 1.
constexpr double column_width = 336, transport_height = 52, status_height = 28, handle_width = 24;
// Smallest view next to the column: enough to see the simulation, and most of the transport bar.
constexpr double narrowest_picture = 480, lowest_picture = 120;
// Smallest window: the drawer with some of the view, and the first buttons of the transport bar.
constexpr double min_width = 440, min_height = transport_height + status_height + lowest_picture;
// Lower, a plot could not be read.
constexpr double lowest_dock = 140;
// In a smaller window, text would become unreadable.
constexpr double smallest_scale = 0.5;
}  // namespace

Viewport Layout::viewport() const {
  const auto pixels = [&](double coordinate) {
    return static_cast<int>(std::lround(coordinate * pixels_per_coordinate));
  };
  Viewport v;
  v.x = pixels(view_rect.x);
  v.width = std::max(1, pixels(view_rect.x + view_rect.width) - v.x);
  const int top = pixels(view_rect.y), bottom = pixels(view_rect.y + view_rect.height);
  v.height = std::max(1, bottom - top);
  v.y = pixels(height) - bottom;
  return v;
}

Viewport Layout::lane_viewport(std::size_t lane) const {
  return lanes == 0 ? viewport() : lane_areas(viewport(), lanes)[lane];
}

Rect Layout::lane_rect(std::size_t lane) const {
  if (lanes == 0) return view_rect;
  const Viewport area = lane_viewport(lane);
  const double scale = 1 / pixels_per_coordinate;
  return {area.x * scale, height - (area.y + area.height) * scale, area.width * scale, area.height * scale};
}

std::size_t Layout::lane_at(double x, double y) const {
  for (std::size_t lane = 1; lane < lanes; ++lane)
    if (lane_rect(lane).contains(x, y)) return lane;
  return 0;
}

Camera::Point Layout::in_first_lane(double x, double y, std::size_t lane) const {
  if (lane == 0) return {x, y};
  const Rect first = lane_rect(), own = lane_rect(lane);
  return {x - own.x + first.x, y - own.y + first.y};
}

PointerFrame Layout::pointer_frame() const {
  return {pixels_per_coordinate, static_cast<int>(std::lround(height * pixels_per_coordinate)), lane_viewport()};
}

Viewport domain_viewport(const Viewport& view, const Camera& camera, double domain_width, double domain_height) {
  constexpr int wall_pixels = 2;
  const auto pixel = [&](double x, double y) {
    return camera.to_pixel(x, y, view.width, view.height, domain_width, domain_height);
  };
  const auto inside = [](double pixels, int size) {
    return static_cast<int>(std::clamp(pixels, 0.0, static_cast<double>(size)));
  };
  const Camera::Point low = pixel(0, 0), high = pixel(1, 1);
  const int left = inside(std::floor(low.x) - wall_pixels, view.width),
            right = inside(std::ceil(high.x) + wall_pixels, view.width),
            bottom = inside(std::floor(low.y) - wall_pixels, view.height),
            top = inside(std::ceil(high.y) + wall_pixels, view.height);
  return {view.x + left, view.y + bottom, right - left, top - bottom};
}

Layout make_layout(int framebuffer_width, int framebuffer_height, double pixels_per_coordinate, double scale,
                   bool panels, double dock) {
  Layout l;
  l.pixels_per_coordinate = pixels_per_coordinate;
  l.width = framebuffer_width / pixels_per_coordinate;
  l.height = framebuffer_height / pixels_per_coordinate;
  const double max_scale = std::min(framebuffer_width / min_width, framebuffer_height / min_height);
  scale = std::min(scale, std::max(max_scale, smallest_scale));
  l.unit = scale / pixels_per_coordinate;

  // Edges are on whole framebuffer pixels, so that lines are sharp and the viewport is exact.
  const auto snapped = [&](double design) { return std::round(design * scale) / pixels_per_coordinate; };
  const double column = snapped(column_width), transport = snapped(transport_height), status = snapped(status_height);
  l.has_bars = panels && l.height >= transport + status && l.width >= column;
  l.has_column = l.has_bars;
  l.is_drawer = l.has_column && l.width < column + snapped(narrowest_picture);

  const double bars = l.has_bars ? transport + status : 0;
  const double side = !l.has_column ? 0 : l.is_drawer ? snapped(handle_width) : column;
  l.view_rect = {0, 0, l.width - side, l.height - bars};
  if (!l.has_bars) return l;
  if (dock > 0) {
    const double room = l.view_rect.height - snapped(lowest_picture), height = std::min(snapped(dock), room);
    if (room >= snapped(lowest_dock)) l.dock.height = std::max(height, snapped(lowest_dock));
    l.view_rect.height -= l.dock.height;
    l.dock.y = l.view_rect.height;
    l.dock.width = l.view_rect.width;
  }
  l.transport = {0, l.height - bars, l.width - side, transport};
  l.status = {0, l.height - status, l.width, status};
  if (l.is_drawer) {
    l.handle = {l.width - side, 0, side, l.height - status};
    const double open = std::min(column, l.width - side);
    l.column = {l.width - side - open, 0, open, l.height - bars};
  } else {
    l.column = {l.width - side, 0, side, l.height - status};
  }
  return l;
}

}  // namespace perturb

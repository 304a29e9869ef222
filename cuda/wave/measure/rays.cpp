#include "cuda/wave/measure/rays.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>

#include "cuda/core/paint/sampling.h"

namespace perturb::wave {

namespace {

constexpr double smoothing = 0.4;  // standard deviation, wavelengths
// The speed changes where the slope of n² exceeds this, 1/cell: the edge of the weakest lens has more.
constexpr double least_slope = 1e-3;
// Distance from a change of speed to the probe of a direction, in wavelengths: the window of a probe reaches 1.4
// (measure/directions.h).
constexpr double clearance = 1.5;
constexpr double stride = 0.1;  // step along a ray, wavelengths in open water

double length_of(const RayPoint& p) { return std::hypot(p.px, p.py); }

}  // namespace

Slowness::Slowness(const std::vector<float>& factors, int width, int height, double wavelength)
    : square_(factors.size()), width_(width), height_(height) {
  for (std::size_t k = 0; k < factors.size(); ++k) square_[k] = 1 / (factors[k] * factors[k]);
  // Three running means along each axis are nearly Gaussian; each of 2 r + 1 cells adds r (r + 1)/3 to the variance.
  const double deviation = smoothing * wavelength;
  const int r = std::max(1, static_cast<int>(std::lround(0.5 * (std::sqrt(1 + 4 * deviation * deviation) - 1))));
  const float share = 1 / static_cast<float>(2 * r + 1);
  const auto across = static_cast<std::size_t>(width);
  const auto row = [&](std::vector<float>& of, int j) {
    return of.data() + across * static_cast<std::size_t>(clamp_index(j, height));
  };
  std::vector<float> smooth(square_.size()), sums(across);
  for (int pass = 0; pass < 3; ++pass) {
    for (int j = 0; j < height; ++j) {
      const float* from = row(square_, j);
      float* to = row(smooth, j);
      double sum = 0;
      for (int k = -r; k <= r; ++k) sum += static_cast<double>(from[clamp_index(k, width)]);
      for (int i = 0; i < width; ++i) {
        to[i] = static_cast<float>(sum) * share;
        sum += static_cast<double>(from[clamp_index(i + r + 1, width)]) -
               static_cast<double>(from[clamp_index(i - r, width)]);
      }
    }
    // Vertically by whole rows, in memory order.
    std::fill(sums.begin(), sums.end(), 0.f);
    for (int k = -r; k <= r; ++k)
      for (int i = 0; i < width; ++i) sums[static_cast<std::size_t>(i)] += row(smooth, k)[i];
    for (int j = 0; j < height; ++j) {
      float* to = row(square_, j);
      const float *enters = row(smooth, j + r + 1), *leaves = row(smooth, j - r);
      for (int i = 0; i < width; ++i) {
        float& sum = sums[static_cast<std::size_t>(i)];
        to[i] = sum * share;
        sum += enters[i] - leaves[i];
      }
    }
  }
}

Slowness::Value Slowness::at(double x, double y) const {
  const auto cell = [&](int i, int j) {
    return static_cast<double>(
        square_[static_cast<std::size_t>(clamp_index(j, height_)) * width_ + clamp_index(i, width_)]);
  };
  const double fx = std::floor(x - 0.5), fy = std::floor(y - 0.5), a = x - 0.5 - fx, b = y - 0.5 - fy;
  const int i = static_cast<int>(fx), j = static_cast<int>(fy);
  const auto between = [&](const auto& of) {
    return (1 - b) * ((1 - a) * of(i, j) + a * of(i + 1, j)) + b * ((1 - a) * of(i, j + 1) + a * of(i + 1, j + 1));
  };
  return {between(cell), between([&](int m, int n) { return 0.5 * (cell(m + 1, n) - cell(m - 1, n)); }),
          between([&](int m, int n) { return 0.5 * (cell(m, n + 1) - cell(m, n - 1)); })};
}

std::optional<Ray> wave_ray(const Slowness& slowness, double x, double y, double dx, double dy, double wavelength,
                            const RayBounds& bounds) {
  struct Place {
    RayPoint at;
    double way, optical;  // from the source
  };
  std::vector<Place> places;
  places.reserve(1024);
  Slowness::Value here = slowness.at(x, y);
  const double n = std::sqrt(here.square);
  RayPoint p{x, y, n * dx, n * dy};
  double way = 0, optical = 0;
  std::ptrdiff_t first = -1, last = -1;
  const auto is_inside = [&] {
    return p.x >= bounds.left && p.x <= bounds.right && p.y >= bounds.bottom && p.y <= bounds.top;
  };
  bool came_in = false;
  const std::size_t most = 16 * static_cast<std::size_t>(slowness.width() + slowness.height());
  while (places.size() < most) {
    // A source may be inside the sponge.
    if (is_inside())
      came_in = true;
    else if (came_in || !(p.x >= 0 && p.x <= slowness.width() && p.y >= 0 && p.y <= slowness.height()))
      break;
    places.push_back({p, way, optical});
    if (std::hypot(here.slope_x, here.slope_y) > least_slope) {
      last = static_cast<std::ptrdiff_t>(places.size()) - 1;
      if (first < 0) first = last;
    }
    // Leapfrog step (half kick, drift, half kick): |p| = n is conserved across an edge to 1e-4.
    const double step = stride * wavelength / length_of(p), half = 0.25 * step;
    p.px += half * here.slope_x, p.py += half * here.slope_y;
    p.x += step * p.px, p.y += step * p.py;
    way += step * length_of(p), optical += step * (p.px * p.px + p.py * p.py);
    here = slowness.at(p.x, p.y);
    p.px += half * here.slope_x, p.py += half * here.slope_y;
  }
  if (first < 0) return std::nullopt;
  const auto at = [&](std::ptrdiff_t k) -> const Place& { return places[static_cast<std::size_t>(k)]; };
  const auto distance = [&](const Place& place) { return clearance * wavelength / length_of(place.at); };
  const double from = at(first).way - distance(places.front()), to = at(last).way + distance(places.back());
  // Closer to the source, waves are not plane yet.
  if (from < wavelength || to > places.back().way) return std::nullopt;
  const auto place_at = [&](double distance_on) -> const Place& {
    const auto found =
        std::lower_bound(places.begin(), places.end(), distance_on, [](const Place& a, double b) { return a.way < b; });
    return found == places.end() ? places.back() : *found;
  };
  const Place& behind = place_at(to);
  const Place& middle = place_at(0.5 * (at(first).way + at(last).way));
  return Ray{place_at(from).at, behind.at, middle.at.x, middle.at.y, behind.optical};
}

std::vector<Ray> rays_of(const Source& line, const Grid& tank, const Slowness& slowness, double wavelength,
                         const RayBounds& bounds, int count) {
  // Waves bend at the ends of a source, so the ends are left out.
  constexpr double inner = 0.4;
  const double x0 = line.x0 * tank.width, y0 = line.y0 * tank.height;
  const double along_x = line.x1 * tank.width - x0, along_y = line.y1 * tank.height - y0;
  const double length = std::hypot(along_x, along_y);
  std::vector<Ray> rays;
  if (!(length > 0)) return rays;
  double dx = along_y / length, dy = -along_x / length;
  if (dx * (0.5 * tank.width - x0 - 0.5 * along_x) + dy * (0.5 * tank.height - y0 - 0.5 * along_y) < 0)
    dx = -dx, dy = -dy;
  for (int k = 0; k < count; ++k) {
    const double share = 0.5 + inner * ((k + 0.5) / count - 0.5);
    const auto beside = [&](double off) {
      const double at = share + off / length;
      return wave_ray(slowness, x0 + at * along_x, y0 + at * along_y, dx, dy, wavelength, bounds);
    };
    auto ray = beside(0);
    if (!ray) continue;
    // Weighted as a measured direction: Gaussian, half a wavelength wide.
    double bundle = 1;
    for (const double off : {-1., -0.75, -0.5, -0.25, 0.25, 0.5, 0.75, 1.}) {
      const auto other = beside(off * wavelength);
      if (!other) continue;
      const double weight = std::exp(-2 * off * off);
      const auto add = [&](RayPoint& to, const RayPoint& from) {
        to.px += weight * from.px, to.py += weight * from.py;
      };
      add(ray->before, other->before), add(ray->behind, other->behind), bundle += weight;
    }
    for (RayPoint* point : {&ray->before, &ray->behind}) point->px /= bundle, point->py /= bundle;
    rays.push_back(*ray);
  }
  return rays;
}

std::optional<RayIntersection> intersection_of(std::span<const RayPoint> lines) {
  // The distance of (x, y) from a line through r along d (of length 1) is |nx (x - rx) + ny (y - ry)|, n = (-dy, dx).
  double xx = 0, xy = 0, yy = 0, bx = 0, by = 0, least = 0, most = 0;
  for (const RayPoint& line : lines) {
    const double size = length_of(line), nx = -line.py / size, ny = line.px / size;
    const double off = nx * line.x + ny * line.y;
    xx += nx * nx, xy += nx * ny, yy += ny * ny, bx += nx * off, by += ny * off;
    // Angle from the direction of the first line.
    const RayPoint& one = lines.front();
    const double turn =
        std::atan2(one.px * line.py - one.py * line.px, one.px * line.px + one.py * line.py) * 180 / std::numbers::pi;
    least = std::min(least, turn), most = std::max(most, turn);
  }
  constexpr double least_spread = 2;  // degrees
  const double divisor = xx * yy - xy * xy;
  if (lines.size() < 2 || most - least < least_spread || !(divisor > 0)) return std::nullopt;
  const RayIntersection intersection{(yy * bx - xy * by) / divisor, (xx * by - xy * bx) / divisor};
  double ahead = 0;
  for (const RayPoint& line : lines) ahead += (intersection.x - line.x) * line.px + (intersection.y - line.y) * line.py;
  return ahead > 0 ? std::optional(intersection) : std::nullopt;
}

}  // namespace perturb::wave

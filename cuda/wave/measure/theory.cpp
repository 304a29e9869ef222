#include "cuda/wave/measure/theory.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <numbers>
#include <utility>

#include <math.h>

#include "cuda/core/paint/sampling.h"

namespace perturb::wave {

void Diffraction::prepare(double distance, double wavelength, int cells) {
  if (distance == distance_ && wavelength == wavelength_ && kernel_.size() == static_cast<std::size_t>(cells)) return;
  distance_ = distance;
  wavelength_ = wavelength;
  kernel_.resize(static_cast<std::size_t>(cells));
  const double k = 2 * std::numbers::pi / wavelength;
  for (int d = 0; d < cells; ++d) {
    const double r = std::hypot(distance, d);
    // The functions of POSIX: not every C++ library has those of the standard.
    const std::complex<double> hankel(::j1(k * r), ::y1(k * r));
    kernel_[static_cast<std::size_t>(d)] = std::complex<double>(0, k / 2 * distance / r) * hankel;
  }
}

std::vector<std::complex<double>> Diffraction::on_line(std::span<const std::complex<double>> plane) const {
  std::vector<std::complex<double>> line(kernel_.size());
  for (std::size_t p = 0; p < plane.size(); ++p) {
    if (plane[p] == std::complex<double>()) continue;
    for (std::size_t q = 0; q < line.size(); ++q) line[q] += kernel_[q > p ? q - p : p - q] * plane[p];
  }
  return line;
}

std::vector<Aperture> wave_apertures(std::span<const std::complex<double>> plane, double wavelength) {
  std::vector<Aperture> apertures;
  for (std::size_t first = 0; first < plane.size();) {
    std::size_t end = first;
    while (end < plane.size() && plane[end] != std::complex<double>()) ++end;
    const auto cells = static_cast<int>(end - first);
    if (cells > 0) {
      Aperture aperture{static_cast<double>(first) + 0.5 * cells, cells + 1.0, {}};
      const int count = std::min(cells, static_cast<int>(2 * aperture.width / wavelength) + 2);
      for (int m = 1; m <= count; ++m) {
        std::complex<double> sum = 0;
        for (int j = 0; j < cells; ++j)
          sum += plane[first + static_cast<std::size_t>(j)] * std::sin(m * std::numbers::pi * (j + 1) / aperture.width);
        aperture.modes.push_back(2 / aperture.width * sum);
      }
      apertures.push_back(std::move(aperture));
    }
    first = end + 1;
  }
  return apertures;
}

namespace {

// ∫ of an opening's modes times exp(-i q y) over the opening, y from its middle.
std::complex<double> far_amplitude(const Aperture& aperture, double q) {
  std::complex<double> sum = 0;
  const double half = 0.5 * aperture.width;
  const std::complex<double> swings[] = {{std::cos(q * half), 0}, {0, std::sin(q * half)}};
  for (std::size_t k = 0; k < aperture.modes.size(); ++k) {
    const double a = static_cast<double>(k + 1) * std::numbers::pi / aperture.width;
    const double divisor = a * a - q * q;
    // Where both are zero, the limit: b/2 with the phase of the mode in the middle.
    if (std::abs(divisor) < 1e-6 * a * a)
      sum +=
          aperture.modes[k] * half * std::polar(1.0, (q > 0 ? 1 : -1) * std::numbers::pi / 2 * static_cast<double>(k));
    else
      sum += aperture.modes[k] * swings[k % 2] * (2 * a / divisor);
  }
  return sum;
}

}  // namespace

std::vector<std::complex<double>> far_field(std::span<const Aperture> apertures, double distance, double wavelength,
                                            int cells) {
  using std::numbers::pi;
  const double k = 2 * pi / wavelength;
  std::vector<std::complex<double>> line(static_cast<std::size_t>(cells));
  for (const Aperture& aperture : apertures)
    for (int q = 0; q < cells; ++q) {
      const double across = q + 0.5 - aperture.middle, r = std::hypot(distance, across);
      line[static_cast<std::size_t>(q)] += far_amplitude(aperture, k * across / r) *
                                           std::polar(std::sqrt(k / (2 * pi * r)) * distance / r, k * r - pi / 4);
    }
  return line;
}

double far_from(std::span<const Aperture> apertures, double wavelength) {
  double from = wavelength;
  for (const Aperture& aperture : apertures) from = std::max(from, 2 * aperture.width * aperture.width / wavelength);
  return from;
}

namespace {

// The fringe at a maximum, from the parabola through three samples.
Fringe fringe_at(std::span<const double> v, std::size_t i) {
  const double bend = v[i - 1] - 2 * v[i] + v[i + 1], lean = 0.5 * (v[i + 1] - v[i - 1]);
  const double shift = bend < 0 ? -lean / bend : 0;
  return {static_cast<double>(i) + 0.5 + shift, v[i] + 0.5 * lean * shift};
}

}  // namespace

std::vector<Fringe> inner_fringes(std::span<const double> v, int count) {
  // Maxima below this share of the highest are ripples, not fringes.
  constexpr double min_share = 0.02;
  const double highest = v.empty() ? 0 : *std::max_element(v.begin(), v.end());
  std::vector<Fringe> all;
  for (std::size_t i = 1; i + 1 < v.size(); ++i) {
    if (!(v[i] > v[i - 1] && v[i] >= v[i + 1]) || v[i] < min_share * highest) continue;
    // The lowest point since the last fringe shows whether there is a dark fringe in between.
    if (!all.empty()) {
      const auto from = static_cast<std::size_t>(all.back().place);
      const double dark =
          *std::min_element(v.begin() + static_cast<std::ptrdiff_t>(from), v.begin() + static_cast<std::ptrdiff_t>(i));
      const Fringe here = fringe_at(v, i);
      if (dark > 0.9 * std::min(here.height, all.back().height)) {  // one fringe with a ripple on it
        if (here.height > all.back().height) all.back() = here;
        continue;
      }
    }
    all.push_back(fringe_at(v, i));
  }
  if (all.size() <= static_cast<std::size_t>(count)) return all;
  const double middle = 0.5 * static_cast<double>(v.size());
  std::size_t first = 0;
  const auto off_middle = [&](std::size_t k) {
    return std::abs(0.5 * (all[k].place + all[k + static_cast<std::size_t>(count) - 1].place) - middle);
  };
  for (std::size_t k = 1; k + static_cast<std::size_t>(count) <= all.size(); ++k)
    if (off_middle(k) < off_middle(first)) first = k;
  return {all.begin() + static_cast<std::ptrdiff_t>(first), all.begin() + static_cast<std::ptrdiff_t>(first) + count};
}

namespace {

double first_fringe(const std::vector<Fringe>& fringes) {
  const std::size_t middle = fringes.size() / 2;
  if (fringes.size() < 3 || fringes.size() % 2 == 0) return 0;
  return 0.5 * (fringes[middle + 1].place - fringes[middle - 1].place);
}

// Mean distance from the middle fringe to the darkest places between it and its neighbours; 0: as for first_fringe.
double first_dark(std::span<const double> v, const std::vector<Fringe>& fringes) {
  const std::size_t middle = fringes.size() / 2;
  if (first_fringe(fringes) == 0) return 0;
  const auto darkest = [&](const Fringe& from, const Fringe& to) {
    const auto place = [&](const Fringe& f) { return v.begin() + static_cast<std::ptrdiff_t>(f.place); };
    const auto i = static_cast<std::size_t>(std::min_element(place(from), place(to)) - v.begin());
    const std::array<double, 3> turned = {-v[i - 1], -v[i], -v[i + 1]};
    return static_cast<double>(i - 1) + fringe_at(turned, 1).place;
  };
  return 0.5 * (darkest(fringes[middle], fringes[middle + 1]) - darkest(fringes[middle - 1], fringes[middle]));
}

}  // namespace

Comparison compare(std::span<const double> measured, std::span<const double> theory) {
  constexpr int odd = 5;
  Comparison c;
  // Five fringes about a bright one in the middle, or four about a dark one: as many on both sides.
  const auto off_middle = [&](const std::vector<Fringe>& fringes) {
    return std::abs(0.5 * (fringes.front().place + fringes.back().place) - 0.5 * static_cast<double>(theory.size()));
  };
  const std::vector<Fringe> five = inner_fringes(theory, odd), four = inner_fringes(theory, odd - 1);
  const double spacing = five.size() == odd ? (five.back().place - five.front().place) / (odd - 1) : 0;
  const bool is_dark = spacing > 0 && off_middle(four) < 0.1 * spacing && off_middle(five) > 0.4 * spacing;
  const int inner = is_dark ? odd - 1 : odd;
  c.found = inner_fringes(measured, inner);
  c.theory = inner_fringes(theory, inner);
  // At an end of the curves, only one of both may still have its fringe.
  const auto drop_at_ends = [&](std::vector<Fringe>& longer, std::size_t count) {
    while (longer.size() > std::max<std::size_t>(count, 1)) {
      const double near = 0.25 * (longer.back().place - longer.front().place) / static_cast<double>(longer.size() - 1);
      if (longer.front().place < near)
        longer.erase(longer.begin());
      else if (longer.back().place > static_cast<double>(measured.size()) - near)
        longer.pop_back();
      else
        return;
    }
  };
  drop_at_ends(c.found, c.theory.size());
  drop_at_ends(c.theory, c.found.size());
  const std::vector<Fringe>&got = c.found, &want = c.theory;
  double product = 0, squares = 0;
  for (std::size_t q = 0; q < theory.size(); ++q) {
    product += measured[q] * theory[q];
    squares += theory[q] * theory[q];
  }
  if (got.size() == want.size() && !got.empty()) {
    product = squares = 0;
    for (std::size_t f = 0; f < got.size(); ++f) {
      product += got[f].height * want[f].height;
      squares += want[f].height * want[f].height;
    }
  }
  c.factor = squares > 0 ? product / squares : 0;
  if (got.size() != want.size()) return c;
  c.fringes = static_cast<int>(got.size());
  for (std::size_t f = 0; f < got.size(); ++f)
    c.error = std::max(c.error, std::abs(got[f].height / (c.factor * want[f].height) - 1));
  if (c.fringes < 2) return c;
  c.spacing = (got.back().place - got.front().place) / (c.fringes - 1);
  c.expected = (want.back().place - want.front().place) / (c.fringes - 1);
  c.first = first_fringe(got);
  c.first_expected = first_fringe(want);
  c.first_dark = first_dark(measured, got);
  c.first_dark_expected = first_dark(theory, want);
  return c;
}

namespace {

constexpr double smoothing = 0.4;  // standard deviation, wavelengths
// The speed changes where the slope of n² exceeds this, 1/cell: the edge of the weakest lens has more.
constexpr double min_slope = 1e-3;
// Distance from a change of speed to the probe of a direction, in wavelengths: the window of a probe reaches 1.4
// (measure/directions.h).
constexpr double clearance = 1.5;
constexpr double stride = 0.1;  // step along a ray, wavelengths in open water

constexpr double widest_edge = 5;  // wavelengths in open water: a wider change of speed is no edge

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
  struct Point {
    RayPoint at;
    double way, optical;      // from the source
    double slope_x, slope_y;  // of n²
  };
  std::vector<Point> places;
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
  const std::size_t max_places = 16 * static_cast<std::size_t>(slowness.width() + slowness.height());
  while (places.size() < max_places) {
    // A source may be inside the sponge.
    if (is_inside())
      came_in = true;
    else if (came_in || !(p.x >= 0 && p.x <= slowness.width() && p.y >= 0 && p.y <= slowness.height()))
      break;
    places.push_back({p, way, optical, here.slope_x, here.slope_y});
    if (std::hypot(here.slope_x, here.slope_y) > min_slope) {
      last = static_cast<std::ptrdiff_t>(places.size()) - 1;
      if (first < 0) first = last;
    }
    // Leapfrog step (half kick, drift, half kick): |p| = n is conserved across an edge to 1e-4.
    const double step = stride * wavelength / length_of(p), half = 0.25 * step;
    p.px += half * here.slope_x;
    p.py += half * here.slope_y;
    p.x += step * p.px;
    p.y += step * p.py;
    way += step * length_of(p);
    optical += step * (p.px * p.px + p.py * p.py);
    here = slowness.at(p.x, p.y);
    p.px += half * here.slope_x;
    p.py += half * here.slope_y;
  }
  if (first < 0) return std::nullopt;
  const auto at = [&](std::ptrdiff_t k) -> const Point& { return places[static_cast<std::size_t>(k)]; };
  const auto distance = [&](const Point& place) { return clearance * wavelength / length_of(place.at); };
  const double from = at(first).way - distance(places.front()), to = at(last).way + distance(places.back());
  // Closer to the source, waves are not plane yet.
  if (from < wavelength || to > places.back().way) return std::nullopt;
  const auto place_at = [&](double distance_on) -> const Point& {
    const auto found =
        std::lower_bound(places.begin(), places.end(), distance_on, [](const Point& a, double b) { return a.way < b; });
    return found == places.end() ? places.back() : *found;
  };
  const Point& behind = place_at(to);
  const Point& middle = place_at(0.5 * (at(first).way + at(last).way));
  Ray ray{place_at(from).at, behind.at, middle.at.x, middle.at.y, behind.optical};
  constexpr std::size_t places_per_point = 5;
  for (std::size_t k = 0; k < places.size(); k += places_per_point) ray.path.push_back(places[k].at);
  ray.path.push_back(places.back().at);
  // Runs of places in which the speed changes.
  const auto slope_at = [&](std::ptrdiff_t k) { return std::hypot(at(k).slope_x, at(k).slope_y); };
  for (std::ptrdiff_t k = first; k <= last; ++k) {
    if (!(slope_at(k) > min_slope)) continue;
    std::ptrdiff_t end = k, steepest = k;
    for (; end <= last && slope_at(end) > min_slope; ++end)
      if (slope_at(end) > slope_at(steepest)) steepest = end;
    const Point &in = at(k > 0 ? k - 1 : 0), &edge = at(steepest);
    const Point& out = end < static_cast<std::ptrdiff_t>(places.size()) ? at(end) : places.back();
    k = end;
    if (out.way - in.way > widest_edge * wavelength) continue;
    const double slope = std::hypot(edge.slope_x, edge.slope_y),
                 sign = edge.slope_x * edge.at.px + edge.slope_y * edge.at.py < 0 ? -1 : 1;
    ray.crossings.push_back({edge.at.x, edge.at.y, sign * edge.slope_x / slope, sign * edge.slope_y / slope, in.at.px,
                             in.at.py, out.at.px, out.at.py});
  }
  return ray;
}

double degrees_from_normal(double px, double py, const RayCrossing& c) {
  return std::atan2(std::abs(px * c.normal_y - py * c.normal_x), px * c.normal_x + py * c.normal_y) * 180 /
         std::numbers::pi;
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
  if (dx * (0.5 * tank.width - x0 - 0.5 * along_x) + dy * (0.5 * tank.height - y0 - 0.5 * along_y) < 0) {
    dx = -dx;
    dy = -dy;
  }
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
        to.px += weight * from.px;
        to.py += weight * from.py;
      };
      add(ray->before, other->before);
      add(ray->behind, other->behind);
      bundle += weight;
    }
    for (RayPoint* point : {&ray->before, &ray->behind}) {
      point->px /= bundle;
      point->py /= bundle;
    }
    rays.push_back(*ray);
  }
  return rays;
}

std::optional<RayIntersection> intersection_of(std::span<const RayPoint> lines) {
  // The distance of (x, y) from a line through r along d (of length 1) is |nx (x - rx) + ny (y - ry)|, n = (-dy, dx).
  double xx = 0, xy = 0, yy = 0, bx = 0, by = 0, min_turn = 0, max_turn = 0;
  for (const RayPoint& line : lines) {
    const double size = length_of(line), nx = -line.py / size, ny = line.px / size;
    const double off = nx * line.x + ny * line.y;
    xx += nx * nx;
    xy += nx * ny;
    yy += ny * ny;
    bx += nx * off;
    by += ny * off;
    // Angle from the direction of the first line.
    const RayPoint& one = lines.front();
    const double turn =
        std::atan2(one.px * line.py - one.py * line.px, one.px * line.px + one.py * line.py) * 180 / std::numbers::pi;
    min_turn = std::min(min_turn, turn);
    max_turn = std::max(max_turn, turn);
  }
  constexpr double min_spread = 2;  // degrees
  const double divisor = xx * yy - xy * xy;
  if (lines.size() < 2 || max_turn - min_turn < min_spread || !(divisor > 0)) return std::nullopt;
  const RayIntersection intersection{(yy * bx - xy * by) / divisor, (xx * by - xy * bx) / divisor};
  double ahead = 0;
  for (const RayPoint& line : lines) ahead += (intersection.x - line.x) * line.px + (intersection.y - line.y) * line.py;
  return ahead > 0 ? std::optional(intersection) : std::nullopt;
}

namespace {

// Mean distance of two crests in cells, from the zeros of the height between two positions; 0: less than one whole wave
// is there.
double wavelength_between(std::span<const double> row, double low, double high) {
  const auto first = static_cast<std::ptrdiff_t>(std::ceil(std::max(low, 0.))),
             last =
                 std::min(static_cast<std::ptrdiff_t>(std::floor(high)), static_cast<std::ptrdiff_t>(row.size()) - 1);
  double begin = 0, end = 0;
  int zeros = 0;
  for (std::ptrdiff_t i = first; i < last; ++i) {
    const double a = row[static_cast<std::size_t>(i)], b = row[static_cast<std::size_t>(i) + 1];
    if ((a < 0) == (b < 0)) continue;
    end = static_cast<double>(i) + a / (a - b);
    if (zeros++ == 0) begin = end;
  }
  return zeros < 3 ? 0 : 2 * (end - begin) / (zeros - 1);
}

}  // namespace

DampedOscillation::DampedOscillation(double undamped, double damping)
    : damping_(damping), rate_(std::sqrt(std::max(0., undamped * undamped - 0.25 * damping * damping))) {}

double DampedOscillation::at(double time) const {
  if (!(rate_ > 0)) return std::exp(-0.5 * damping_ * time) * (1 + 0.5 * damping_ * time);
  return std::exp(-0.5 * damping_ * time) * (std::cos(rate_ * time) + 0.5 * damping_ / rate_ * std::sin(rate_ * time));
}

double DampedOscillation::frequency() const { return rate_ / (2 * std::numbers::pi); }

double DampedOscillation::frequency_of(double before, double now, double time, double step) const {
  constexpr double turn = 2 * std::numbers::pi;
  const double half = 0.5 * rate_ * step, since = time - 0.5 * step, late = std::atan(0.5 * damping_ / rate_);
  const double phase = std::atan2((before - now) / std::sin(half), (before + now) / std::cos(half)) + late;
  return (phase + turn * std::round((rate_ * since - phase) / turn)) / (turn * since);
}

std::optional<Doppler> doppler_of(std::span<const double> row, const Sources& sources, const Grid& tank, double speed,
                                  double margin, double time) {
  if (sources.count() != 1 || tank.periodic_x) return std::nullopt;
  const Source& source = sources[0];
  const double v = std::abs(source.velocity_x), middle = tank.height / 2 + 0.5;
  const bool on_the_row = source.y0 == source.y1 && std::abs(source.y0 * tank.height - middle) <= 1;
  if (!(v > 0 && v < speed) || source.velocity_y != 0 || source.waves > 0 || !(source.frequency > 0) || !on_the_row)
    return std::nullopt;

  Doppler doppler;
  doppler.ahead_expected = (speed - v) / source.frequency;
  doppler.behind_expected = (speed + v) / source.frequency;
  // In cells. Only waves sent since the last reversal of the source count, from the first whole period on.
  const double step = source.velocity_x / tank.cell_size,
               unfolded = source.x0 * tank.width + step * (time - source.start);
  const double periods_crossed = std::floor(unfolded / tank.width);
  const bool is_reversed = periods_crossed != 0, backwards = static_cast<long long>(periods_crossed) % 2 != 0;
  const double direction = (step > 0) == backwards ? -1 : 1;
  const double since_side =
      step > 0 ? unfolded - periods_crossed * tank.width : (periods_crossed + 1) * tank.width - unfolded;
  const double since = is_reversed ? since_side / std::abs(step) : time - source.start;
  const double here = source_place(source, tank, time).x0 * tank.width,
               from = here - direction * since * std::abs(step);
  const double reach = (since - 1 / source.frequency) * speed / tank.cell_size;
  const double ahead = doppler.ahead_expected / tank.cell_size, behind = doppler.behind_expected / tank.cell_size;
  // From one wavelength off the source, they agree with the far field to 1 %. Positions of cell centres.
  const auto between = [&](double near, double far) {
    const double low = std::max(std::min(near, far), margin) - 0.5,
                 high = std::min(std::max(near, far), tank.width - margin) - 0.5;
    return wavelength_between(row, low, high) * tank.cell_size;
  };
  if (const double far = from + direction * reach; direction * (far - here) > ahead)
    doppler.ahead = between(here + direction * ahead, far);
  if (const double far = from - direction * reach; direction * (here - far) > behind)
    doppler.behind = between(here - direction * behind, far);
  return doppler;
}

}  // namespace perturb::wave

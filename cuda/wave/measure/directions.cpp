#include "cuda/wave/measure/directions.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <utility>

#include "cuda/core/loops/parallel_for.h"
#include "cuda/core/simulation/diagnostics.h"
#include "cuda/core/simulation/uncompared.h"

namespace perturb::wave {

namespace {

using std::numbers::pi;

// A window has at most this many samples per side, and at least ten per wavelength.
constexpr int max_places = 65, max_probes = 2 * Directions<float>::max_rays;
constexpr double width_of_window = 0.5, reach_of_window = 2.8;  // in wavelengths, and in these widths
constexpr int numbers_of_row = 6;                               // S, Dx, Dy: real and imaginary parts
// Numbers of a window: first column and row, samples per side, cells between them.
constexpr int numbers_of_window = 4;

// For each row of each probe's window: its contribution to S, Dx and Dy.
template <class Real>
struct SumWindowRow {
  View2D<const Real> u, u_previous;
  View1D<const std::int32_t> windows;  // [probe, numbers_of_window]
  View1D<const double> tables;         // [probe, x or y, place, 3]: weight exp(-i g (r - r0)), and (r - r0)/s²
  View1D<double> sums;                 // [probe, row, numbers_of_row]
  double cosine, per_sine;             // of w dt

  PERTURB_HD void operator()(int r, int probe) const {
    const std::int32_t* window = windows.data + probe * numbers_of_window;
    double* out = sums.data + static_cast<std::size_t>(probe * max_places + r) * numbers_of_row;
    for (int k = 0; k < numbers_of_row; ++k) out[k] = 0;
    const int places = window[2], stride = window[3], j = window[1] + r * stride;
    if (r >= places || j < 0 || j >= u.height) return;
    const double* along_x = tables.data + static_cast<std::size_t>(probe * 2) * max_places * 3;
    const double* at_y = along_x + static_cast<std::size_t>(max_places + r) * 3;
    double real = 0, imaginary = 0, real_x = 0, imaginary_x = 0;
    for (int a = 0; a < places; ++a) {
      const int i = window[0] + a * stride;
      if (i < 0 || i >= u.width) continue;
      const double z = static_cast<double>(u(i, j));
      const double turned = (z * cosine - static_cast<double>(u_previous(i, j))) * per_sine;
      const double *t = along_x + static_cast<std::size_t>(a) * 3, p = z * t[0] - turned * t[1],
                   q = z * t[1] + turned * t[0];
      real += p;
      imaginary += q;
      real_x += t[2] * p;
      imaginary_x += t[2] * q;
    }
    out[0] = real * at_y[0] - imaginary * at_y[1];
    out[1] = real * at_y[1] + imaginary * at_y[0];
    out[2] = real_x * at_y[0] - imaginary_x * at_y[1];
    out[3] = real_x * at_y[1] + imaginary_x * at_y[0];
    out[4] = at_y[2] * out[0];
    out[5] = at_y[2] * out[1];
  }
};

// Rounded to a thousandth: finer digits are rounding errors.
double degrees_of(const RayPoint& p) { return std::round(std::atan2(p.py, p.px) * 180e3 / pi) / 1e3 + 0.0; }
double degrees_between(const RayPoint& a, const RayPoint& b) {
  return std::abs(std::atan2(a.px * b.py - a.py * b.px, a.px * b.px + a.py * b.py)) * 180 / pi;
}
// The mean direction.
double mean_degrees(const std::vector<RayPoint>& all) {
  RayPoint sum;
  for (const RayPoint& p : all) {
    const double size = std::hypot(p.px, p.py);
    sum.px += p.px / size;
    sum.py += p.py / size;
  }
  return degrees_of(sum);
}

}  // namespace

template <class Real>
Directions<Real>::Directions(Backend& backend, int width, int height)
    : backend_(backend),
      width_(width),
      height_(height),
      tables_(backend, std::size_t{max_probes} * 2 * max_places * 3, "directions"),
      sums_(backend, std::size_t{max_probes} * max_places * numbers_of_row, "directions"),
      windows_(backend, std::size_t{max_probes} * numbers_of_window, "directions"),
      readback_(backend, std::size_t{max_probes} * max_places * numbers_of_row * sizeof(double)) {}

template <class Real>
bool Directions<Real>::same(const Key& a, const Key& b) {
  return a.medium == b.medium && a.source == b.source && a.tank.cell_size == b.tank.cell_size && a.speed == b.speed &&
         a.time_step == b.time_step && a.sponge == b.sponge && a.left == b.left && a.right == b.right &&
         a.bottom == b.bottom && a.top == b.top;
}

template <class Real>
bool Directions<Real>::prepare(const Medium<Real>& medium, const Sources& sources, const Grid& tank,
                               const Parameters& p) {
  if (sources.count() != 1 || !medium.has_speed_map() || medium.has_walls() || !(p.wave_speed > 0)) return false;
  const Source& source = sources[0];
  const bool is_line = source.x0 != source.x1 || source.y0 != source.y1;
  if (!is_line || source.waves > 0 || source.velocity_x != 0 || source.velocity_y != 0 || !(source.frequency > 0))
    return false;
  const Key key{medium.changes(), source,           tank,
                p.wave_speed,     p.time_step,      p.sponge_width,
                p.boundary_left,  p.boundary_right, p.boundary_bottom,
                p.boundary_top};
  if (known_ && same(key, key_)) return !rays_.empty();
  key_ = key;
  known_ = true;
  rays_.clear();
  probes_.clear();
  widths_.clear();
  const double wavelength = p.wave_speed / source.frequency / tank.cell_size;
  // The grid does not resolve shorter waves, and a window for longer ones does not fit into the tank.
  if (wavelength * medium.slowest() < 4 || wavelength > 0.2 * std::max(width_, height_)) return false;
  const auto margin = [&](Boundary side) { return side == Boundary::absorbing ? p.sponge_width / tank.cell_size : 0; };
  const RayBounds bounds{margin(p.boundary_left), width_ - margin(p.boundary_right), margin(p.boundary_bottom),
                         height_ - margin(p.boundary_top)};
  const std::vector<Real> map = medium.download();
  const Slowness slowness({map.begin(), map.end()}, width_, height_, wavelength);
  rays_ = rays_of(source, tank, slowness, wavelength, bounds, max_rays);
  if (!rays_.empty()) upload_probes(wavelength);
  return !rays_.empty();
}

template <class Real>
void Directions<Real>::upload_probes(double wavelength) {
  const double k = 2 * pi / wavelength;
  std::vector<double> tables(tables_.size());
  std::vector<std::int32_t> windows(windows_.size());
  for (const Ray& ray : rays_)
    for (const RayPoint& at : {ray.before, ray.behind}) {
      const double width = width_of_window * wavelength / std::hypot(at.px, at.py), reach = reach_of_window * width;
      const int stride = std::max(1, static_cast<int>(std::ceil(2 * reach / (max_places - 1))));
      const int half = static_cast<int>(reach / stride), places = 2 * half + 1;
      const std::size_t probe = probes_.size();
      probes_.push_back({at.x, at.y, k * at.px, k * at.py});
      widths_.push_back(width);
      const auto fill = [&](bool along_y, double middle, double guess) {
        const int first = static_cast<int>(std::floor(middle)) - half * stride;
        for (int n = 0; n < places; ++n) {
          const double off = first + n * stride + 0.5 - middle;
          const std::complex<double> value = std::polar(std::exp(-0.5 * off * off / (width * width)), -guess * off);
          double* out = &tables[((probe * 2 + (along_y ? 1 : 0)) * max_places + static_cast<std::size_t>(n)) * 3];
          out[0] = value.real();
          out[1] = value.imag();
          out[2] = off / (width * width);
        }
        return first;
      };
      std::int32_t* window = &windows[probe * numbers_of_window];
      window[0] = fill(false, at.x, k * at.px);
      window[1] = fill(true, at.y, k * at.py);
      window[2] = places;
      window[3] = stride;
    }
  tables_.upload(tables);
  windows_.upload(windows);
}

template <class Real>
void Directions<Real>::start(View2D<const Real> u, View2D<const Real> u_previous, double time, double changed) {
  const double angle = 2 * pi * key_.source.frequency * key_.time_step;
  parallel_for(backend_, "wave.directions", Range2D{max_places, static_cast<int>(probes_.size())},
               SumWindowRow<Real>{u, u_previous, std::as_const(windows_).view(), std::as_const(tables_).view(),
                                  sums_.view(), std::cos(angle), 1 / std::sin(angle)});
  readback_.start(sums_.data());
  // From when the first waves have reached the last probe, plus three periods of the source.
  double longest = 0;
  for (const Ray& ray : rays_) longest = std::max(longest, ray.optical_length);
  const double needed = longest * key_.tank.cell_size / key_.speed + 3 / key_.source.frequency;
  started_ = {rays_, {}, {}, time - std::max(key_.source.start, changed) >= needed};
  started_probes_ = probes_;
  started_widths_ = widths_;
}

template <class Real>
DirectionReading Directions<Real>::take() const {
  DirectionReading reading = started_;
  const auto* sums = static_cast<const double*>(readback_.data());
  for (std::size_t p = 0; p < started_probes_.size(); ++p) {
    double total[numbers_of_row] = {};
    for (int r = 0; r < max_places; ++r)
      for (int n = 0; n < numbers_of_row; ++n)
        total[n] += sums[(p * max_places + static_cast<std::size_t>(r)) * numbers_of_row + static_cast<std::size_t>(n)];
    const std::complex<double> s(total[0], total[1]), x(total[2], total[3]), y(total[4], total[5]);
    const Probe& probe = started_probes_[p];
    RayPoint at{probe.x, probe.y, probe.kx, probe.ky};
    if (std::abs(s) > 0) {
      at.px += (x / s).imag();
      at.py += (y / s).imag();
    } else {
      reading.has_arrived = false;
    }
    (p % 2 == 0 ? reading.before : reading.behind).push_back(at);
  }
  return reading;
}

template class Directions<float>;
template class Directions<double>;

void add_directions(const DirectionReading& reading, double cell_size, Diagnostics& d) {
  std::vector<RayPoint> before, behind;
  for (const Ray& ray : reading.rays) {
    before.push_back(ray.before);
    behind.push_back(ray.behind);
  }
  Curve curve;
  curve.id = "directions";
  curve.label = "Direction of the waves after refraction; theory: rays by Snell's law";
  curve.x_label = "y";
  curve.x_unit = "length";
  curve.y_label = "direction";
  curve.y_unit = "°";
  const auto points = [&](const std::vector<RayPoint>& all) {
    std::vector<CurvePoint> list;
    for (const RayPoint& p : all) list.push_back({p.y * cell_size, degrees_of(p)});
    std::sort(list.begin(), list.end(), [](const CurvePoint& a, const CurvePoint& b) { return a.x < b.x; });
    return list;
  };
  curve.theory = points(behind);
  if (reading.has_arrived)
    curve.points = points(reading.behind);
  else
    leave_uncompared(curve, "no waves there yet");
  d.curves.push_back(std::move(curve));

  // From the middle of the middle ray's path through the water of different speed.
  const Ray& middle = reading.rays[reading.rays.size() / 2];
  const auto focus = [&](const std::vector<RayPoint>& lines) {
    const auto intersection = intersection_of(lines);
    return intersection ? std::hypot(intersection->x - middle.middle_x, intersection->y - middle.middle_y) * cell_size
                        : 0;
  };
  double error = 0;
  if (reading.has_arrived)
    for (std::size_t r = 0; r < behind.size(); ++r)
      error = std::max(error, degrees_between(behind[r], reading.behind[r]));
  const bool come = reading.has_arrived;
  const double expected_focus = focus(behind);
  d.scalars.push_back(value_if(come, {"direction_before", "Direction before refraction", "°",
                                      come ? mean_degrees(reading.before) : 0, Meaning::oscillation}));
  d.scalars.push_back(
      {"direction_before_theory", "At right angles to the source", "°", mean_degrees(before), Meaning::oscillation});
  d.scalars.push_back(value_if(come, {"direction_after", "Direction after refraction", "°",
                                      come ? mean_degrees(reading.behind) : 0, Meaning::oscillation}));
  d.scalars.push_back({"direction_after_theory", "By Snell's law", "°", mean_degrees(behind), Meaning::oscillation});
  d.scalars.push_back(
      value_if(come, {"direction_error", "Largest deviation from Snell's law", "°", error, Meaning::accuracy}));
  if (expected_focus <= 0) return;  // parallel rays do not intersect
  const double found_focus = come ? focus(reading.behind) : 0;
  d.scalars.push_back(
      value_if(found_focus > 0, {"focus", "Focus behind the lens", "length", found_focus, Meaning::oscillation}));
  d.scalars.push_back({"focus_theory", "Focus of the rays", "length", expected_focus, Meaning::oscillation});
}

}  // namespace perturb::wave

#include "cuda/wave/measure/marks.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdlib>
#include <numbers>

#include "cuda/core/simulation/format.h"
#include "cuda/wave/model/disturbances.h"

namespace perturb::wave {

namespace {

constexpr double cross_of_bars = 0.012;  // half of the strokes at the ends of a bar, share of the tank's height

Message angle_text(double degrees) { return Message("{}°", format_number(degrees, 3)); }

}  // namespace

void mark_wavelengths(const Sources& sources, const Grid& tank, const Parameters& p, double time, Marks& marks) {
  const double width = tank.width * p.cell_size, height = tank.height * p.cell_size, cross = cross_of_bars * height;
  std::vector<double> marked;
  for (std::size_t s = 0; s < sources.count(); ++s) {
    const Source& source = sources[s];
    if (!(source.frequency > 0) || !(p.wave_speed > 0)) continue;
    const SourcePlace place = source_place(source, tank, time);
    // Near the end of a line source, where it is clear of its rays.
    constexpr double share = 0.12;
    const CurvePoint begin{(place.x0 + share * (place.x1 - place.x0)) * width,
                           (place.y0 + share * (place.y1 - place.y0)) * height};
    const double speed = std::abs(source.velocity_x);
    if (speed > 0 && source.velocity_y == 0 && speed < p.wave_speed && sources.count() == 1 && !tank.periodic_x) {
      // It moves along a row, and turns round at the sides.
      const double later = source_place(source, tank, time + 1e-3 * width / speed).x0;
      const double direction = later > place.x0 ? 1 : -1;
      const auto bar = [&](double sign, double length, const char* text) {
        const double from = begin.x + sign * length;
        marks.bar({from, begin.y}, {from + sign * length, begin.y}, cross,
                  Message(text, with_unit(format_number(length, 4), "length")));
      };
      bar(direction, (p.wave_speed - speed) / source.frequency, "(c - v)/f = {}");
      bar(-direction, (p.wave_speed + speed) / source.frequency, "(c + v)/f = {}");
      continue;
    }
    if (speed > 0 || source.velocity_y != 0) continue;
    if (std::find(marked.begin(), marked.end(), source.frequency) != marked.end()) continue;
    marked.push_back(source.frequency);
    const double length = p.wave_speed / source.frequency;
    // Away from a line at right angles; from a disc along the row. Towards the middle of the tank, where there is room.
    double x = (source.y1 - source.y0) * height, y = -(source.x1 - source.x0) * width;
    if (x == 0 && y == 0) x = 1;
    const double middle_x = 0.5 * (place.x0 + place.x1), middle_y = 0.5 * (place.y0 + place.y1);
    if (x * (0.5 - middle_x) * width + y * (0.5 - middle_y) * height < 0) {
      x = -x;
      y = -y;
    }
    const double size = std::hypot(x, y);
    x /= size;
    y /= size;
    const auto at = [&](double count) {
      return CurvePoint{begin.x + count * length * x, begin.y + count * length * y};
    };
    marks.bar(at(1), at(2), cross, Message("λ = {}", with_unit(format_number(length, 4), "length")));
  }
}

std::optional<int> fringe_order(const std::vector<Aperture>& apertures, double distance, double wavelength,
                                double row) {
  if (apertures.size() < 2) return std::nullopt;
  for (const Aperture& one : apertures) {
    // The phase of the first mode, relative to that of the first opening.
    const double phase = std::arg(one.modes.front() / apertures.front().modes.front());
    if (!(std::abs(phase) < 0.05 * 2 * std::numbers::pi)) return std::nullopt;
  }
  const double difference =
      std::hypot(distance, row - apertures.front().middle) - std::hypot(distance, row - apertures.back().middle);
  const double order = difference / wavelength / static_cast<double>(apertures.size() - 1);
  if (std::abs(order - std::round(order)) > 0.25) return std::nullopt;
  return static_cast<int>(std::lround(order));
}

void mark_fringes(const ScreenReading& reading, const Comparison& comparison, double cell_size, Marks& marks) {
  if (comparison.found.empty() && comparison.theory.empty()) return;
  const double at = (reading.column + 0.5) * cell_size, rows = static_cast<double>(reading.intensity.size());
  const double reach = 0.04 * rows * cell_size;
  const double side = reading.column > reading.plane ? 1 : -1;  // away from the openings
  const std::vector<Aperture> apertures = wave_apertures(reading.in_plane, reading.wavelength);
  const double distance = std::abs(reading.column - reading.plane);
  for (const Fringe& fringe : comparison.found)
    marks.line({{at, fringe.place * cell_size}, {at - side * reach, fringe.place * cell_size}}, {}, true);
  for (const Fringe& fringe : comparison.theory) {
    const auto order = fringe_order(apertures, distance, reading.wavelength, fringe.place);
    const double y = fringe.place * cell_size;
    marks.line({{at, y}, {at + side * reach, y}}, order ? Message("n = {}", std::abs(*order)) : Message());
    if (!order || *order != 1) continue;
    const double middle = 0.5 * (apertures.front().middle + apertures.back().middle) * cell_size,
                 from = (reading.plane + 0.5) * cell_size;
    marks.dashed({{from, middle}, {at, middle}});
    const double angle = std::atan2(std::abs(y - middle), std::abs(at - from)) * 180 / std::numbers::pi;
    // The label is at the middle of the line, clear of the one at the fringe.
    marks.dashed({{at, y}, {from, middle}});
    marks.dashed({{from, middle}, {0.5 * (from + at), 0.5 * (middle + y)}}, angle_text(angle));
  }
}

void mark_dark_places(const ScreenReading& reading, const Comparison& comparison, double cell_size, Marks& marks) {
  // Behind several openings the orders of the bright fringes are marked.
  if (!(comparison.first_dark_expected > 0) || wave_apertures(reading.in_plane, reading.wavelength).size() != 1) return;
  const double at = (reading.column + 0.5) * cell_size, from = (reading.plane + 0.5) * cell_size;
  const double middle = comparison.theory[comparison.theory.size() / 2].place * cell_size;
  for (const double side : {-1., 1.}) {
    const double y = middle + side * comparison.first_dark_expected * cell_size;
    marks.dashed({{from, middle}, {at, y}}, "dark");
  }
}

void mark_rays(const DirectionReading& reading, const Grid& tank, double wavelength, Marks& marks) {
  const double cell = tank.cell_size;
  const auto at = [&](double x, double y) { return CurvePoint{x * cell, y * cell}; };
  std::vector<RayPoint> behind;
  const Ray* bent = nullptr;
  double max_turn = 1;  // degrees
  for (const Ray& ray : reading.rays) {
    behind.push_back(ray.behind);
    std::vector<CurvePoint> line;
    for (const RayPoint& p : ray.path) line.push_back(at(p.x, p.y));
    marks.line(std::move(line));
    for (const RayCrossing& c : ray.crossings) {
      const double turn = std::abs(degrees_from_normal(c.in_x, c.in_y, c) - degrees_from_normal(c.out_x, c.out_y, c));
      if (turn > max_turn) {
        max_turn = turn;
        bent = &ray;
      }
    }
  }
  if (bent)
    for (const RayCrossing& c : bent->crossings) {
      const double reach = 2.5 * wavelength;
      marks.dashed({at(c.x + reach * c.normal_x, c.y + reach * c.normal_y),
                    at(c.x - reach * c.normal_x, c.y - reach * c.normal_y)});
      // An arc from the normal to the ray on each side, with its angle.
      const auto arc = [&](double sign, double px, double py) {
        const double from = std::atan2(sign * c.normal_y, sign * c.normal_x);
        const double turn = std::remainder(std::atan2(sign * py, sign * px) - from, 2 * std::numbers::pi);
        std::vector<CurvePoint> points;
        constexpr int parts = 12;
        for (int k = 0; k <= parts; ++k) {
          const double angle = from + turn * k / parts;
          points.push_back(at(c.x + 0.7 * reach * std::cos(angle), c.y + 0.7 * reach * std::sin(angle)));
        }
        marks.line(std::move(points), angle_text(degrees_from_normal(px, py, c)));
      };
      arc(-1, c.in_x, c.in_y);
      arc(1, c.out_x, c.out_y);
    }
  if (const auto focus = intersection_of(behind)) marks.point(at(focus->x, focus->y), "Focus");
  if (!reading.has_arrived) return;
  if (const auto focus = intersection_of(reading.behind)) marks.point(at(focus->x, focus->y), "Measured focus", true);
}

std::vector<std::vector<CurvePoint>> nodal_lines_of(const std::vector<AddedMode>& modes, const Parameters& p, int width,
                                                    int height) {
  if (modes.empty()) return {};
  std::vector<Mode> shapes;
  for (const AddedMode& mode : modes) shapes.push_back(standing_mode(p, width, height, mode.m, mode.n, mode.amplitude));
  for (const Mode& shape : shapes)
    if (std::abs(shape.previous - shapes.front().previous) > 1e-9) return {};
  // Linear between cell centres, and on to the sides.
  const auto value_of = [](const std::vector<double>& values, double fraction) {
    const auto last = static_cast<double>(values.size() - 1);
    const double place = fraction * static_cast<double>(values.size()) - 0.5;
    const auto k = static_cast<std::size_t>(std::clamp(std::floor(place), 0., std::max(0., last - 1)));
    const std::size_t next = std::min(k + 1, values.size() - 1);
    return values[k] + (place - static_cast<double>(k)) * (values[next] - values[k]);
  };
  constexpr int cells = 120;
  return zero_lines(
      [&](double x, double y) {
        double sum = 0;
        for (const Mode& shape : shapes) sum += value_of(shape.x, x) * value_of(shape.y, y);
        return sum;
      },
      cells);
}

}  // namespace perturb::wave

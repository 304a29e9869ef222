#include "cuda/wave/measure/measure.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "cuda/core/simulation/diagnostics.h"
#include "cuda/core/simulation/format.h"
#include "cuda/wave/measure/theory.h"
#include "cuda/wave/model/disturbances.h"

namespace perturb::wave {

template <class Real>
Measure<Real>::Measure(Backend& backend, int width, int height)
    : backend_(backend),
      width_(width),
      height_(height),
      sums_(backend),
      profile_(backend, static_cast<std::size_t>(width) * sizeof(Real)),
      profile_before_(backend, static_cast<std::size_t>(width) * sizeof(Real)),
      directions_(backend, width, height),
      fronts_(backend) {}

template <class Real>
Diagnostics Measure<Real>::update(const StepParams<Real>& tank, const Surface<Real>& surface,
                                  const Medium<Real>& medium, Screen<Real>& screen, const MeasuredState& now, bool wait,
                                  const Report& report) {
  const auto start = [&] {
    sums_.start("wave.sums", Range2D{width_, height_}, Sum<Real>{tank, surface.u(), surface.u_previous()});
    profile_.start(surface.u().row(height_ / 2));
    profile_before_.start(surface.u_previous().row(height_ / 2));
    if (screen.is_active()) screen.start_reading(now.time);
    const bool has_directions = directions_.prepare(medium, report.sources, report.grid, report.parameters);
    if (has_directions) directions_.start(surface.u(), surface.u_previous(), now.time, now.changed);
    const bool has_wedge = makes_wedge(report.sources, report.grid, report.parameters.wave_speed);
    if (has_wedge)
      fronts_.start(surface.u(), static_cast<int>(report.parameters.sponge_width / report.parameters.cell_size));
    return Measured{{}, now, screen.is_active(), {}, has_directions, {}, std::vector<float>(has_wedge ? 1 : 0)};
  };
  const auto finish = [&](Measured& measured) {
    if (measured.has_screen) measured.screen = screen.take_reading();
    if (measured.has_directions) measured.directions = directions_.take();
    if (!measured.fronts.empty()) measured.fronts = fronts_.take();
    measured.sums = sums_.result();
    profile_values_.resize(static_cast<std::size_t>(width_));
    std::memcpy(profile_values_.data(), profile_.data(), profile_values_.size() * sizeof(Real));
    before_values_.resize(profile_values_.size());
    std::memcpy(before_values_.data(), profile_before_.data(), before_values_.size() * sizeof(Real));
  };
  const auto ready = [&] {
    return sums_.ready() && profile_.ready() && profile_before_.ready() && screen.has_arrived() &&
           directions_.has_arrived() && fronts_.has_arrived();
  };
  const auto wait_for = [&] {
    sums_.wait();
    profile_.wait();
    profile_before_.wait();
    screen.wait();
    directions_.wait();
    fronts_.wait();
  };
  return describe(measurement_.update(backend_, wait, start, ready, wait_for, finish), report);
}

// The middle row of the latest measurement, with at most as many points as a plot can show.
template <class Real>
Curve Measure<Real>::curve(double cell_size) const {
  Curve curve;
  curve.id = "profile";
  curve.label = "Height along the middle";
  curve.x_label = "x";
  curve.x_unit = "length";
  curve.y_label = "u";
  curve.y_unit = "height";
  constexpr int max_points = 1024;
  const int stride = (width_ + max_points - 1) / max_points;
  for (int i = 0; i < width_; i += stride)
    curve.points.push_back({(i + 0.5) * cell_size, static_cast<double>(profile_values_[static_cast<std::size_t>(i)])});
  return curve;
}

template <class Real>
Comparison Measure<Real>::add_screen(const ScreenReading& reading, const Parameters& p, Diagnostics& d) const {
  const double cell_size = p.cell_size;
  const ScreenRows rows = rows_of_theory(reading, p, width_);
  std::optional<Comparison> comparison;
  d.curves.push_back(wave_screen_curve(reading, rows, cell_size, diffraction_, comparison));
  if (!rows.why_no_theory.empty()) d.remarks.push_back(rows.why_no_theory);
  if (comparison)
    if (Message why = why_no_spacing(*comparison); !why.empty()) d.remarks.push_back(std::move(why));
  d.scalars.push_back({"samples", "Intensity samples", "", static_cast<double>(reading.samples), Meaning::accuracy});
  // Unknown without theory, or without fringes yet; the values stay listed, so that a table keeps its columns.
  const Comparison found = comparison.value_or(Comparison{});
  d.scalars.push_back(value_if(found.first > 0, {"first_fringe", "First fringe, distance from the middle", "length",
                                                 found.first * cell_size, Meaning::oscillation}));
  d.scalars.push_back(
      value_if(found.first_expected > 0, {"first_fringe_theory", "First fringe, distance from the middle, theory",
                                          "length", found.first_expected * cell_size, Meaning::oscillation}));
  // A minimum is flat: the mean over few periods has it elsewhere.
  d.scalars.push_back(
      value_if(found.first_dark > 0 && found.fringes > 0,
               {"first_dark", "First dark place", "length", found.first_dark * cell_size, Meaning::oscillation}));
  d.scalars.push_back(
      value_if(found.first_dark_expected > 0, {"first_dark_theory", "First dark place, theory", "length",
                                               found.first_dark_expected * cell_size, Meaning::oscillation}));
  d.scalars.push_back(value_if(found.spacing > 0, {"fringe_spacing", "Mean spacing of the inner fringes", "length",
                                                   found.spacing * cell_size, Meaning::oscillation}));
  d.scalars.push_back(
      value_if(found.expected > 0, {"fringe_spacing_theory", "Mean spacing of the inner fringes, theory", "length",
                                    found.expected * cell_size, Meaning::oscillation}));
  d.scalars.push_back(value_if(
      found.fringes > 0, {"fringe_error", "Inner fringes, deviation from theory", "", found.error, Meaning::accuracy}));
  std::optional<Comparison> far;
  Message remark;
  if (std::optional<Curve> curve = screen_far_curve(reading, rows, cell_size, far, remark))
    d.curves.push_back(std::move(*curve));
  if (!remark.empty()) d.remarks.push_back(std::move(remark));
  const Comparison closed = far.value_or(Comparison{});
  d.scalars.push_back(
      value_if(closed.expected > 0, {"fringe_spacing_far", "Mean spacing of the inner fringes, Fraunhofer", "length",
                                     closed.expected * cell_size, Meaning::oscillation}));
  d.scalars.push_back(value_if(closed.fringes > 0, {"fringe_error_far", "Inner fringes, deviation from Fraunhofer", "",
                                                    closed.error, Meaning::accuracy}));
  return found;
}

template <class Real>
void Measure<Real>::add_marks(const Measured& measured, const Report& report, const Comparison& fringes,
                              Diagnostics& d) const {
  const Parameters& p = report.parameters;
  Marks marks(d, width_ * p.cell_size, height_ * p.cell_size);
  const bool has_rays = measured.has_directions && !measured.directions.rays.empty();
  // With rays, the source is in open water; with another speed map its place decides.
  if (!report.has_speed_map || has_rays) mark_wavelengths(report.sources, report.grid, p, measured.state.time, marks);
  if (has_rays)
    mark_rays(measured.directions, report.grid, p.wave_speed / report.sources[0].frequency / p.cell_size, marks);
  if (measured.has_screen) {
    mark_fringes(measured.screen, fringes, p.cell_size, marks);
    mark_dark_places(measured.screen, fringes, p.cell_size, marks);
  }
  if (report.modes != modes_of_nodal_lines_) {
    nodal_lines_ = nodal_lines_of(report.modes, p, width_, height_);
    modes_of_nodal_lines_ = report.modes;
  }
  for (const std::vector<CurvePoint>& line : nodal_lines_)
    d.marks.push_back({TheoryMark::Shape::line, line, {}, false});
}

template <class Real>
void Measure<Real>::add_modes(const MeasuredState& state, const Report& report, Curve& profile, Diagnostics& d) const {
  const Parameters& p = report.parameters;
  const auto add_frequency = [&d](bool due, double measured, double theory) {
    d.scalars.push_back(
        value_if(due, {"mode_frequency", "Frequency of the mode", "1/time", measured, Meaning::oscillation}));
    d.scalars.push_back(value_if(theory > 0, {"mode_frequency_theory", "Frequency of the mode, theory", "1/time",
                                              theory, Meaning::oscillation}));
  };
  // The water holds the modes alone as long as nothing has changed since they were added.
  for (const AddedMode& mode : report.modes)
    if (mode.start != state.changed) {
      if (report.modes.size() == 1) add_frequency(false, 0, 0);
      return;
    }
  const double time = state.time - state.changed;
  if (report.modes.empty()) return;
  profile.label = "Height along the middle; theory: the standing modes";
  for (const CurvePoint& point : profile.points) profile.theory.push_back({point.x, 0});
  for (const AddedMode& added : report.modes) {
    const Mode shape = standing_mode(p, width_, height_, added.m, added.n, added.amplitude);
    const DampedOscillation mode(p.wave_speed * shape.wavenumber / p.cell_size, p.damping);
    const double height = shape.y[static_cast<std::size_t>(height_ / 2)] * mode.at(time);
    for (CurvePoint& point : profile.theory)
      point.y += height * shape.x[static_cast<std::size_t>(point.x / p.cell_size)];
    if (report.modes.size() > 1 || !(mode.frequency() > 0)) continue;
    double now = 0, before = 0;
    for (std::size_t i = 0; i < shape.x.size(); ++i) {
      now += static_cast<double>(profile_values_[i]) * shape.x[i];
      before += static_cast<double>(before_values_[i]) * shape.x[i];
    }
    const double measured = mode.frequency_of(before, now, time, state.time_step);
    add_frequency(time * mode.frequency() >= 1 && (now != 0 || before != 0), measured, mode.frequency());
  }
}

template <class Real>
void Measure<Real>::add_doppler(const Measured& measured, const Report& report, Diagnostics& d) const {
  const MeasuredState& state = measured.state;
  const Parameters& p = report.parameters;
  bool moves = false;
  for (std::size_t s = 0; s < report.sources.count(); ++s)
    moves |= report.sources[s].velocity_x != 0 && report.sources[s].frequency > 0 && !(report.sources[s].waves > 0);
  if (!moves) return;
  bool absorbs = true;
  for (const Boundary side : {p.boundary_left, p.boundary_right, p.boundary_bottom, p.boundary_top})
    absorbs &= side == Boundary::absorbing;
  if (report.sources.count() > 1)
    return d.remarks.push_back("No wavelengths ahead and behind: the waves of another source overlap them.");
  if (!report.even)
    return d.remarks.push_back("No wavelengths ahead and behind: walls or other water disturb the waves.");
  if (!absorbs)
    return d.remarks.push_back(
        "No wavelengths ahead and behind: a side reflects waves or repeats. Make all sides absorbing.");
  if (makes_wedge(report.sources, report.grid, p.wave_speed)) {
    const Source& source = report.sources[0];
    const Wedge wedge = wedge_of(measured.fronts, source, report.grid, p.wave_speed, state.time);
    d.scalars.push_back(
        value_if(wedge.angle > 0, {"wedge_angle", "Angle of the wedge", "°", wedge.angle, Meaning::oscillation}));
    d.scalars.push_back({"wedge_angle_theory", "asin(c/v)", "°", wedge.expected, Meaning::oscillation});
    // At the wedge itself waves are much shorter than c/f, and short waves are slow on the grid.
    constexpr double resolved = 60;  // cells
    if (const double slowest = p.wave_speed / (resolved * p.cell_size); source.frequency > slowest)
      d.remarks.push_back(
          Message("The wedge is too narrow, because its waves are shorter than a cell. Lower the "
                  "frequency of the source to {} or less.",
                  with_unit(format_number(slowest, 2), "1/time")));
    return;
  }
  const std::vector<double> row(profile_values_.begin(), profile_values_.end());
  const auto doppler =
      doppler_of(row, report.sources, report.grid, p.wave_speed, p.sponge_width / p.cell_size, state.time);
  if (!doppler)
    return d.remarks.push_back(
        "No wavelengths ahead and behind: they are measured in the middle row, for a single source slower than its "
        "waves.");
  d.scalars.push_back(value_if(doppler->ahead > 0, {"wavelength_ahead", "Wavelength ahead of the source", "length",
                                                    doppler->ahead, Meaning::oscillation}));
  d.scalars.push_back(
      {"wavelength_ahead_theory", "(c - v)/f", "length", doppler->ahead_expected, Meaning::oscillation});
  d.scalars.push_back(value_if(doppler->behind > 0, {"wavelength_behind", "Wavelength behind the source", "length",
                                                     doppler->behind, Meaning::oscillation}));
  d.scalars.push_back(
      {"wavelength_behind_theory", "(c + v)/f", "length", doppler->behind_expected, Meaning::oscillation});
}

template <class Real>
Diagnostics Measure<Real>::describe(const Measured& measured, const Report& report) const {
  const Sums& sums = measured.sums;
  const MeasuredState& state = measured.state;
  const Parameters& p = report.parameters;
  const double cells = static_cast<double>(width_) * height_;
  const double low = std::min<double>(sums.low, sums.high), high = std::max<double>(sums.low, sums.high);
  const double per_dt = 1 / state.time_step, rate = p.wave_speed / p.cell_size;
  Diagnostics d;
  d.step = state.step;
  d.time = state.time;
  const bool no_water = sums.low > sums.high;  // walls everywhere
  d.scalars = {
      {"max_height", "Highest |u|", "height", no_water ? 0 : std::max(std::abs(low), std::abs(high)), Meaning::field},
      {"mean_height", "Mean height", "height", sums.sum / cells, Meaning::field},
      {"rms_height", "RMS height", "height", std::sqrt(sums.squares / cells), Meaning::field},
      {"energy", "Energy", "height²/time²", sums.kinetic * per_dt * per_dt - rate * rate * sums.potential,
       Meaning::energy},
  };
  switch (report.shown) {
    case Shown::height:
    case Shown::surface:
      d.minimum = no_water ? 0 : sums.low;
      d.maximum = no_water ? 0 : sums.high;
      break;
    case Shown::velocity:
      d.maximum = sums.fastest * per_dt;
      d.minimum = -d.maximum;
      break;
    case Shown::water:
      d.maximum = sums.steepest / p.cell_size;
      d.minimum = -d.maximum;
      break;
    case Shown::intensity:
      // At most twice the tank's mean, except where waves interfere.
      d.minimum = 0;
      d.maximum = 4 * sums.squares / cells;
      break;
    case Shown::speed:
      d.minimum = report.slowest;
      d.maximum = report.fastest;
      break;
  }
  add_doppler(measured, report, d);
  Comparison fringes;
  if (measured.has_screen) fringes = add_screen(measured.screen, p, d);
  if (measured.has_directions) add_directions(measured.directions, p.cell_size, d);
  Curve profile = curve(p.cell_size);
  add_modes(state, report, profile, d);
  d.curves.push_back(std::move(profile));
  add_marks(measured, report, fringes, d);
  if (sums.first_bad != INT64_MAX) {
    d.finite = false;
    const std::int64_t column = sums.first_bad % width_, row = sums.first_bad / width_;
    const double limit = report.courant_limit();
    if (state.courant > limit)
      d.error = Message(
          "The height in column {}, row {} is not finite at step {}: c·dt/dx is {}, and the scheme is stable only up "
          "to {}. Lower the time step to {} or less.",
          column, row, state.step, format_number(state.courant, 3), format_number(limit, 3),
          format_number(0.99 * state.time_step * limit / state.courant, 3));
    else
      d.error = Message("The height in column {}, row {} is not finite at step {}.", column, row, state.step) +
                Message("Lower the time step, or the amplitude of droplets and sources.");
  }
  return d;
}

template class Measure<float>;
template class Measure<double>;

Gauge source_gauge(double mach) {
  Gauge gauge;
  gauge.id = "source_speed";
  gauge.label = "source v/c";
  gauge.help =
      "Speed of the fastest source divided by the lowest wave speed. Above 1 the source outruns its waves, and they "
      "pile up in a wedge. From about 2 on it can excite an enclosed tank without limit, at any time step.";
  gauge.value = mach;
  gauge.warn_at = 1;
  gauge.limit = 2;
  gauge.remedy = "Remove the source and place a slower one, or raise the wave speed.";
  return gauge;
}

Gauge period_gauge(double share) {
  Gauge gauge;
  gauge.id = "source_period";
  gauge.label = "source f dt";
  gauge.help =
      "Time step divided by the shortest period of a source: 0.1 means ten steps per period. From 0.5 on, with fewer "
      "than two steps per period, the source appears as a slower one (aliasing).";
  gauge.value = share;
  gauge.warn_at = 0.125;
  gauge.limit = 0.5;
  gauge.remedy = "Lower the time step, or replace the source by one of lower frequency.";
  return gauge;
}

Gauge wavelength_gauge(double share) {
  Gauge gauge;
  gauge.id = "source_wavelength";
  gauge.label = "source dx/λ";
  gauge.help =
      "Cell size divided by the shortest wavelength of a source, along an axis and where waves are slowest: 0.1 means "
      "ten cells per wavelength. Waves of six cells travel 3.5 % too slowly; waves of two cells or fewer do not travel "
      "at all.";
  gauge.value = share;
  // Six cells per wavelength.
  gauge.warn_at = 1.0 / 6;
  gauge.limit = 0.5;
  gauge.remedy = "Lower the cell size, or replace the source by one of lower frequency.";
  return gauge;
}

Gauge sponge_gauge(double share) {
  Gauge gauge;
  gauge.id = "sponge";
  gauge.label = "Sponge reflection";
  gauge.help =
      "Fraction of a wave's height that absorbing sides with a sponge reflect, by theory, for the sources' waves at "
      "normal incidence. A sponge that is too short or too strong for a wave reflects it. Long waves at normal "
      "incidence need no sponge. Good values: width 4.5 wavelengths, strength 5 c / wavelength.";
  gauge.value = share;
  gauge.warn_at = 0.01;
  gauge.limit = 0.05;
  gauge.remedy = "Lower the sponge strength, raise its width, or set its width to 0.";
  return gauge;
}

Gauge courant_gauge(double courant, double limit) {
  Gauge gauge;
  gauge.id = "courant";
  gauge.label = "c dt/dx";
  gauge.help =
      "Courant number: cells that a wave crosses in one step, where waves are fastest. The scheme is stable up to 1/√2 "
      "(nine points: √3/2), and slightly beyond if the fast region is only a few cells wide.";
  gauge.value = courant;
  gauge.limit = limit;
  // Up to the limit nothing grows, and the scheme is the more accurate the nearer it is. The warning starts where a
  // stroke of faster water would exceed the limit.
  gauge.warn_at = 0.97 * gauge.limit;
  gauge.remedy = "Lower the time step or the wave speed, or raise the cell size.";
  return gauge;
}

}  // namespace perturb::wave

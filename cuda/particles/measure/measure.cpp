#include "cuda/particles/measure/measure.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "cuda/core/loops/parallel_for.h"

namespace perturb::particles {

namespace {

constexpr int most_path_points = 4000;
constexpr std::size_t most_curve_points = 2000, most_marks = 64;

// Adds to a curve over time that covers the whole run: when it gets long, every other point is removed.
void keep(std::vector<CurvePoint>& curve, CurvePoint point) {
  if (!curve.empty() && point.x <= curve.back().x) return;
  curve.push_back(point);
  if (curve.size() < most_curve_points) return;
  std::size_t kept = 0;
  for (std::size_t k = 0; k < curve.size(); k += 2) curve[kept++] = curve[k];
  curve.resize(kept);
}

// The direction in which temperature or density changes.
LayerAxis layers_of(const ParticlesParameters& p) {
  if (p.gravity > 0) return LayerAxis::y;
  if (p.temperature_left > 0 || p.temperature_right > 0) return LayerAxis::x;
  return p.temperature_floor > 0 || p.temperature_ceiling > 0 ? LayerAxis::y : LayerAxis::none;
}

bool mixes(const ParticlesParameters& p) { return p.arrangement == DiscArrangement::halves; }

template <class Real>
ObserveOptions observe_options_of(const DiscRun<Real>& now) {
  // Largest error by which rounding of positions moves discs together.
  constexpr double epsilon = static_cast<double>(std::numeric_limits<Real>::epsilon());
  ObserveOptions look;
  look.right = now.box.right(), look.width = now.box.width(), look.height = now.box.height();
  look.tolerance = std::max(1e-9 * now.discs.cell_radius(), 8 * epsilon * std::max(look.width, look.height));
  look.distances = now.discs.alike(), look.profile = now.discs.alike() && now.parameters.piston_speed > 0;
  look.mixing = mixes(now.parameters), look.layers = layers_of(now.parameters);
  return look;
}

}  // namespace

template <class Real>
DiscMeasurement<Real>::DiscMeasurement(Backend& backend)
    : backend_(backend),
      bins_of_speed_(backend, speed_bins, "speed histogram"),
      sums_(backend),
      histogram_(backend, speed_bins * sizeof(int)),
      observer_(backend) {}

template <class Real>
void DiscMeasurement<Real>::begin(const HostDiscs<Real>& host, double slow) {
  for (const Disc<Real>& d : host.discs) {
    const double vx = d.vx, vy = d.vy;
    start_thermal_ += 0.5 * (vx * vx + vy * vy) * slow * slow / static_cast<double>(host.discs.size());
  }
}

template <class Real>
const DiscMeasured& DiscMeasurement<Real>::update(const DiscRun<Real>& now, DiscShown shown, DiscPainter<Real>& painter,
                                                  bool wait) {
  return measurement_.update(
      backend_, wait, [&] { return start(now, shown, painter); }, [this] { return ready(); }, [this] { wait_for(); },
      [&](DiscMeasured& measured) { collect(measured, now); });
}

template <class Real>
DiscMeasured DiscMeasurement<Real>::start(const DiscRun<Real>& now, DiscShown shown, DiscPainter<Real>& painter) {
  const DiscSet<Real>& discs = now.discs;
  DiscMeasured begun;
  begun.step = now.steps, begun.right = now.box.right();
  // Bins up to four times the mean speed of the last measurement (at first, of the start).
  const double speed2 = latest() && latest()->sums.energy > 0
                            ? 2 * latest()->sums.energy / discs.count()
                            : std::pow(now.parameters.velocity_max / now.slow(), 2) / 1.5;
  begun.bin = std::max(1e-30, 3.5 * std::sqrt(speed2) / speed_bins);
  bins_of_speed_.fill_zero();
  parallel_for(backend_, "particles.speeds", Range1D{discs.count()},
               CountSpeeds<Real>{now.grid(), 1 / begun.bin, bins_of_speed_.data()});
  histogram_.start(bins_of_speed_.data());
  sums_.start("particles.sums", sum_range(discs.count()), DiscSum<Real>{painter.values(now, shown), now.control});
  ObserveOptions options = observe_options_of(now);
  options.energy_unit = std::max(1e-300, 0.5 * speed2 / (1 << 20));
  begun.layers = options.layers, begun.energy_unit = options.energy_unit;
  observer_.start(now.grid(), discs.origins().data(), options);
  if (discs.heavy_slot() >= 0) {
    // A Brownian scene shows the path of the largest disc. (Unequal discs keep their places in memory.)
    Disc<Real> heavy;
    backend_.copy_to_host(&heavy, discs.storage().discs.data() + discs.heavy_slot(), sizeof heavy);
    begun.heavy_x = static_cast<double>(heavy.x), begun.heavy_y = static_cast<double>(heavy.y);
  }
  return begun;
}

template <class Real>
void DiscMeasurement<Real>::collect(DiscMeasured& measured, const DiscRun<Real>& now) {
  measured.sums = sums_.result();
  std::memcpy(measured.histogram.data(), histogram_.data(), speed_bins * sizeof(int));
  measured.seen = observer_.sums(), measured.counts = observer_.counts();
  if (!history_.empty() && history_.back().step == measured.step) return;
  history_.push_back({measured.step, measured.sums.impulse, measured.sums.disc_collisions,
                      measured.sums.wall_collisions, measured.right, measured.sums.energy});
  if (history_.size() > most_marks) history_.pop_front();
  if (measured.layers != layers_axis_) layers_.clear(), layers_axis_ = measured.layers;
  if (measured.layers != LayerAxis::none) {
    // Means over about the last twenty measurements.
    const double weight = layers_.empty() ? 1 : 0.05;
    layers_.resize(profile_layers);
    for (std::size_t k = 0; k < layers_.size(); ++k) {
      layers_[k].discs += weight * (measured.counts.layer_discs[k] - layers_[k].discs);
      const double energy = static_cast<double>(measured.counts.layer_energy[k]) * measured.energy_unit;
      layers_[k].energy += weight * (energy - layers_[k].energy);
    }
  }
  if (now.discs.heavy_slot() >= 0) {
    path_.push_back({measured.heavy_x, measured.heavy_y});
    if (path_.size() > most_path_points) path_.erase(path_.begin(), path_.begin() + most_path_points / 2);
  }
  const double time = static_cast<double>(measured.step) / now.slow();
  keep(way_, {time, measured.seen.displacement2 / now.discs.count()});
  if (mixes(now.parameters)) keep(mixing_, {time, mixing_entropy(measured.counts)});
}

template <class Real>
void DiscMeasurement<Real>::forget() {
  wait_for();
  measurement_.forget();
  history_.clear(), layers_.clear(), path_.clear(), way_.clear(), mixing_.clear();
  reversed_at_ = -1;
}

template <class Real>
ReportContext DiscMeasurement<Real>::context(const DiscRun<Real>& now) const {
  const ParticlesParameters& p = now.parameters;
  ReportContext context;
  const double slow = now.slow();
  context.slow = slow, context.width = now.box.width(), context.height = now.box.height(), context.radius = p.radius;
  context.count = now.discs.count(), context.alike = now.discs.alike();
  context.exact = p.collisions == DiscCollisions::exact;
  context.halves = mixes(p), context.one_heat = p.cold == 1;
  context.piston_speed = p.piston_speed, context.piston_end = p.piston_end;
  context.rests = history_.size() > 1 ? history_.front().right == history_.back().right : p.piston_speed == 0;
  const auto motion = now.box.motion(p, now.discs.largest_radius(), now.discs.covered());
  context.wall_end = motion.end, context.wall_travel = motion.travel;
  context.gravity = p.gravity, context.restitution = p.restitution;
  context.two_kinds = p.second_share > 0 && p.second_mass != 1;
  double coldest = 1e300, hottest = 0;
  for (const double wall : {p.temperature_left, p.temperature_right, p.temperature_floor, p.temperature_ceiling})
    if (wall > 0) coldest = std::min(coldest, wall), hottest = std::max(hottest, wall);
  context.hottest = hottest;
  context.heats = hottest > 0, context.even_heat = !context.heats || coldest == hottest;
  context.axis = layers_axis_, context.layers = layers_;
  const bool sideways = layers_axis_ == LayerAxis::x;
  context.heat_low = sideways ? p.temperature_left : p.temperature_floor;
  context.heat_high = sideways ? p.temperature_right : p.temperature_ceiling;
  context.start_thermal = start_thermal_, context.reversed_at = reversed_at_;
  context.path = path_, context.way = way_, context.mixing = mixing_;
  if (history_.size() > 1) {
    const Mark &from = history_.front(), &to = history_.back();
    const double span = static_cast<double>(to.step - from.step);
    context.counted = true;
    const double rim = from.right + to.right + 2 * context.height;
    context.pressure = static_cast<double>(to.impulse - from.impulse) * now.impulse_unit / (span * rim) * slow * slow;
    context.pressure_time = span / slow;
    for (const Mark& mark : history_) {
      context.mean_energy += mark.energy / static_cast<double>(history_.size());
      context.mean_area += mark.right * context.height / static_cast<double>(history_.size());
    }
    context.pairs = 0.5 * static_cast<double>(to.pairs - from.pairs) / span;
    context.walls = static_cast<double>(to.walls - from.walls) / span;
  }
  return context;
}

template class DiscMeasurement<float>;
template class DiscMeasurement<double>;

}  // namespace perturb::particles

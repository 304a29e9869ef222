#include "cuda/particles/measure/measure.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "cuda/core/loops/parallel_for.h"

namespace perturb::particles {

namespace {

constexpr int max_path_points = 4000;
constexpr std::size_t max_curve_points = 2000;
// The means cover the last samples: those since the right wall came to rest, but while it moves only a few.
constexpr std::int64_t samples_per_mark = 8;
constexpr std::size_t max_marks = 32, marks_in_motion = 8;
// A layer's numbers are means over about as many samples.
constexpr int samples_in_layers = 20;

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
  look.tolerance = std::max(1e-9 * now.discs.cell_radius(), 8 * epsilon * std::max(now.box.width(), now.box.height()));
  look.distances = now.discs.alike();
  look.profile = now.discs.alike() && now.parameters.piston_speed > 0;
  return look;
}

}  // namespace

void DiscCurve::add(std::int64_t sample, CurvePoint point) {
  if (sample % every_ != 0 || (!points_.empty() && point.x <= points_.back().x)) return;
  points_.push_back(point);
  if (points_.size() < max_curve_points) return;
  const std::int64_t number_of_first = sample / every_ - static_cast<std::int64_t>(points_.size() - 1);
  const std::size_t first = number_of_first % 2 == 0 ? 0 : 1;
  every_ *= 2;
  std::size_t kept = 0;
  for (std::size_t k = first; k < points_.size(); k += 2) points_[kept++] = points_[k];
  points_.resize(kept);
}

template <class Real>
DiscMeasurement<Real>::DiscMeasurement(Backend& backend)
    : backend_(backend),
      bins_of_speed_(backend, speed_bins, "speed histogram"),
      sums_(backend),
      histogram_(backend, speed_bins * sizeof(int)),
      observer_(backend),
      sampler_(backend) {}

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
  if (wait || sampler_.ready()) collect_sample();
  return measurement_.update(
      backend_, wait, [&] { return start(now, shown, painter); }, [this] { return ready(); }, [this] { wait_for(); },
      [this](DiscMeasured& measured) { collect(measured); });
}

template <class Real>
DiscMeasured DiscMeasurement<Real>::start(const DiscRun<Real>& now, DiscShown shown, DiscPainter<Real>& painter) {
  const DiscSet<Real>& discs = now.discs;
  DiscMeasured begun;
  begun.step = now.steps;
  begun.right = now.box.right();
  // Bins up to four times the mean speed of the last sample (at first, of the start).
  const double speed2 = sampled_energy_ > 0 ? 2 * sampled_energy_ / discs.count()
                                            : std::pow(now.parameters.velocity_max / now.slow(), 2) / 1.5;
  begun.bin = std::max(1e-30, 3.5 * std::sqrt(speed2) / speed_bins);
  bins_of_speed_.fill_zero();
  parallel_for(backend_, "particles.speeds", Range1D{discs.count()},
               CountSpeeds<Real>{now.grid(), 1 / begun.bin, bins_of_speed_.data()});
  histogram_.start(bins_of_speed_.data());
  sums_.start("particles.sums", sum_range(discs.count()), DiscSum<Real>{painter.values(now, shown), now.control});
  ObserveOptions options = observe_options_of(now);
  options.places = places_of(now);
  begun.layers = options.places.layers;
  begun.energy_unit = options.places.energy_unit;
  observer_.start(now.grid(), discs.origins().data(), options);
  return begun;
}

template <class Real>
void DiscMeasurement<Real>::collect(DiscMeasured& measured) {
  measured.sums = sums_.result();
  std::memcpy(measured.histogram.data(), histogram_.data(), speed_bins * sizeof(int));
  measured.seen = observer_.sums();
  measured.counts = observer_.counts();
}

// The unit of energies is a small part of the largest one to expect, so that integers count them exactly.
template <class Real>
PlaceOptions DiscMeasurement<Real>::places_of(const DiscRun<Real>& now) const {
  const ParticlesParameters& p = now.parameters;
  PlaceOptions places;
  places.right = now.box.right();
  places.width = now.box.width();
  places.height = now.box.height();
  places.mixing = mixes(p);
  places.layers = layers_of(p);
  const double hottest =
      std::max({p.temperature_left, p.temperature_right, p.temperature_floor, p.temperature_ceiling, 0.});
  const double energy = p.velocity_max * p.velocity_max / 3 + hottest + p.gravity * places.height;
  places.energy_unit = std::max(1e-300, energy / (now.slow() * now.slow()) / (1 << 20));
  return places;
}

template <class Real>
void DiscMeasurement<Real>::sample(const DiscRun<Real>& now) {
  collect_sample();
  const DiscSet<Real>& discs = now.discs;
  SampleDiscs<Real> sample;
  sample.grid = now.grid();
  sample.origins = discs.origins().data();
  sample.control = now.control;
  sample.wall_collisions = discs.storage().wall_collisions.data();
  sample.disc_collisions = discs.storage().disc_collisions.data();
  sample.places = places_of(now);
  sampler_.start(sample, discs.heavy_slot());
  sampled_ = Sampled{now.steps,
                     now.box.right(),
                     static_cast<double>(now.steps) / now.slow(),
                     discs.count(),
                     sample.places.layers,
                     sample.places.energy_unit,
                     discs.heavy_slot() >= 0,
                     sample.places.mixing};
}

template <class Real>
void DiscMeasurement<Real>::collect_sample() {
  if (!sampled_) return;
  const Sampled sampled = *sampled_;
  drop_sample();
  const DiscSampleSums sums = sampler_.sums();
  const PlaceCounts counts = sampler_.counts();
  const std::int64_t number = sampled.step / steps_per_sample;
  // The first sample of discs that have been replaced is between two others.
  const bool is_regular = sampled.step % steps_per_sample == 0;
  if (marks_.empty() || (is_regular && number % samples_per_mark == 0))
    marks_.push_back(
        {sampled.step, sums.impulse, sums.disc_collisions, sums.wall_collisions, sampled.right, sums.energy});
  if (marks_.size() > max_marks) marks_.erase(marks_.begin());
  sampled_energy_ = sums.energy;
  if (!is_regular) return;
  if (sampled.layers != layers_axis_) {
    layers_.clear();
    layer_samples_ = 0;
    layers_axis_ = sampled.layers;
  }
  if (sampled.layers != LayerAxis::none) {
    layer_samples_ = std::min(layer_samples_ + 1, samples_in_layers);
    layers_.resize(profile_layers);
    for (std::size_t k = 0; k < layers_.size(); ++k) {
      layers_[k].discs += (counts.layer_discs[k] - layers_[k].discs) / layer_samples_;
      const double energy = static_cast<double>(counts.layer_energy[k]) * sampled.energy_unit;
      layers_[k].energy += (energy - layers_[k].energy) / layer_samples_;
    }
  }
  if (sampled.has_heavy) {
    const Disc<Real> heavy = sampler_.heavy();
    path_.push_back({static_cast<double>(heavy.x), static_cast<double>(heavy.y)});
    if (path_.size() > max_path_points) path_.erase(path_.begin(), path_.begin() + max_path_points / 2);
  }
  way_.add(number, CurvePoint{sampled.time, sums.displacement2 / sampled.discs});
  if (sampled.mixes) mixing_.add(number, CurvePoint{sampled.time, mixing_entropy(counts)});
}

template <class Real>
void DiscMeasurement<Real>::forget() {
  wait_for();
  measurement_.forget();
  drop_sample();
  forget_rates();
  path_.clear();
  way_.clear();
  mixing_.clear();
  sampled_energy_ = 0;
  reversed_at_ = -1;
}

// The mark at which a mean up to now begins. While the right wall moves, the state of the gas changes within few marks;
// once it has rested for some time, the mean is that of the rest.
template <class Real>
std::size_t DiscMeasurement<Real>::first_mark(double right) const {
  std::size_t rest = marks_.size();
  while (rest > 0 && marks_[rest - 1].right == right) --rest;
  if (marks_.size() - rest >= marks_in_motion || rest == 0) return rest;
  return marks_.size() - std::min(marks_.size(), marks_in_motion);
}

template <class Real>
ReportContext DiscMeasurement<Real>::context(const DiscRun<Real>& now) const {
  const ParticlesParameters& p = now.parameters;
  ReportContext context;
  const double slow = now.slow();
  context.slow = slow;
  context.width = now.box.width();
  context.height = now.box.height();
  context.radius = p.radius;
  context.count = now.discs.count();
  context.alike = now.discs.alike();
  context.exact = p.collisions == DiscCollisions::exact;
  context.halves = mixes(p);
  context.one_heat = p.cold == 1;
  context.piston_speed = p.piston_speed;
  context.piston_end = p.piston_end;
  const auto motion = now.box.motion(p, now.discs.largest_radius(), now.discs.covered());
  context.wall_end = motion.end;
  context.wall_travel = motion.travel;
  context.gravity = p.gravity;
  context.restitution = p.restitution;
  context.elastic_speed = elastic_speed(p);
  context.two_kinds = p.second_share > 0 && p.second_mass != 1;
  double coldest = 1e300, hottest = 0;
  for (const double wall : {p.temperature_left, p.temperature_right, p.temperature_floor, p.temperature_ceiling})
    if (wall > 0) {
      coldest = std::min(coldest, wall);
      hottest = std::max(hottest, wall);
    }
  context.hottest = hottest;
  context.heats = hottest > 0;
  context.even_heat = !context.heats || coldest == hottest;
  context.axis = layers_of(p);
  if (layers_axis_ == context.axis) context.layers = layers_;
  const bool sideways = context.axis == LayerAxis::x;
  context.heat_low = sideways ? p.temperature_left : p.temperature_floor;
  context.heat_high = sideways ? p.temperature_right : p.temperature_ceiling;
  context.start_thermal = start_thermal_;
  context.reversed_at = reversed_at_;
  context.path = path_;
  context.way = way_.points();
  context.mixing = mixing_.points();
  context.rests = p.piston_speed == 0;
  const DiscMeasured* measured = latest();
  if (measured && context.layers.empty() && measured->layers != LayerAxis::none)
    for (int k = 0; k < profile_layers; ++k)
      context.layers.push_back({static_cast<double>(measured->counts.layer_discs[k]),
                                static_cast<double>(measured->counts.layer_energy[k]) * measured->energy_unit});
  if (marks_.empty() || !measured) return context;
  // Up to the measured state; a sample of it or of a later one has the same counts.
  const DiscSums& sums = measured->sums;
  const Mark to{measured->step, sums.impulse, sums.disc_collisions, sums.wall_collisions, measured->right, sums.energy};
  const std::size_t first = first_mark(to.right);
  const Mark& from = marks_[first];
  context.rests = from.right == to.right;
  const double span = static_cast<double>(to.step - from.step);
  if (!(span > 0)) return context;
  context.counted = true;
  const double rim = from.right + to.right + 2 * context.height;
  context.pressure = static_cast<double>(to.impulse - from.impulse) * now.impulse_unit / (span * rim) * slow * slow;
  context.pressure_time = span / slow;
  context.mean_energy = to.energy;
  context.mean_area = to.right * context.height;
  double count = 1;
  for (std::size_t k = first; k < marks_.size() && marks_[k].step < to.step; ++k, ++count) {
    context.mean_energy += marks_[k].energy;
    context.mean_area += marks_[k].right * context.height;
  }
  context.mean_energy /= count;
  context.mean_area /= count;
  context.pairs = 0.5 * static_cast<double>(to.pairs - from.pairs) / span;
  context.walls = static_cast<double>(to.walls - from.walls) / span;
  return context;
}

template class DiscMeasurement<float>;
template class DiscMeasurement<double>;

}  // namespace perturb::particles

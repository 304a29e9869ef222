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
constexpr std::int64_t samples_per_mark = 4;
constexpr std::size_t max_marks = 32, marks_in_motion = 8;
// A layer's numbers are means over about as many samples.
constexpr int samples_in_layers = 10;

// The direction in which temperature or density changes.
LayerAxis layers_of(const Parameters& p, const Fixtures& fixtures) {
  if (p.gravity > 0 || fixtures.has_plates()) return LayerAxis::y;
  if (p.temperature_left > 0 || p.temperature_right > 0) return LayerAxis::x;
  return p.temperature_floor > 0 || p.temperature_ceiling > 0 ? LayerAxis::y : LayerAxis::none;
}

// Temperatures of walls, flames and ices.
std::vector<double> temperatures_of(const Parameters& p, const Fixtures& fixtures) {
  std::vector<double> all;
  for (const double wall : {p.temperature_left, p.temperature_right, p.temperature_floor, p.temperature_ceiling})
    if (wall > 0) all.push_back(wall);
  for (const Fixture& fixture : fixtures.all())
    if (fixture.is_plate()) all.push_back(fixture.temperature);
  return all;
}

// Mean pressure on all walls, in time units.
double mean_pressure(std::int64_t impulse, double steps, double walls, double impulse_unit, double slow) {
  return static_cast<double>(impulse) * impulse_unit / (steps * walls) * slow * slow;
}

bool mixes(const Parameters& p) { return p.arrangement == Arrangement::halves; }

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
  if (sample % every_ != 0 || sample <= last_) return;
  last_ = sample;
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
Measurement<Real>::Measurement(Backend& backend)
    : backend_(backend),
      bins_of_speed_(backend, speed_bins, "speed histogram"),
      sums_(backend),
      histogram_(backend, speed_bins * sizeof(int)),
      observer_(backend),
      sampler_(backend) {}

template <class Real>
void Measurement<Real>::begin(const HostDiscs<Real>& host, double slow) {
  for (const Disc<Real>& d : host.discs) {
    const double vx = d.vx, vy = d.vy;
    start_thermal_ += 0.5 * (vx * vx + vy * vy) * slow * slow / static_cast<double>(host.discs.size());
  }
}

template <class Real>
const Measured& Measurement<Real>::update(const DiscRun<Real>& now, Shown shown, Painter<Real>& painter, bool wait) {
  if (wait || sampler_.ready()) collect_sample();
  return measurement_.update(
      backend_, wait, [&] { return start(now, shown, painter); }, [this] { return ready(); }, [this] { wait_for(); },
      [this](Measured& measured) { collect(measured); });
}

template <class Real>
Measured Measurement<Real>::start(const DiscRun<Real>& now, Shown shown, Painter<Real>& painter) {
  const DiscSet<Real>& discs = now.discs;
  Measured begun;
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
  sums_.start("particles.sums", sum_range(discs.count()), Sum<Real>{painter.values(now, shown), now.control});
  ObserveOptions options = observe_options_of(now);
  options.places = places_of(now);
  begun.places = options.places;
  observer_.start(now.grid(), discs.origins().data(), options);
  return begun;
}

template <class Real>
void Measurement<Real>::collect(Measured& measured) {
  measured.sums = sums_.result();
  std::memcpy(measured.histogram.data(), histogram_.data(), speed_bins * sizeof(int));
  measured.seen = observer_.sums();
  measured.counts = observer_.counts();
}

// The unit of energies is a small part of the largest one to expect, so that integers count them exactly.
template <class Real>
PlaceOptions Measurement<Real>::places_of(const DiscRun<Real>& now) const {
  const Parameters& p = now.parameters;
  PlaceOptions places;
  places.right = now.box.right();
  places.width = now.box.width();
  places.height = now.box.height();
  places.mixing = mixes(p);
  places.layers = layers_of(p, now.fixtures);
  for (const Circle& circle : now.fixtures.thermometers(places.width, places.height))
    places.thermometers[places.thermometer_count++] = circle;
  double hottest = 0;
  for (const double temperature : temperatures_of(p, now.fixtures)) hottest = std::max(hottest, temperature);
  const double energy = p.velocity_max * p.velocity_max / 3 + hottest + p.gravity * places.height;
  places.energy_unit = std::max(1e-300, energy / (now.slow() * now.slow()) / (1 << 20));
  return places;
}

template <class Real>
void Measurement<Real>::sample(const DiscRun<Real>& now) {
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
                     now.box.height(),
                     static_cast<double>(now.steps) / now.slow(),
                     now.slow(),
                     now.units,
                     discs.count(),
                     sample.places,
                     discs.heavy_slot() >= 0};
}

template <class Real>
void Measurement<Real>::collect_sample() {
  if (!sampled_) return;
  const Sampled sampled = *sampled_;
  drop_sample();
  const SampleSums sums = sampler_.sums();
  const PlaceCounts counts = sampler_.counts();
  const std::int64_t number = sampled.step / steps_per_sample;
  // The first sample of discs that have been replaced is between two others.
  const bool is_regular = sampled.step % steps_per_sample == 0;
  const bool is_mark = is_regular && number % samples_per_mark == 0;
  if (marks_.empty() || is_mark)
    marks_.push_back(
        {sampled.step, sums.gains, sums.disc_collisions, sums.wall_collisions, sampled.right, sums.energy});
  if (marks_.size() > max_marks) marks_.erase(marks_.begin());
  sampled_energy_ = sums.energy;
  if (!is_regular) return;
  if (is_mark) add_to_trace(number / samples_per_mark, sampled);
  if (!sampled.places.same_regions(places_of_regions_)) {
    regions_.clear();
    region_samples_ = 0;
    places_of_regions_ = sampled.places;
  }
  if (sampled.places.has_regions()) {
    region_samples_ = std::min(region_samples_ + 1, samples_in_layers);
    regions_.resize(regions);
    for (std::size_t k = 0; k < regions_.size(); ++k) {
      regions_[k].discs += (counts.region_discs[k] - regions_[k].discs) / region_samples_;
      const double energy = static_cast<double>(counts.region_energy[k]) * sampled.places.energy_unit;
      regions_[k].energy += (energy - regions_[k].energy) / region_samples_;
    }
  }
  if (sampled.has_heavy) {
    const Disc<Real> heavy = sampler_.heavy();
    path_.push_back({static_cast<double>(heavy.x), static_cast<double>(heavy.y)});
    if (path_.size() > max_path_points) path_.erase(path_.begin(), path_.begin() + max_path_points / 2);
  }
  way_.add(number, CurvePoint{sampled.time, sums.displacement2 / sampled.discs});
  if (sampled.places.mixing) mixing_.add(number, CurvePoint{sampled.time, mixing_entropy(counts)});
}

template <class Real>
void Measurement<Real>::add_to_trace(std::int64_t sample, const Sampled& sampled) {
  if (marks_.size() <= marks_in_motion) return;
  const auto first = marks_.end() - static_cast<std::ptrdiff_t>(marks_in_motion) - 1;
  const Mark &from = *first, &to = marks_.back();
  const bool moved = std::any_of(first, marks_.end(), [&](const Mark& mark) { return mark.right != to.right; });
  if (!moved && from.gains.heat == to.gains.heat) return;
  if (trace_.points().empty()) trace_start_ = from;
  double right = 0;
  for (auto mark = first; mark != marks_.end(); ++mark)
    right += mark->right * (mark == first || mark + 1 == marks_.end() ? 0.5 : 1) / marks_in_motion;
  const double steps = static_cast<double>(to.step - from.step);
  trace_.add(sample, {right * sampled.height,
                      mean_pressure(to.gains.impulse - from.gains.impulse, steps, 2 * (right + sampled.height),
                                    sampled.units.impulse, sampled.slow)});
}

template <class Real>
void Measurement<Real>::forget() {
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
std::size_t Measurement<Real>::first_mark(double right) const {
  std::size_t rest = marks_.size();
  while (rest > 0 && marks_[rest - 1].right == right) --rest;
  if (marks_.size() - rest >= marks_in_motion || rest == 0) return rest;
  return marks_.size() - std::min(marks_.size(), marks_in_motion);
}

template <class Real>
ReportContext Measurement<Real>::context(const DiscRun<Real>& now) const {
  const Parameters& p = now.parameters;
  ReportContext context;
  const double slow = now.slow();
  context.slow = slow;
  context.width = now.box.width();
  context.height = now.box.height();
  context.radius = p.radius;
  context.count = now.discs.count();
  context.alike = now.discs.alike();
  context.exact = p.collisions == Collisions::exact;
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
  context.kinds = now.discs.kinds();
  context.two_kinds = p.second_share > 0 && p.second_mass != 1;
  double coldest = 1e300, hottest = 0;
  for (const double temperature : temperatures_of(p, now.fixtures)) {
    coldest = std::min(coldest, temperature);
    hottest = std::max(hottest, temperature);
  }
  context.hottest = hottest;
  context.heats = hottest > 0;
  context.even_heat = !context.heats || coldest == hottest;
  const PlaceOptions places = places_of(now);
  context.axis = places.layers;
  const bool sideways = context.axis == LayerAxis::x;
  if (!now.fixtures.has_plates()) {  // beside which a part of the floor has no temperature
    context.heat_low = sideways ? p.temperature_left : p.temperature_floor;
    context.heat_high = sideways ? p.temperature_right : p.temperature_ceiling;
  }
  context.start_thermal = start_thermal_;
  context.reversed_at = reversed_at_;
  context.path = path_;
  context.way = way_.points();
  context.mixing = mixing_.points();
  context.rests = p.piston_speed == 0;
  const Measured* measured = latest();
  std::vector<Layer> at_places;
  if (places.has_regions() && places.same_regions(places_of_regions_)) at_places = regions_;
  if (measured && at_places.empty() && places.has_regions() && places.same_regions(measured->places))
    for (int k = 0; k < regions; ++k)
      at_places.push_back({static_cast<double>(measured->counts.region_discs[k]),
                           static_cast<double>(measured->counts.region_energy[k]) * measured->places.energy_unit});
  if (!at_places.empty()) {
    const auto circles = at_places.begin() + profile_layers;
    context.thermometers.assign(circles, circles + places.thermometer_count);
    if (places.layers != LayerAxis::none) context.layers.assign(at_places.begin(), circles);
  }
  context.energy_unit = now.units.energy;
  context.trace = trace_.points();
  context.start_volume = trace_start_.right * context.height;
  context.trace_thermal = trace_start_.energy / context.count * slow * slow;
  // A flame heats the gas from one place until both have the same temperature.
  if (measured && now.fixtures.has_plates()) {
    const double thermal = measured->sums.energy / context.count * slow * slow;
    context.even_heat = context.even_heat && std::abs(thermal - hottest) < 0.1 * hottest;
  }
  if (marks_.empty() || !measured) return context;
  // Up to the measured state; a sample of it or of a later one has the same counts.
  const Sums& sums = measured->sums;
  const Mark to{measured->step, sums.gains, sums.disc_collisions, sums.wall_collisions, measured->right, sums.energy};
  const std::size_t first = first_mark(to.right);
  const Mark& from = marks_[first];
  context.rests = from.right == to.right;
  const double span = static_cast<double>(to.step - from.step);
  if (!(span > 0)) return context;
  context.counted = true;
  const double rim = from.right + to.right + 2 * context.height;
  context.pressure = mean_pressure(to.gains.impulse - from.gains.impulse, span, rim, now.units.impulse, slow);
  context.heat_rate =
      static_cast<double>(to.gains.heat - from.gains.heat) * now.units.energy / span * slow * slow * slow;
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

template class Measurement<float>;
template class Measurement<double>;

}  // namespace perturb::particles

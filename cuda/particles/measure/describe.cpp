#include "cuda/particles/measure/describe.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cuda/core/simulation/diagnostics.h"
#include "cuda/core/simulation/format.h"
#include "cuda/core/simulation/uncompared.h"
#include "cuda/particles/measure/theory.h"
#include "cuda/particles/model/cell.h"

namespace perturb::particles {

namespace {

// Gas in the box: its state in the middle, between the layers at the walls.
struct Gas {
  double thermal, fraction, density;
};
Gas gas_of(const Measured& m, const ReportContext& s) {
  Gas gas;
  gas.thermal = m.sums.energy / s.count * s.slow * s.slow;  // kT: two degrees of freedom, m v²/2 together
  gas.fraction = m.sums.area / (m.right * s.height);
  gas.density = s.count / (m.right * s.height);
  if (s.alike && gas.fraction < largest_fluid_fraction) {
    gas.fraction = fraction_between_walls(s.count, s.radius, m.right, s.height);
    gas.density = gas.fraction / (std::numbers::pi * s.radius * s.radius);
  }
  return gas;
}

Curve named(const char* id, const char* label, const char* x, const char* x_unit, const char* y, const char* y_unit) {
  Curve curve;
  curve.id = id;
  curve.label = label;
  curve.x_label = x;
  curve.x_unit = x_unit;
  curve.y_label = y;
  curve.y_unit = y_unit;
  return curve;
}

// Whether hot and cold, which began in two halves, are one gas by now: the entropy of mixing is within 2 % of that of
// discs at random positions.
bool has_mixed(const Measured& m, const ReportContext& s) {
  double at_random = 1;
  return !s.halves || s.one_heat || mixing_entropy(m.counts, &at_random) >= 0.98 * at_random;
}

// Why the speeds are not those of Maxwell's distribution, which holds for equal discs in equilibrium; empty: they are.
Message why_no_maxwell(const Measured& m, const ReportContext& s) {
  // From any speeds, a few collisions of each disc lead there.
  constexpr double fewest_collisions = 5;
  if (!s.alike) return "the discs differ";
  if (s.restitution < 1) return "collisions lose energy";
  if (!s.even_heat) return "heat flows, so there is no single temperature";
  if (!s.rests) return "a wall moves";
  if (!has_mixed(m, s)) return "hot and cold have not mixed yet";
  if (static_cast<double>(m.sums.disc_collisions) < fewest_collisions * s.count)
    return "the discs have not collided often enough yet";
  return {};
}

// Compares with Maxwell's distribution. `error`: half of the area between both.
Curve speeds_curve(const Measured& m, const ReportContext& s, double thermal, double& error) {
  // By chance, a bin with a share p of n discs is off by about 0.8 √(p/n). With few discs that is all one would see.
  constexpr double max_by_chance = 0.1;
  double by_chance = 0;
  Curve speeds = named("speeds", "Speeds", "Speed", "length/time", "Share", "");
  double counted = 0;
  for (const int in_bin : m.histogram) counted += in_bin;
  const double width = m.bin * s.slow;
  error = 0;
  for (int k = 0; k < speed_bins - 1; ++k) {
    const double low = k * width, high = low + width;
    const double share = counted > 0 ? m.histogram[static_cast<std::size_t>(k)] / counted : 0;
    // Share of f(v) = (m v/kT) exp(-m v²/2kT) between two speeds.
    const double theory =
        thermal > 0 ? std::exp(-low * low / (2 * thermal)) - std::exp(-high * high / (2 * thermal)) : 0;
    speeds.points.push_back({low + 0.5 * width, share});
    speeds.theory.push_back({low + 0.5 * width, theory});
    error += 0.5 * std::abs(share - theory);
    by_chance += 0.8 * std::sqrt(theory / s.count);
  }
  Message why_not = why_no_maxwell(m, s);
  if (why_not.empty() && by_chance > max_by_chance) why_not = "so few discs are off by chance";
  if (!why_not.empty()) leave_uncompared(speeds, std::move(why_not));
  return speeds;
}

// Density at a distance from a disc's centre, relative to the mean. Theory gives the height of the first step.
Curve distances_curve(const Measured& m, const ReportContext& s, const Gas& gas, bool has_theory) {
  Curve curve = named("pair_correlation", "Pair correlation g(r)", "Distance between centres", "length", "g", "");
  const double width = farthest_distance * 2 * s.radius / distance_bins;
  for (int k = 0; k < distance_bins; ++k) {
    const double low = k * width, high = low + width;
    const double expected = m.seen.centres * gas.density * std::numbers::pi * (high * high - low * low);
    curve.points.push_back({low + 0.5 * width, m.counts.distances[k] / expected});
  }
  if (has_theory) curve.theory = {{2 * s.radius, 0}, {2 * s.radius, contact_value(gas.fraction)}};
  return curve;
}

// Mean square displacement from the start. Theory: Enskog's diffusion after the first free path, between walls that
// reflect; once velocities have been reversed, the way back.
Curve way_curve(const Measured& m, const ReportContext& s, const Gas& gas) {
  Curve curve = named("displacement", "Mean squared distance from the start", "Time", "time", "Distance²", "length²");
  curve.points = s.way;
  if (s.reversed_at >= 0) {
    for (std::size_t k = s.way.size(); k-- > 0;)
      if (s.way[k].x <= s.reversed_at) curve.theory.push_back({2 * s.reversed_at - s.way[k].x, s.way[k].y});
    return curve;
  }
  if (!s.alike || s.halves || s.piston_speed > 0 || s.gravity > 0 || s.heats || s.restitution < 1 ||
      !(gas.thermal > 0) || !(gas.fraction < largest_fluid_fraction))
    return curve;
  curve.label = "Mean squared distance from the start; theory: Enskog's diffusion";
  constexpr double dilute = 0.02;
  if (gas.fraction > dilute)
    leave_uncompared(curve, "it leaves out the vortices that carry discs on in two dimensions");
  const double diffusion = enskog_diffusion(gas.fraction, s.radius, gas.thermal), memory = diffusion / gas.thermal;
  for (const CurvePoint& p : s.way) {
    const double along = 2 * diffusion * (p.x - memory * (1 - std::exp(-p.x / memory)));
    curve.theory.push_back(
        {p.x, reflected_way(along, m.right - 2 * s.radius) + reflected_way(along, s.height - 2 * s.radius)});
  }
  return curve;
}

// By the Rankine-Hugoniot conditions.
Shock shock_of_piston(const ReportContext& s) {
  return disc_shock(fraction_between_walls(s.count, s.radius, s.width, s.height), s.start_thermal, s.radius,
                    s.piston_speed);
}

// Area fraction along the box. Behind a piston fast enough: a shock.
Curve profile_curve(const Measured& m, const ReportContext& s, std::vector<Scalar>& scalars) {
  Curve curve = named("profile", "Area fraction along the box", "x", "length", "Area fraction", "");
  const double column = s.width / profile_columns, covered = std::numbers::pi * s.radius * s.radius;
  for (int k = 0; k < profile_columns; ++k)
    curve.points.push_back({(k + 0.5) * column, m.counts.columns[k] * covered / (column * s.height)});
  const double before = fraction_between_walls(s.count, s.radius, s.width, s.height);
  const double time = static_cast<double>(m.step) / s.slow;
  const Shock shock = shock_of_piston(s);
  const double front = s.width - shock.speed * time;
  // The front of a weaker one is lost among the discs of a column.
  constexpr double weakest = 1.2;
  if (!(shock.speed > 0) || shock.fraction < weakest * before || m.step == 0 || front < 0.05 * s.width ||
      m.right <= s.piston_end * s.width)
    return curve;
  curve.label = "Area fraction along the box; theory: the shock front (Rankine-Hugoniot)";
  curve.theory = {{0, before}, {front, before}, {front, shock.fraction}, {m.right, shock.fraction}};
  // The part from the piston on that is denser than the mean of both states.
  const double half = 0.5 * (before + shock.fraction);
  int k = static_cast<int>(m.right / column) - 1;
  int columns = 0;
  for (; k > 0 && curve.points[static_cast<std::size_t>(k)].y > half; --k) ++columns;
  if (columns < 4) {
    leave_uncompared(curve, "the shock has not formed yet");
    return curve;
  }
  const double edge = std::clamp(
      (curve.points[static_cast<std::size_t>(k) + 1].y - half) /
          std::max(1e-9, curve.points[static_cast<std::size_t>(k) + 1].y - curve.points[static_cast<std::size_t>(k)].y),
      0.0, 1.0);
  const double found = curve.points[static_cast<std::size_t>(k) + 1].x - edge * column;
  // The width of the front belongs to neither state.
  const int skip = std::min(columns / 3, 8);
  double inner = 0;
  for (int c = k + 1 + skip; c <= k + columns - 1; ++c) inner += curve.points[static_cast<std::size_t>(c)].y;
  scalars.push_back({"shock_speed", "Shock speed", "length/time", (s.width - found) / time, Meaning::motion});
  scalars.push_back(
      {"shock_speed_theory", "Shock speed, Rankine-Hugoniot", "length/time", shock.speed, Meaning::motion});
  scalars.push_back({"shock_fraction", "Area fraction behind the shock", "", inner / std::max(1, columns - 1 - skip),
                     Meaning::matter});
  scalars.push_back({"shock_fraction_theory", "Area fraction behind the shock, Rankine-Hugoniot", "", shock.fraction,
                     Meaning::matter});
  return curve;
}

// Temperature in layers of the box.
Curve temperature_curve(const Measured& m, const ReportContext& s, const Gas& gas) {
  const bool sideways = s.axis == LayerAxis::x;
  Curve curve = named("temperature_profile", "Temperature in the box", sideways ? "x" : "y", "length", "Temperature",
                      "mass·length²/time²");
  const double extent = sideways ? m.right : s.height, step = extent / profile_layers;
  for (std::size_t k = 0; k < s.layers.size(); ++k)
    if (s.layers[k].discs > 0)
      curve.points.push_back(
          {(static_cast<double>(k) + 0.5) * step, s.layers[k].energy / s.layers[k].discs * s.slow * s.slow});
  const double low = s.heat_low > 0 ? s.heat_low : s.heat_high, high = s.heat_high > 0 ? s.heat_high : s.heat_low;
  if (s.gravity > 0 || s.restitution < 1 || !(low > 0) || !s.rests) return curve;
  for (int k = 0; k <= profile_layers; ++k)
    curve.theory.push_back({k * step, conducted_temperature(low, high, static_cast<double>(k) / profile_layers)});
  // A difference of temperature decays as exp(-π² a t/L²), with a = √(kT/π)/(nσ) for the diffusivity of a dilute gas.
  constexpr double decay_times = 3;
  const double diffusivity =
      gas.thermal > 0 ? std::sqrt(gas.thermal / std::numbers::pi) / (2 * gas.density * s.radius) : 0;
  const double time = static_cast<double>(m.step) / s.slow, pi2 = std::numbers::pi * std::numbers::pi;
  if (time * pi2 * diffusivity < decay_times * extent * extent)
    leave_uncompared(curve, "the flow of heat is not steady yet");
  return curve;
}

// Discs in layers of the box under gravity, relative to the mean. Theory: the barometric formula for a dilute gas, over
// the heights that centres reach.
Curve height_curve(const Measured& m, const ReportContext& s, const Gas& gas) {
  Curve curve = named("density_profile", "Density against height", "y", "length", "Relative density", "");
  const double step = s.height / profile_layers, mean = static_cast<double>(s.count) / profile_layers;
  for (std::size_t k = 0; k < s.layers.size(); ++k)
    curve.points.push_back({(static_cast<double>(k) + 0.5) * step, s.layers[k].discs / mean});
  const double room = s.height - 2 * s.radius;
  if (!s.alike || s.restitution < 1 || !s.even_heat || !(gas.thermal > 0) || !(room > 0)) return curve;
  for (int k = 0; k <= profile_layers; ++k) {
    const double y = room * k / profile_layers;
    curve.theory.push_back({s.radius + y, s.height / room * barometric_density(y, room, s.gravity, gas.thermal)});
  }
  // At the floor an ideal gas would be this dense; the falling gas bounces a few times before it rests.
  constexpr double dilute = 0.1, bounces = 10;
  const double at_floor = gas.fraction * curve.theory.front().y;
  const double fall = std::sqrt(2 * room / s.gravity), time = static_cast<double>(m.step) / s.slow;
  if (at_floor > dilute)
    leave_uncompared(curve, "the formula is for a dilute gas");
  else if (time < 2 * bounces * fall)
    leave_uncompared(curve, "the gas has not settled yet");
  return curve;
}

// Missed share of all collisions between discs. Observed misses are fewer than real ones: fast discs leave no overlap,
// and consequences of a missed collision are not counted. Hence the larger of two lower bounds. The second one is a
// mean over many collisions: two discs that meet once miss nothing.
double missed_share(const Measured& m, const ReportContext& s) {
  if (s.exact) return 0;
  constexpr std::int64_t many = 100;
  const double missed = static_cast<double>(m.seen.missed), all = missed + std::max(0.0, s.pairs);
  const double found = missed > 0 ? missed / all : 0.0;
  if (m.sums.disc_collisions < 2 * many) return found;  // each disc counts its own
  return std::max(found, missed_collisions(2 * s.pairs / s.count, s.walls / s.count));
}

// Collisions of a disc that travels `way` in a step: the way over the free path. At densities above the fluid's, where
// Enskog's path is not known, the gap left to the packing `densest` is used if it is less. In a thin gas that gap is
// far shorter than the path and means nothing.
double collisions_on_way(double way, double fraction, double radius, double densest) {
  const double gap = 2 * radius * (std::sqrt(densest / fraction) - 1);
  if (!(gap > 0)) return max_exact_collisions_per_disc;
  const double enskog = enskog_free_path(fraction, radius);
  return way / (fraction < largest_fluid_fraction ? enskog : std::min(enskog, gap));
}

double right_wall(const Measured& m, const ReportContext& s) { return m.sums.area > 0 ? m.right : s.width; }

// Expected collisions per disc in the next step: those of the last steps or, if that is more, those by the distance
// that discs travel in a step. The right wall moves the discs in front of it at its own speed and compresses the gas.
double expected_collisions(const Measured& m, const ReportContext& s) {
  const double right = right_wall(m, s), ways = m.seen.speeds / s.count;
  const double sweep = std::clamp(right - s.wall_end, 0.0, s.wall_travel);
  const double fraction = m.sums.area / ((right - sweep) * s.height);
  const double next = collisions_on_way(ways + 2 * sweep * sweep / right, fraction, s.radius, closest_disc_packing);
  return std::max(2 * s.pairs / s.count, next);
}

// Warns before a step exceeds the limit of collisions.
Gauge rate_gauge(const Measured& m, const ReportContext& s) {
  Gauge rate;
  rate.id = "rate";
  rate.label = "collisions per disc";
  rate.help =
      "Collisions of a disc in one step. Measured, or estimated as distance travelled divided by mean free path where "
      "discs or the piston have become faster. Collisions are computed one after the other, and a step with too many "
      "of them is cancelled.";
  rate.value = expected_collisions(m, s);
  rate.limit = collisions_limit();
  rate.warn_at = 0.25 * rate.limit;
  rate.remedy = "Lower the piston speed, stop the piston earlier or raise the slow factor.";
  return rate;
}

// The share of collisions slower than a speed in a gas at a temperature: the speed along the line of centres at which
// two discs collide has the density v exp(-v²/4T), for mass 1.
Gauge lossless_gauge(const Measured& m, const ReportContext& s) {
  const double thermal = m.sums.energy / s.count * s.slow * s.slow;
  Gauge lossless;
  lossless.id = "lossless";
  lossless.label = "collisions without loss";
  lossless.help = Message(
      "Share of collisions that lose no energy, estimated from the temperature: those slower than {}. Otherwise a "
      "pile of discs would collide without end.",
      with_unit(format_number(s.elastic_speed, 3), "length/time"));
  lossless.value = thermal > 0 ? 1 - std::exp(-s.elastic_speed * s.elastic_speed / (4 * thermal)) : 1;
  lossless.limit = 0.5;
  lossless.advisory = true;
  lossless.remedy = "The gas does not cool much further. Raise a temperature, or lower the gravity.";
  return lossless;
}

// Collisions of each disc until the kinds of a mixture have the same temperature. A collision transfers up to the part
// 4 m m'/(m + m')² of an energy; five times as many leave a hundredth of a difference.
double collisions_to_share(const std::vector<DiscsOfKind>& kinds) {
  double light = kinds.front().mass, heavy = light;
  for (const DiscsOfKind& kind : kinds) {
    light = std::min(light, kind.mass);
    heavy = std::max(heavy, kind.mass);
  }
  return 5 * (light + heavy) * (light + heavy) / (4 * light * heavy);
}

// Why theory gives no pressure and no free path for the gas as a whole now; empty: it does.
Message why_no_theory(const Measured& m, const ReportContext& s, const Gas& gas) {
  if (!s.alike && s.kinds.empty())
    return "No theory for pressure and free path here: the equation of state holds for equal discs and for mixtures.";
  if (!(gas.fraction < largest_fluid_fraction))
    return "No theory for pressure and free path here: above an area fraction of 0.70 the discs are not a fluid.";
  if (s.gravity > 0) return "No theory for pressure and free path here: under gravity the gas is not uniform.";
  if (!s.even_heat) return "No theory for pressure and free path here: heat flows, and the gas is not uniform.";
  if (s.restitution < 1)
    return "No theory for pressure and free path here: collisions lose energy, and the gas is not in equilibrium.";
  if (!s.rests) return "No theory for pressure and free path while the wall moves: the gas is not uniform.";
  if (!has_mixed(m, s))
    return "No theory for pressure and free path until hot and cold have mixed: the gas is not uniform.";
  if (!s.alike && static_cast<double>(m.sums.disc_collisions) < collisions_to_share(s.kinds) * s.count)
    return "No theory for the pressure until the kinds of discs have shared their energy.";
  return {};
}

double theory_of_pressure(const ReportContext& s, double right, double thermal) {
  return s.alike ? pressure_on_walls(s.count, s.radius, right, s.height, thermal)
                 : mixture_pressure_on_walls(s.kinds, right, s.height, thermal);
}

// Why the gas as a whole has no equation of state, whatever its volume; empty: it has one.
Message why_not_uniform(const ReportContext& s) {
  if (!s.alike && s.kinds.empty()) return "the discs differ";
  if (s.gravity > 0) return "under gravity the gas is not uniform";
  if (s.restitution < 1) return "collisions lose energy";
  if (s.halves && !s.one_heat) return "hot and cold have not mixed yet";
  return {};
}

// Pressure on the walls against volume, as the wall has moved and heat has flowed. Theory: from the start, the adiabat
// and, after a gap, the isotherm of the equation of state.
Curve volume_curve(const Measured& m, const ReportContext& s, const Gas& gas) {
  Curve curve = named("pressure_volume", "Pressure against volume; theory: adiabat (steeper) and isotherm", "Volume",
                      "length²", "Pressure", "mass/time²");
  curve.points = s.trace;
  const bool at_start = curve.points.empty();
  if (at_start && s.counted) curve.points = {{s.mean_area, s.pressure}};
  const double from = (at_start ? m.right * s.height : s.start_volume) / s.height;
  const double thermal = at_start ? gas.thermal : s.trace_thermal;
  // Down to where the wall goes, or as small as a user may want, as long as the discs are a fluid.
  double low = std::min({s.wall_end, 0.4 * s.width, m.right});
  low = std::max(low, 1.02 * m.sums.area / (largest_fluid_fraction * s.height));
  if (!(low < from) || !(thermal > 0)) return curve;
  const auto pressure = [&](double right, double heat) { return theory_of_pressure(s, right, heat); };
  const std::vector<CurvePoint> heating =
      adiabat(from, low, s.width, [&](double right) { return pressure(right, 1) * s.height / s.count; });
  for (const CurvePoint& p : heating) curve.theory.push_back({p.x * s.height, pressure(p.x, thermal * p.y)});
  curve.theory.push_back({s.width * s.height, no_value});
  for (const CurvePoint& p : heating) curve.theory.push_back({p.x * s.height, pressure(p.x, thermal)});
  leave_uncompared(curve, "which one holds depends on the heat");
  return curve;
}

}  // namespace

double mixing_entropy(const PlaceCounts& counts, double* at_random) {
  const auto entropy = [](double part) {
    return part > 0 && part < 1 ? -part * std::log(part) - (1 - part) * std::log(1 - part) : 0.0;
  };
  double all = 0, left = 0, sum = 0, cells = 0;
  for (int c = 0; c < mixing_cells; ++c) {
    const double here = counts.in_cell[c], from_left = counts.from_left[c];
    if (here == 0) continue;
    all += here;
    left += from_left;
    sum += here * entropy(from_left / here);
    cells += 1;
  }
  const double max_entropy = all > 0 ? all * entropy(left / all) : 0;
  // A cell of n discs in random places lacks 1/2n of its entropy, in the mean (G. Miller 1955).
  if (at_random) *at_random = max_entropy > 0 ? std::max(0.0, 1 - 0.5 * cells / max_entropy) : 1;
  return max_entropy > 0 ? sum / max_entropy : 1;
}

bool front_has_arrived(const ReportContext& s, double time) {
  const double speed = s.alike ? shock_of_piston(s).speed : 0;
  return speed > 0 && speed * time >= s.width - s.radius;
}

Diagnostics describe_discs(const Measured& m, const ReportContext& s) {
  const Sums& sums = m.sums;
  const double slow = s.slow, n = s.count;
  const Gas gas = gas_of(m, s);
  const double ideal = n * gas.thermal / (m.right * s.height);
  const Message why_not = why_no_theory(m, s, gas);
  Diagnostics d;
  d.step = m.step;
  d.time = static_cast<double>(m.step) / slow;
  double maxwell_error = 0;
  Curve speeds = speeds_curve(m, s, gas.thermal, maxwell_error);
  d.scalars = {
      {"energy", "Energy", "mass·length²/time²", sums.energy * slow * slow, Meaning::energy},
      {"temperature", "Temperature", "mass·length²/time²", gas.thermal, Meaning::energy},
      {"momentum_x", "Momentum to the right", "mass·length/time", sums.momentum_x * slow, Meaning::motion},
      {"momentum_y", "Momentum upwards", "mass·length/time", sums.momentum_y * slow, Meaning::motion},
      value_if(s.counted, {"collisions", "Collisions per step", "", s.pairs, Meaning::collisions}),
      value_if(s.counted, {"wall_collisions", "Wall collisions per step", "", s.walls, Meaning::collisions}),
      value_if(s.counted, {"pressure", "Pressure on the walls", "mass/time²", s.pressure, Meaning::forces}),
      value_if(s.counted, {"pressure_time", "Time of the mean pressure", "time", s.pressure_time, Meaning::forces}),
      {"pressure_ideal", "Pressure, ideal gas", "mass/time²", ideal, Meaning::forces},
      value_if(why_no_maxwell(m, s).empty(),
               {"maxwell_error", "Deviation from Maxwell-Boltzmann", "", maxwell_error, Meaning::accuracy}),
      {"volume", "Volume (area of the box)", "length²", m.right * s.height, Meaning::matter},
      {"area_fraction", "Area fraction", "", sums.area / (m.right * s.height), Meaning::matter},
      {"overlaps", "Overlapping pairs", "", static_cast<double>(m.seen.overlaps), Meaning::accuracy},
      {"missed", "New overlapping pairs in a step", "", static_cast<double>(m.seen.missed), Meaning::accuracy},
      {"missed_share", "Missed collisions, fraction", "", missed_share(m, s), Meaning::accuracy},
      {"distance", "Distance from the start", "length", std::sqrt(m.seen.displacement2 / n), Meaning::motion},
      {"discs", "Discs", "", n, Meaning::matter},
      value_if(sums.slices > 0,
               {"slices", "Time slices of the search", "", static_cast<double>(sums.slices), Meaning::computing}),
      value_if(sums.slices > 0, {"cells", "Cells per slice", "", static_cast<double>(sums.cells), Meaning::computing}),
  };
  const bool measured = s.counted && s.mean_energy > 0;
  const double mean_thermal = s.mean_energy / n * slow * slow;
  d.scalars.push_back(value_if(
      measured,
      {"pv_nt", "pV/(N T)", "", measured ? s.pressure * s.mean_area / (n * mean_thermal) : 0, Meaning::forces}));
  if (why_not.empty() && gas.thermal > 0)
    d.scalars.push_back({"pv_nt_theory",
                         s.alike ? "pV/(N T), equation of state (Liu)" : "pV/(N T), equation of state (Santos)", "",
                         theory_of_pressure(s, m.right, 1) * m.right * s.height / n, Meaning::forces});
  if (s.gravity > 0) {
    const double potential = s.gravity * sums.weighted_height;
    d.scalars.push_back({"potential_energy", "Potential energy", "mass·length²/time²", potential, Meaning::energy});
    d.scalars.push_back({"total_energy", "Kinetic and potential energy", "mass·length²/time²",
                         sums.energy * slow * slow + potential, Meaning::energy});
  }
  const double energy_unit = s.energy_unit * slow * slow;
  d.scalars.push_back({"heat", "Heat received", "mass·length²/time²",
                       static_cast<double>(sums.gains.heat) * energy_unit, Meaning::energy});
  if (s.heats)
    d.scalars.push_back(value_if(
        s.counted, {"heat_rate", "Heat received per time", "mass·length²/time³", s.heat_rate, Meaning::energy}));
  d.scalars.push_back({"work", "Work of the right wall", "mass·length²/time²",
                       static_cast<double>(sums.gains.work) * energy_unit, Meaning::energy});
  for (std::size_t k = 0; k < s.thermometers.size(); ++k) {
    // The energies of n discs at a temperature T have the standard deviation T, their mean that of T/√n.
    const Layer& circle = s.thermometers[k];
    const double thermal = circle.discs > 0 ? circle.energy / circle.discs * slow * slow : 0;
    if (circle.discs > 0)
      d.remarks.push_back(Message(k == 0 ? "The thermometer shows {} ± {}." : "The second thermometer shows {} ± {}.",
                                  format_number(thermal, 3), format_number(thermal / std::sqrt(circle.discs), 2)));
    d.scalars.push_back(value_if(
        circle.discs > 0, {k == 0 ? "thermometer" : "thermometer_2", k == 0 ? "Thermometer" : "Second thermometer",
                           "mass·length²/time²", thermal, Meaning::energy}));
    d.scalars.push_back(value_if(
        circle.discs > 0,
        {k == 0 ? "thermometer_error" : "thermometer_2_error", k == 0 ? "Thermometer, ±" : "Second thermometer, ±",
         "mass·length²/time²", circle.discs > 0 ? thermal / std::sqrt(circle.discs) : 0, Meaning::energy}));
  }
  if (s.two_kinds && sums.second_discs > 0 && sums.second_discs < s.count) {
    const double second = static_cast<double>(sums.second_discs), energy = slow * slow * sums.second_energy;
    d.scalars.push_back({"temperature_first", "Temperature of the first kind", "mass·length²/time²",
                         (sums.energy * slow * slow - energy) / (n - second), Meaning::energy});
    d.scalars.push_back({"temperature_second", "Temperature of the second kind", "mass·length²/time²", energy / second,
                         Meaning::energy});
  }
  if (why_not.empty()) {
    const auto pressure = std::find_if(d.scalars.begin(), d.scalars.end(),
                                       [](const Scalar& scalar) { return scalar.id == "pressure_ideal"; });
    d.scalars.insert(
        pressure + 1,
        {"pressure_theory", s.alike ? "Pressure, equation of state (Liu)" : "Pressure, equation of state (Santos)",
         "mass/time²", theory_of_pressure(s, m.right, gas.thermal), Meaning::forces});
  } else {
    d.remarks.push_back(why_not);
  }
  if (s.alike) {
    d.scalars.push_back(value_if(s.pairs > 0, {"free_path", "Mean free path", "length",
                                               s.pairs > 0 ? m.seen.speeds / (2 * s.pairs) : 0, Meaning::collisions}));
    if (why_not.empty())
      d.scalars.push_back({"free_path_enskog", "Mean free path, Enskog", "length",
                           enskog_free_path(gas.fraction, s.radius), Meaning::collisions});
  }
  d.curves.push_back(std::move(speeds));
  if (s.alike && m.seen.centres > 0) d.curves.push_back(distances_curve(m, s, gas, why_not.empty()));
  if (s.alike && s.piston_speed > 0) d.curves.push_back(profile_curve(m, s, d.scalars));
  if (!s.layers.empty()) d.curves.push_back(temperature_curve(m, s, gas));
  if (!s.layers.empty() && s.gravity > 0) d.curves.push_back(height_curve(m, s, gas));
  if (s.halves) {
    double at_random = 1;
    d.scalars.push_back({"mixing", "Entropy of mixing", "", mixing_entropy(m.counts, &at_random), Meaning::shape});
    if (s.mixing.size() > 1) {
      Curve curve = named("mixing", "Entropy of mixing, fraction of its maximum", "Time", "time", "Entropy", "");
      curve.points = s.mixing;
      curve.theory = {{s.mixing.front().x, at_random}, {s.mixing.back().x, at_random}};
      leave_uncompared(curve, "theory is the end of mixing");
      d.curves.push_back(std::move(curve));
    }
  }
  if (s.way.size() > 1) d.curves.push_back(way_curve(m, s, gas));
  if (s.exact && why_not_uniform(s).empty()) {
    Curve curve = volume_curve(m, s, gas);
    if (!curve.points.empty()) d.curves.push_back(std::move(curve));
  }
  if (s.path.size() > 1) {
    Curve path = named("path", "Path of the heavy disc", "x", "length", "y", "length");
    path.points = s.path;
    d.curves.push_back(std::move(path));
  }
  for (Scalar& scalar : d.scalars)
    if (has_value(scalar.value) && !std::isfinite(scalar.value)) scalar.value = 0;
  d.minimum = std::min(sums.low, sums.high);
  d.maximum = std::max(sums.low, sums.high);
  if (sums.first_bad != INT64_MAX) {
    d.finite = false;
    d.error = Message(
        "The position or velocity of disc {} is not finite at step {}. Lower the largest velocity or the speed of "
        "kicks and throws.",
        sums.first_bad, m.step);
  }
  return d;
}

double worst_collisions(const Measured& m, const ReportContext& s) {
  // Discs that are compressed faster than they can form a crystal jam at about this area fraction.
  constexpr double jammed = 0.82;
  const double right = right_wall(m, s), way = std::max(0.0, right - s.wall_end), sweep = std::min(way, s.wall_travel);
  const double end = sweep > 0 ? right - way : right;
  const double from = m.sums.area / (right * s.height), fraction = m.sums.area / (end * s.height);
  double ways = m.seen.speeds / s.count;
  if (s.hottest > 0) ways = std::max(ways, std::sqrt(0.5 * std::numbers::pi * s.hottest) / s.slow);
  if (s.gravity > 0) ways = std::hypot(ways, std::sqrt(s.gravity * s.height) / s.slow);
  if (sweep > 0) {
    const double densest = std::min(fraction, largest_fluid_fraction);
    const double heating = densest > from ? adiabatic_heating(from, densest) : 1;
    // Off the wall discs fly at up to twice its speed.
    ways = std::hypot(ways * std::sqrt(heating), 2 * sweep);
  }
  const double with_walls = ways * (1 / end + 1 / s.height);
  return std::max(expected_collisions(m, s), collisions_on_way(ways, fraction, s.radius, jammed) + with_walls);
}

double collisions_limit() { return 0.25 * max_exact_collisions_per_disc; }

std::vector<Gauge> disc_gauges(const Measured& m, const ReportContext& s) {
  std::vector<Gauge> gauges;
  if (!s.exact) {
    Gauge missed;
    missed.id = "missed";
    missed.label = "missed";
    missed.help =
        "Lower bound of the fraction of missed collisions. A collision is missed if one of the two discs has already "
        "collided in this step; then they pass through each other.";
    missed.value = missed_share(m, s);
    missed.limit = 0.01;
    missed.warn_at = 0.002;
    missed.remedy = "Choose exact collisions, or raise the slow factor.";
    gauges.push_back(missed);
  } else {
    gauges.push_back(rate_gauge(m, s));
    if (s.restitution < 1) gauges.push_back(lossless_gauge(m, s));
  }
  Gauge overlaps;
  overlaps.id = "overlaps";
  overlaps.label = "overlaps";
  overlaps.help = "Pairs of overlapping discs. Hard discs never overlap.";
  overlaps.value = static_cast<double>(m.seen.overlaps);
  overlaps.limit = 0.5;
  overlaps.advisory = true;
  overlaps.remedy = s.exact ? "The discs were placed this way. Restart the scene."
                            : "Choose exact collisions, or raise the slow factor.";
  gauges.push_back(overlaps);
  return gauges;
}

}  // namespace perturb::particles

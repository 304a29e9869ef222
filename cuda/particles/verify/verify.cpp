// The discs against a reference of their own rule, against a plain list of events, and against kinetic theory.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "cuda/particles/measure/theory.h"
#include "cuda/particles/parameters.h"
#include "cuda/particles/verify/checks.h"
#include "cuda/particles/verify/event_reference.h"

namespace perturb::particles {

TheoryCheck check_exact(Backend& backend, bool fast) {
  constexpr int count = 1000;
  const std::map<std::string, double> parameters = {
      {"count", count}, {"box", fast ? 2000 : 80}, {"velocity_max", fast ? 500 : 1}};
  const auto grid = discs_for_check(backend, parameters), pairs = discs_for_check(backend, parameters);
  pairs->select_kernel("all-pairs");
  constexpr int steps = 100;
  grid->step(steps);
  pairs->step(steps);
  return absolute_check(
      fast ? "rounds and space-time cells against the sequential rule, fast discs"
           : "rounds and cells against the sequential rule, dense discs",
      "discs", 0, different_discs(grid->save(), pairs->save(), count), 0,
      "Discs that differ in any bit after 100 steps of 1000 discs from a search of all pairs with the "
      "sequential filter.");
}

TheoryCheck check_energy(Backend& backend, bool fp64) {
  const auto run = discs_for_check(
      backend,
      {{"count", 2000}, {"box", 150}, {"velocity_max", 1}, {"slow_factor", 4}, {"precision", fp64 ? 1.0 : 0.0}});
  const double before = scalar_of(*run, "energy");
  run->step(1000);
  // Each collision rounds a few times; errors add like a random walk over hundreds of collisions per disc.
  return relative_check(fp64 ? "energy after 1000 steps, FP64" : "energy after 1000 steps, FP32", "", before,
                        scalar_of(*run, "energy"), fp64 ? 1e-12 : 1e-4,
                        "Elastic collisions keep the energy; relative.");
}

TheoryCheck check_maxwell(Backend& backend) {
  const auto run = discs_for_check(backend, {{"count", 20000}, {"box", 500}, {"velocity_max", 1}, {"slow_factor", 2}});
  run->step(400);
  // With 20000 discs in about 40 bins, about half a share of sqrt(40 / 20000) of them is in a wrong bin by chance:
  // 0.018.
  return absolute_check(
      "speeds off Maxwell-Boltzmann", "share of discs", 0, scalar_of(*run, "maxwell_error"), 0.03,
      "A uniform distribution of velocities relaxes to (m v/kT) exp(-m v²/2kT). At the start it deviates by 0.16.");
}

TheoryCheck check_piston(Backend& backend) {
  const auto run = discs_for_check(backend, {{"count", 3000},
                                             {"box", 600},
                                             {"velocity_max", 1},
                                             {"velocities", 1},
                                             {"slow_factor", 4},
                                             {"piston_speed", 0.05},
                                             {"piston_end", 0.6},
                                             {"collisions", 1}});
  const double before = scalar_of(*run, "energy");
  run->step(static_cast<std::int64_t>(4 * 600 * 0.4 / 0.05) + 8);
  const double fraction = 3000 * std::numbers::pi / (600.0 * 600.0);
  return relative_check("energy after a slow piston", "mass·length²/time²",
                        before * adiabatic_heating(fraction, fraction / 0.6), scalar_of(*run, "energy"), 0.02,
                        "Adiabatic: d ln T = Z(φ) d ln φ with Liu's Z; relative.");
}

std::vector<TheoryCheck> check_adiabat(Backend& backend) {
  const auto run = discs_for_check(backend, {{"count", 600},
                                             {"box", 140},
                                             {"velocity_max", 1},
                                             {"velocities", 1},
                                             {"slow_factor", 2},
                                             {"piston_speed", 0.03},
                                             {"piston_end", 0.5},
                                             {"collisions", 1}});
  const double before = scalar_of(*run, "energy");
  run->step(static_cast<std::int64_t>(2 * 140 * 0.5 / 0.03));
  const Diagnostics d = run->diagnostics({}, true);
  const Curve* plot = d.curve("pressure_volume");
  if (!plot) throw Error("internal: the discs have no plot of pressure against volume");
  // The adiabat is the first of the two lines; its points are ordered by volume.
  double measured = 0, expected = 0;
  for (const CurvePoint& p : plot->points) {
    std::size_t k = 1;
    while (plot->theory[k].x < p.x && has_value(plot->theory[k + 1].y)) ++k;
    const CurvePoint &low = plot->theory[k - 1], &high = plot->theory[k];
    measured += p.y;
    expected += low.y + (p.x - low.x) / (high.x - low.x) * (high.y - low.y);
  }
  const double points = static_cast<double>(plot->points.size());
  return {
      relative_check("adiabat: mean pressure while a slow piston halves the volume", "mass/time²", expected / points,
                     measured / points, 0.02,
                     "d ln T = -p/NT dV, with the pressure on the walls by Liu's equation of state; relative. About "
                     "11 000 hits on the walls give 0.6 %."),
      relative_check("adiabat: work of the piston", "mass·length²/time²", scalar_of(d, "energy") - before,
                     scalar_of(d, "work"), 1e-8, "Energy gained, to rounding; relative.")};
}

TheoryCheck check_heat(Backend& backend) {
  const auto run = discs_for_check(
      backend, {{"count", 500}, {"box", 120}, {"velocity_max", 1}, {"slow_factor", 2}, {"collisions", 1}});
  run->apply({"flame", {{"x", 0.25}, {"width", 0.4}, {"temperature", 4}}, "", nullptr});
  run->apply({"ice", {{"x", 0.75}, {"width", 0.4}, {"temperature", 0.05}}, "", nullptr});
  const double before = scalar_of(*run, "energy");
  run->step(2000);
  return relative_check("heat from a flame and to ice", "mass·length²/time²", scalar_of(*run, "energy") - before,
                        scalar_of(*run, "heat"), 1e-8,
                        "Energy gained, to rounding: summed in units of 2^-30 of a disc's; relative.");
}

std::vector<TheoryCheck> verify(Backend& backend, bool with_long) {
  std::vector<TheoryCheck> checks = {
      check_exact(backend, false),  check_exact(backend, true), check_energy(backend, true),
      check_energy(backend, false), check_maxwell(backend),
  };
  checks.push_back(check_missed(backend));
  for (const TheoryCheck& check : check_queue(backend)) checks.push_back(check);
  checks.push_back(check_all_collisions(backend));
  checks.push_back(check_step_length(backend));
  for (const TheoryCheck& check : check_million(backend, true)) checks.push_back(check);
  checks.push_back(check_reverse(backend));
  checks.push_back(check_free_path(backend));
  for (const double fraction : {0.1, 0.3, 0.5}) checks.push_back(check_rate(backend, fraction));
  checks.push_back(check_contact(backend));
  checks.push_back(check_displacement(backend));
  for (const TheoryCheck& check : check_mixing(backend, with_long)) checks.push_back(check);
  for (const double fraction : {0.08, 0.3, 0.63})
    checks.push_back(check_pressure(backend, fraction, with_long ? 6e5 : 1.5e5));
  checks.push_back(check_pressure(backend, 0.3, with_long ? 6e5 : 1.5e5, false));
  checks.push_back(check_mixture(backend, with_long ? 6e5 : 1.5e5));
  checks.push_back(check_crystal(backend, with_long ? 2e5 : 5e4));
  for (const TheoryCheck& check : check_cooling(backend)) checks.push_back(check);
  for (const TheoryCheck& check : check_adiabat(backend)) checks.push_back(check);
  checks.push_back(check_heat(backend));
  if (!with_long) return checks;
  for (const TheoryCheck& check : check_million(backend, false)) checks.push_back(check);
  for (const double fraction : {0.2, 0.45, 0.55}) checks.push_back(check_pressure(backend, fraction, 6e5));
  for (const TheoryCheck& check : check_shock(backend)) checks.push_back(check);
  checks.push_back(check_piston(backend));
  return checks;
}

// ---- rules
//
// The two rules of collision against a plain list of events, the collisions that the paper's rule misses, and mixing.

namespace {

template <class Real>
TheoryCheck against_queue(std::string name, Simulation& run, int steps, std::string note) {
  const double slow = run.parameters().get("slow_factor");
  EventReference<Real> queue(run.save(), run.domain_width(), run.domain_height(), run.parameters().get("radius"), slow);
  int events = 0, different = 0;
  for (int k = 0; k < steps; ++k) {
    run.step(1);
    queue.step();
    events += queue.events;
    different = std::max(different, queue.differences(run.save(), slow));
  }
  note += "; discs that ever differ in any bit from a single list of all collisions, computed one after the other: " +
          std::to_string(events) + " in " + std::to_string(steps) + " steps.";
  return absolute_check(std::move(name), "discs", 0, different, 0, std::move(note));
}

// A square lattice of discs; groups of four collide in the middle between them, all at the same time.
std::unique_ptr<Simulation> tied_discs(Backend& backend) {
  constexpr std::size_t side = 20, count = side * side;
  auto run = discs_for_check(backend, {{"count", count}, {"box", 82}, {"arrangement", 3}, {"collisions", 1}});
  State state = run->save();
  std::vector<double> position(2 * count), velocity(2 * count);
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t i = k % side, j = k / side, at = k * 377 % count;  // ids are not in order in any direction
    position[2 * at] = 3 + 4. * static_cast<double>(i);
    position[2 * at + 1] = 3 + 4. * static_cast<double>(j);
    velocity[2 * at] = i % 2 ? -1.5 : 1.5;
    velocity[2 * at + 1] = j % 2 ? -1.5 : 1.5;
  }
  state.put<double>("position", {count, 2}, "length", position);
  state.put<double>("velocity", {count, 2}, "length/time", velocity);
  run->load(state);
  return run;
}

// Entropy of mixing after a time, relative to its maximum, when discs from the left half of a box of this width spread
// by diffusion whose first steps are straight: c = 1/2 + sum 2/(n pi) sin(n pi/2) cos(n pi x/L) exp(-D (n pi/L)² m), n
// odd, where m = t - t'(1 - exp(-t/t')), t' = D/kT. Averaged over each of the columns that are counted.
double entropy_by_diffusion(double width, double diffusion, double thermal, double time) {
  using std::numbers::pi;
  constexpr int columns = 16, points = 8, terms = 60;
  const double memory = diffusion / thermal, mean = time - memory * (1 - std::exp(-time / memory));
  double sum = 0;
  for (int column = 0; column < columns; ++column) {
    double c = 0;
    for (int p = 0; p < points; ++p) {
      const double x = (column + (p + 0.5) / points) / columns;
      double here = 0.5;
      for (int n = 1; n < terms; n += 2)
        here += 2 / (n * pi) * std::sin(0.5 * n * pi) * std::cos(n * pi * x) *
                std::exp(-diffusion * std::pow(n * pi / width, 2) * mean);
      c += here / points;
    }
    if (c > 0 && c < 1) sum -= (c * std::log(c) + (1 - c) * std::log(1 - c)) / columns;
  }
  return sum / std::numbers::ln2;
}

}  // namespace

std::vector<TheoryCheck> check_queue(Backend& backend) {
  const std::map<std::string, double> dense = {{"count", 1000}, {"box", 72}, {"velocity_max", 1.5}, {"collisions", 1}};
  auto single = dense;
  single["precision"] = static_cast<double>(Precision::fp32);
  return {against_queue<double>("exact: against a queue of events, dense discs", *discs_for_check(backend, dense), 10,
                                "1000 discs at φ = 0.61"),
          against_queue<double>(
              "exact: against a queue of events, fast discs",
              *discs_for_check(backend, {{"count", 700}, {"box", 1000}, {"velocity_max", 250}, {"collisions", 1}}), 6,
              "700 discs that cross a quarter of the box in a step"),
          against_queue<double>("exact: against a queue of events, ties", *tied_discs(backend), 12,
                                "400 discs in groups of four that collide at the same time"),
          against_queue<float>("exact: against a queue of events, dense discs, FP32", *discs_for_check(backend, single),
                               10, "1000 discs at φ = 0.61")};
}

TheoryCheck check_missed(Backend& backend) {
  std::map<std::string, double> fast = {{"count", 1000}, {"box", 20000}, {"velocity_max", 5000}};
  const auto one = discs_for_check(backend, fast);
  fast["collisions"] = 1;
  const auto exact = discs_for_check(backend, fast);
  for (Simulation* run : {one.get(), exact.get()}) {
    run->diagnostics({}, true);
    run->step(400);
  }
  const double there = scalar_of(*exact, "collisions"), found = scalar_of(*one, "collisions");
  return absolute_check("one: fraction of missed collisions, by the gauge", "", 1 - found / there,
                        scalar_of(*one, "missed_share"), 0.05,
                        "Collisions found with one per step compared with exact from the same start, 400 steps of fast "
                        "discs. The gauge derives it from one per step only.");
}

TheoryCheck check_step_length(Backend& backend) {
  constexpr std::size_t count = 500;
  const auto after = [&](double slow, int steps) {
    const auto run = discs_for_check(
        backend, {{"count", count}, {"box", 80}, {"velocity_max", 1}, {"slow_factor", slow}, {"collisions", 1}});
    run->step(steps);
    return run->save().get<double>("position", {count, 2});
  };
  const std::vector<double> coarse = after(1, 4), fine = after(64, 256);
  double max_error = 0;
  for (std::size_t k = 0; k < coarse.size(); ++k) max_error = std::max(max_error, std::abs(coarse[k] - fine[k]));
  return absolute_check("exact: positions after 4 steps and after 256 of 1/64", "length", 0, max_error, 1e-9,
                        "Largest difference of a coordinate: rounding, which each collision amplifies.");
}

std::vector<TheoryCheck> check_mixing(Backend& backend, bool with_long) {
  // Thin gas, both halves equal, until diffusion has fallen to exp(-1/2), and to exp(-3).
  constexpr double count = 5000, box = 240, aspect = 0.5, radius = 0.1;
  const auto run = discs_for_check(backend, {{"count", count},
                                             {"box", box},
                                             {"aspect", aspect},
                                             {"radius", radius},
                                             {"velocity_max", 2},
                                             {"velocities", 1},
                                             {"arrangement", 1},
                                             {"cold", 1},
                                             {"collisions", 1}});
  const double thermal = scalar_of(*run, "energy") / count;
  const double fraction = fraction_between_walls(count, radius, box, aspect * box),
               diffusion = enskog_diffusion(fraction, radius, thermal),
               fall = box * box / (std::numbers::pi * std::numbers::pi * diffusion);
  const auto mixing_after = [&](double time) {
    while (run->time() < time) {
      run->step(50);
      run->diagnostics({}, true);
    }
    return scalar_of(*run, "mixing");
  };
  // A cell of n discs at random positions lacks 1/2n of its entropy in the mean (Miller 1955); 16 x 16 cells.
  const double random = 0.5 * 256 / (count * std::numbers::ln2);
  const double half = mixing_after(0.5 * fall);
  std::vector<TheoryCheck> checks = {absolute_check("exact: entropy of mixing half-way", "",
                                                    entropy_by_diffusion(box, diffusion, thermal, run->time()) - random,
                                                    half, 0.03,
                                                    "Fraction of its maximum; diffusion of a step profile with "
                                                    "Enskog's D, minus the random part in 256 cells (Miller 1955).")};
  if (!with_long) return checks;
  const double end = mixing_after(3 * fall);
  checks.push_back(absolute_check("exact: entropy of mixing at the end", "",
                                  entropy_by_diffusion(box, diffusion, thermal, run->time()) - random, end, 0.01,
                                  "The same after six times as long; fully mixed it is 1 minus the random part."));
  return checks;
}

// ---- gas
//
// The rule `exact` against kinetic theory: pressure, free path, a shock, reversal.

namespace {

double box_for(double count, double fraction) { return std::sqrt(count * std::numbers::pi / fraction); }

std::string with_fraction(const char* what, double fraction) {
  return std::string(what) + " at φ = 0." + (fraction < 0.1 ? "0" : "") +
         std::to_string(static_cast<int>(std::lround(fraction * 100)));
}

// Of at least that many steps. What is measured is a mean over the last 2048.
double mean_over(Simulation& run, const char* id, double steps) {
  constexpr int window = 2048;
  const int windows = std::max(1, static_cast<int>(std::ceil(steps / window)));
  double sum = 0;
  for (int k = 0; k < windows; ++k) {
    run.step(window);
    sum += scalar_of(run, id);
  }
  return sum / windows;
}

double pair_collisions(const State& state) {
  const std::size_t n = state.datasets.at("position").shape[0];
  double sum = 0;
  for (const std::uint32_t each : state.get<std::uint32_t>("disc_collisions", {n})) sum += 0.5 * each;
  return sum;
}

}  // namespace

TheoryCheck check_all_collisions(Backend& backend) {
  constexpr int count = 1000;
  const std::map<std::string, double> parameters = {
      {"count", count}, {"box", 72}, {"velocity_max", 1.5}, {"collisions", 1}};
  const auto cells = discs_for_check(backend, parameters), pairs = discs_for_check(backend, parameters);
  pairs->select_kernel("all-pairs");
  cells->step(20);
  pairs->step(20);
  return absolute_check(
      "exact: cells against all pairs, dense discs", "discs", 0, different_discs(cells->save(), pairs->save(), count),
      0, "Discs that differ in any bit after 20 steps, with more than two collisions per disc and step.");
}

std::vector<TheoryCheck> check_million(Backend& backend, bool fp64) {
  constexpr double count = 2000;
  const auto run = discs_for_check(backend, {{"count", count},
                                             {"box", box_for(count, 0.5)},
                                             {"velocity_max", 1},
                                             {"collisions", 1},
                                             {"precision", fp64 ? 1.0 : 0.0}});
  const double before = scalar_of(*run, "energy");
  while (pair_collisions(run->save()) < 1e6) run->step(100);
  const Diagnostics after = run->diagnostics({}, true);
  const std::string precision = fp64 ? "" : ", FP32";
  return {relative_check("exact: energy over a million collisions" + precision, "", before, scalar_of(after, "energy"),
                         fp64 ? 1e-12 : 1e-5, "Elastic collisions keep the energy; 2000 discs at φ = 0.50; relative."),
          absolute_check(
              "exact: overlapping pairs after these" + precision, "pairs", 0, scalar_of(after, "overlaps"), 0,
              fp64 ? "Pairs of discs closer than 2r (1 - 5e-10)."
                   : "Pairs of discs closer than 2r by more than eight rounding errors of a position in the box.")};
}

TheoryCheck check_pressure(Backend& backend, double fraction, double wall_hits, bool fp64) {
  constexpr double count = 1500;
  const double box = box_for(count, fraction);
  const auto run = discs_for_check(backend, {{"count", count},
                                             {"box", box},
                                             {"velocity_max", 1},
                                             {"velocities", 1},
                                             {"collisions", 1},
                                             {"precision", fp64 ? 1.0 : 0.0}});
  const double thermal = scalar_of(*run, "energy") / count;
  // A dense start on a lattice must melt first.
  run->step(std::max(100, static_cast<int>(400 * fraction * fraction * 4)));
  const double expected = pressure_on_walls(count, 1, box, box, thermal);
  const double rate = expected * 4 * box / (2 * std::sqrt(0.5 * std::numbers::pi * thermal));
  run->load(run->save());  // discards the measurements during melting
  scalar_of(*run, "pressure");
  run->step(static_cast<std::int64_t>(wall_hits / rate));
  const Diagnostics d = run->diagnostics({}, true);
  return relative_check(with_fraction("exact: pressure on the walls", fraction) + (fp64 ? "" : ", FP32"), "mass/time²",
                        scalar_of(d, "pressure_theory"), scalar_of(d, "pressure"), 0.01,
                        "n kT (1 + φ²/8 + φ³/18 - 4φ⁴/21)/(1 - φ)², Liu (2020), stable fluid φ < 0.70, at the density "
                        "between the layers at the walls, less what these lose in corners (scaled particle theory); "
                        "1500 discs; relative.");
}

TheoryCheck check_mixture(Backend& backend, double wall_hits) {
  constexpr double count = 2000, fraction = 0.45;
  const double box = box_for(count, fraction / 2.5);  // radii 1 and 2, as many of each
  const auto run = discs_for_check(backend, {{"count", count},
                                             {"box", box},
                                             {"velocity_max", 1},
                                             {"velocities", 1},
                                             {"second_share", 0.5},
                                             {"second_radius", 2},
                                             {"second_mass", 4},
                                             {"collisions", 1}});
  // Until the kinds have shared their energy, which they begin with in proportion to their masses.
  run->step(200);
  const double thermal = scalar_of(*run, "energy") / count;
  run->load(run->save());
  // Hits per time: n √(kT/2πm) of each kind at contact, where pressure is n kT; about.
  const double rate = 4 * box * count / (box * box) * 3.2 * std::sqrt(thermal / (2 * std::numbers::pi * 2));
  const double got = mean_over(*run, "pv_nt", wall_hits / rate);
  const Diagnostics d = run->diagnostics({}, true);
  return relative_check("exact: pV/(N T) of a mixture of two sizes at φ = 0.45", "", scalar_of(d, "pv_nt_theory"), got,
                        0.01,
                        "Z = (1 - ξ)/(1 - φ) + ξ Z(φ), ξ = <r>²/<r²>, Z(φ) of equal discs (Santos, Yuste and López de "
                        "Haro 1999; Liu 2020), less the layers at the walls; 1000 discs each of radius 1 and mass 1 "
                        "and of radius 2 and mass 4; relative.");
}

TheoryCheck check_crystal(Backend& backend, double wall_hits) {
  // Rows of a triangular lattice in a box that holds them in contact, with all its lengths stretched.
  constexpr int across = 36, up = 42;
  constexpr double alpha = 0.06;
  const double stretch = std::sqrt(1 + alpha), row = std::sqrt(3.0);
  const double width = stretch * (2 * across + 1), height = stretch * (2 + row * (up - 1));
  constexpr std::size_t count = static_cast<std::size_t>(across) * up;
  const auto run = discs_for_check(backend, {{"count", count},
                                             {"box", width},
                                             {"aspect", height / width},
                                             {"arrangement", 3},
                                             {"velocity_max", 0.5},
                                             {"slow_factor", 8},
                                             {"collisions", 1}});
  State state = run->save();
  std::vector<double> position, velocity;
  std::mt19937 random(3210);
  const auto component = [&] { return 0.5 * (2 * (random() / 4294967296.0) - 1); };
  for (int j = 0; j < up; ++j)
    for (int i = 0; i < across; ++i) {
      position.insert(position.end(), {stretch * (1 + 2 * i + j % 2), stretch * (1 + row * j)});
      velocity.insert(velocity.end(), {component(), component()});
    }
  state.put<double>("position", {count, 2}, "length", position);
  state.put<double>("velocity", {count, 2}, "length/time", velocity);
  run->load(state);
  run->step(200);
  run->load(run->save());
  const double thermal = scalar_of(*run, "energy") / count, area = width * height;
  const double expected = 2 / alpha + 1.90 + 0.67 * alpha;
  const double rate =
      expected * count * thermal / area * 2 * (width + height) / (2 * std::sqrt(0.5 * std::numbers::pi * thermal)) / 8;
  const double pressure = mean_over(*run, "pressure", wall_hits / rate);
  return relative_check("exact: pV/(N T) of a crystal, A/A0 = 1.06", "", expected, pressure * area / (count * thermal),
                        0.02,
                        "2/α + 1.90 + 0.67 α, α = A/A0 - 1 (Alder, Hoover and Young, J. Chem. Phys. 49 (1968) 3688), "
                        "A0 of the box that holds the 1512 discs in contact; walls change the constant term by about "
                        "the part of discs at them; relative.");
}

std::vector<TheoryCheck> check_cooling(Backend& backend) {
  constexpr double count = 10000, fraction = 0.2, restitution = 0.95, loss = 1 - restitution * restitution;
  const double box = box_for(count, fraction);
  const auto run = discs_for_check(
      backend,
      {{"count", count}, {"box", box}, {"velocity_max", 1}, {"velocities", 1}, {"slow_factor", 16}, {"collisions", 1}});
  run->step(800);  // Elastic: the random start becomes a fluid.
  run->set_parameter("restitution", restitution);
  const auto hits = [&] {
    double walls = 0;
    const State state = run->save();
    for (const std::uint32_t each : state.get<std::uint32_t>("wall_collisions", {static_cast<std::size_t>(count)}))
      walls += each;
    return walls + pair_collisions(state);
  };
  const double begin = hits(), before = scalar_of(*run, "energy"), thermal = before / count, start = run->time();
  while (hits() - begin < 0.5 * 15 * count) run->step(100);
  const double cooled = scalar_of(*run, "energy") / before;
  // dT/dt = -(1 - e²) K T^(3/2), where each disc has K √T collisions: half of Enskog's with discs, and with walls.
  const double inner = fraction_between_walls(count, 1, box, box), density = inner / std::numbers::pi;
  const double rate = std::sqrt(std::numbers::pi) * density * 2 * contact_value(inner) +
                      pressure_on_walls(count, 1, box, box, 1) * 4 * box / (count * std::sqrt(2 * std::numbers::pi));
  // Velocities are not distributed as in equilibrium: van Noije and Ernst, Granular Matter 1 (1998) 57, first order in
  // the second Sonine coefficient. That the velocities of neighbours become alike is left out, so the time is short.
  const double e2 = restitution * restitution;
  const double sonine = 16 * (1 - restitution) * (1 - 2 * e2) / (57 - 25 * restitution + 30 * e2 * (1 - restitution));
  const double by_number = 1 + sonine / 4, by_time = 1 + 3 * sonine / 16;
  const double slower = 1 + 0.5 * loss * by_time * rate * std::sqrt(thermal) * (run->time() - start);
  const char* const note =
      "10000 discs at φ = 0.20, restitution 0.95, about 15 collisions of each disc; one, with a wall too, "
      "loses (1 - e²) (1 + a/4) T in the mean, with van Noije and Ernst's (1998) second Sonine coefficient a; "
      "relative. ";
  return {relative_check("exact: energy left after lossy collisions, by their number", "",
                         std::exp(-loss * by_number * (hits() - begin) / count), cooled, 0.01,
                         std::string(note) + "exp(-(1 - e²) (1 + a/4) collisions/N)."),
          relative_check("exact: energy left after lossy collisions, by time", "", 1 / (slower * slower), cooled, 0.04,
                         std::string(note) + "Haff's law, 1/(1 + t/t0)² (J. Fluid Mech. 134 (1983) 401), with Enskog's "
                                             "rate, which is 1 to 2 % too high (see collisions per disc).")};
}

TheoryCheck check_free_path(Backend& backend) {
  constexpr double count = 4000, fraction = 0.3;
  const auto run = discs_for_check(
      backend,
      {{"count", count}, {"box", box_for(count, fraction)}, {"velocity_max", 1}, {"velocities", 1}, {"collisions", 1}});
  run->step(50);
  run->load(run->save());
  scalar_of(*run, "free_path");
  run->step(300);
  const Diagnostics d = run->diagnostics({}, true);
  return relative_check("exact: mean free path at φ = 0.30", "length", scalar_of(d, "free_path_enskog"),
                        scalar_of(d, "free_path"), 0.02, "Enskog, π r/(4√2 φ χ); relative.");
}

TheoryCheck check_rate(Backend& backend, double fraction) {
  constexpr double count = 4000;
  const double box = box_for(count, fraction);
  const auto run = discs_for_check(
      backend, {{"count", count}, {"box", box}, {"velocity_max", 1}, {"velocities", 1}, {"collisions", 1}});
  run->step(100);
  run->load(run->save());  // discards the collisions of the melting lattice
  const double thermal = scalar_of(*run, "energy") / count;
  run->step(200);
  run->diagnostics({}, true);
  double got = std::nan("");
  for (const Gauge& gauge : run->gauges())
    if (gauge.id == "rate") got = gauge.value;
  // 2√π n σ χ √(kT/m) of discs of radius 1 and mass 1, with the contact value χ = (Z - 1)/2φ of Liu's Z, at the density
  // between the layers at the walls.
  const double inner = fraction_between_walls(count, 1, box, box);
  const double mixture =
      (1 + inner * inner * (1.0 / 8 + inner / 18 - inner * inner * 4 / 21)) / ((1 - inner) * (1 - inner));
  const double contact = (mixture - 1) / (2 * inner), density = inner / std::numbers::pi;
  const double expected = 2 * std::sqrt(std::numbers::pi * thermal) * density * 2 * contact;
  return relative_check(with_fraction("exact: collisions per disc, by the gauge,", fraction), "1/step", expected, got,
                        0.03,
                        "Enskog's rate 2√π n σ χ √(kT/m) with the contact value of Liu's equation of state; 4000 "
                        "discs, 200 steps; relative.");
}

TheoryCheck check_reverse(Backend& backend) {
  constexpr double count = 1000;
  const auto run = discs_for_check(
      backend, {{"count", count}, {"box", box_for(count, 0.3)}, {"velocity_max", 1}, {"collisions", 1}});
  run->step(6);
  const double away = scalar_of(*run, "distance");
  run->apply({"reverse", {}, "", nullptr});
  run->step(6);
  return absolute_check("exact: distance from the start after reversal", "of the path", 0,
                        scalar_of(*run, "distance") / away, 1e-6,
                        "All velocities reversed after 6 steps and about four collisions per disc, FP64.");
}

std::vector<TheoryCheck> check_shock(Backend& backend) {
  const auto run = discs_for_check(backend, {{"count", 24000},
                                             {"box", 960},
                                             {"aspect", 0.3},
                                             {"velocity_max", 0.4},
                                             {"velocities", 1},
                                             {"collisions", 1},
                                             {"piston_speed", 1},
                                             {"piston_end", 0.2}});
  run->step(220);
  const Diagnostics d = run->diagnostics({}, true);
  const char* const note =
      "Rankine-Hugoniot conditions with Liu's equation of state; a piston at speed 1 into φ = 0.27 at kT = 0.053; "
      "relative.";
  return {relative_check("exact: speed of a shock", "length/time", scalar_of(d, "shock_speed_theory"),
                         scalar_of(d, "shock_speed"), 0.01, note),
          relative_check("exact: area fraction behind a shock", "", scalar_of(d, "shock_fraction_theory"),
                         scalar_of(d, "shock_fraction"), 0.01, note)};
}

// ---- statistics
//
// The rule `exact` against theory for pairs and for long paths: the density around a disc at contact, and the
// displacement of a disc.

namespace {

const Curve& curve_of(const Diagnostics& diagnostics, const char* id) {
  if (const Curve* curve = diagnostics.curve(id)) return *curve;
  throw Error("internal: the discs draw no {}", id);
}

std::unique_ptr<Simulation> gas_of(Backend& backend, double count, double fraction) {
  return discs_for_check(backend, {{"count", count},
                                   {"box", std::sqrt(count * std::numbers::pi / fraction)},
                                   {"velocity_max", 1},
                                   {"velocities", 1},
                                   {"collisions", 1}});
}

}  // namespace

TheoryCheck check_contact(Backend& backend) {
  const auto run = gas_of(backend, 4000, 0.3);
  run->step(30);
  // The first three distances from contact on, half a bin, one and a half and two and a half beyond it, averaged over
  // many times; the parabola through them is extrapolated to contact.
  constexpr int moments = 120;
  double g[3] = {0, 0, 0}, expected = 0;
  for (int k = 0; k < moments; ++k) {
    run->step(4);
    const Diagnostics d = run->diagnostics({}, true);
    const Curve& pairs = curve_of(d, "pair_correlation");
    expected = pairs.theory.back().y;
    const auto first =
        std::find_if(pairs.points.begin(), pairs.points.end(), [](const CurvePoint& p) { return p.x > 2; });
    if (pairs.points.end() - first < 3) throw Error("internal: the pair correlation ends at contact");
    for (int bin = 0; bin < 3; ++bin) g[bin] += (first + bin)->y / moments;
  }
  return relative_check("exact: pair correlation at contact, φ = 0.30", "", expected,
                        (15 * g[0] - 10 * g[1] + 3 * g[2]) / 8, 0.03,
                        "(Z - 1)/(2 φ) with Liu's equation of state, because pairs in contact determine the pressure.");
}

TheoryCheck check_displacement(Backend& backend) {
  const auto run = gas_of(backend, 20000, 0.05);
  run->step(50);
  run->load(run->save());  // the displacement starts here
  Diagnostics d = run->diagnostics({}, true);
  for (int k = 0; k < 15; ++k) {
    run->step(5);
    d = run->diagnostics({}, true);
  }
  const Curve& way = curve_of(d, "displacement");
  return relative_check(
      "exact: mean squared displacement, φ = 0.05", "length²", way.theory.back().y, way.points.back().y, 0.04,
      "4 D (t - t' (1 - exp(-t/t'))) between reflecting walls, with Enskog's D, which assumes uncorrelated collisions "
      "and is the first term of a series. Both approximations together cost about 2 % in a dilute gas; relative.");
}

}  // namespace perturb::particles

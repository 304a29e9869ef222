// The rule `exact` against kinetic theory: pressure, free path, a shock, reversal.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "cuda/particles/measure/theory.h"
#include "cuda/particles/model/checks.h"

namespace perturb::particles {

namespace {

double box_for(double count, double fraction) { return std::sqrt(count * std::numbers::pi / fraction); }

std::string with_fraction(const char* what, double fraction) {
  return std::string(what) + " at φ = 0." + (fraction < 0.1 ? "0" : "") +
         std::to_string(static_cast<int>(std::lround(fraction * 100)));
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
  cells->step(20), pairs->step(20);
  return absolute_check("exact: cells against all pairs, dense discs", "discs", 0,
                        different_discs(cells->save(), pairs->save(), count), 0,
                        "Discs that differ in any bit after 20 steps, with more than two collisions a disc and step.");
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
          absolute_check("exact: overlapping pairs after them" + precision, "pairs", 0, scalar_of(after, "overlaps"), 0,
                         fp64 ? "Pairs of discs closer than 2r (1 - 5e-10)."
                              : "Pairs of discs closer than 2r by more than eight roundings of a place in the box.")};
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
                        scalar_of(d, "free_path"), 0.02, "Enskog's, π r/(4√2 φ χ); relative.");
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
  const double compressibility =
      (1 + inner * inner * (1.0 / 8 + inner / 18 - inner * inner * 4 / 21)) / ((1 - inner) * (1 - inner));
  const double contact = (compressibility - 1) / (2 * inner), density = inner / std::numbers::pi;
  const double expected = 2 * std::sqrt(std::numbers::pi * thermal) * density * 2 * contact;
  return relative_check(with_fraction("exact: collisions a disc, by the gauge,", fraction), "1/step", expected, got,
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
  return absolute_check("exact: distance from the start after the way back", "of the way out", 0,
                        scalar_of(*run, "distance") / away, 1e-6,
                        "All velocities turned after 6 steps and some four collisions a disc, FP64.");
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
      "Rankine and Hugoniot's conditions with Liu's equation of state; a piston at speed 1 into φ = 0.27 at kT = "
      "0.053; "
      "relative.";
  return {relative_check("exact: speed of a shock", "length/time", scalar_of(d, "shock_speed_theory"),
                         scalar_of(d, "shock_speed"), 0.01, note),
          relative_check("exact: area fraction behind a shock", "", scalar_of(d, "shock_fraction_theory"),
                         scalar_of(d, "shock_fraction"), 0.01, note)};
}

}  // namespace perturb::particles

// The two rules of collision against a plain list of events, the collisions that the paper's rule misses, and mixing.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "cuda/particles/measure/theory.h"
#include "cuda/particles/model/checks.h"
#include "cuda/particles/parameters.h"
#include "cuda/particles/verify/event_reference.h"

namespace perturb::particles {

namespace {

template <class Real>
TheoryCheck against_queue(std::string name, Simulation& run, int steps, std::string note) {
  const double slow = run.parameters().get("slow_factor");
  EventReference<Real> queue(run.save(), run.domain_width(), run.domain_height(), run.parameters().get("radius"), slow);
  int events = 0, different = 0;
  for (int k = 0; k < steps; ++k) {
    run.step(1), queue.step(), events += queue.events;
    different = std::max(different, queue.differences(run.save(), slow));
  }
  note += "; discs that ever differ in any bit from one list of all collisions, done one after the other: " +
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
    position[2 * at] = 3 + 4. * static_cast<double>(i), position[2 * at + 1] = 3 + 4. * static_cast<double>(j);
    velocity[2 * at] = i % 2 ? -1.5 : 1.5, velocity[2 * at + 1] = j % 2 ? -1.5 : 1.5;
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
  single["precision"] = static_cast<double>(DiscPrecision::fp32);
  return {against_queue<double>("exact: against a queue of events, dense discs", *discs_for_check(backend, dense), 10,
                                "1000 discs at φ = 0.61"),
          against_queue<double>(
              "exact: against a queue of events, fast discs",
              *discs_for_check(backend, {{"count", 700}, {"box", 1000}, {"velocity_max", 250}, {"collisions", 1}}), 6,
              "700 discs that cross a quarter of the box in a step"),
          against_queue<double>("exact: against a queue of events, ties", *tied_discs(backend), 12,
                                "400 discs, four of which meet at the same moment, everywhere"),
          against_queue<float>("exact: against a queue of events, dense discs, FP32", *discs_for_check(backend, single),
                               10, "1000 discs at φ = 0.61")};
}

TheoryCheck check_missed(Backend& backend) {
  std::map<std::string, double> fast = {{"count", 1000}, {"box", 20000}, {"velocity_max", 5000}};
  const auto one = discs_for_check(backend, fast);
  fast["collisions"] = 1;
  const auto exact = discs_for_check(backend, fast);
  for (Simulation* run : {one.get(), exact.get()}) run->diagnostics({}, true), run->step(400);
  const double there = scalar_of(*exact, "collisions"), found = scalar_of(*one, "collisions");
  return absolute_check("one: share of collisions missed, by the gauge", "", 1 - found / there,
                        scalar_of(*one, "missed_share"), 0.05,
                        "What the rule one finds beside what the rule exact finds from the same start, 400 steps of "
                        "fast discs; the gauge has it from the source's rule alone.");
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
  double most = 0;
  for (std::size_t k = 0; k < coarse.size(); ++k) most = std::max(most, std::abs(coarse[k] - fine[k]));
  return absolute_check("exact: places after 4 steps and after 256 of a 64th", "length", 0, most, 1e-9,
                        "The largest difference of a coordinate; rounding, which each collision multiplies.");
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
    while (run->time() < time) run->step(50), run->diagnostics({}, true);
    return scalar_of(*run, "mixing");
  };
  // A cell of n discs at random positions lacks 1/2n of its entropy in the mean (Miller 1955); 16 x 16 cells.
  const double random = 0.5 * 256 / (count * std::numbers::ln2);
  const double half = mixing_after(0.5 * fall);
  std::vector<TheoryCheck> checks = {absolute_check(
      "exact: entropy of mixing half-way", "", entropy_by_diffusion(box, diffusion, thermal, run->time()) - random,
      half, 0.03,
      "Of its most; diffusion with Enskog's D from a step, less what chance leaves in 256 cells (Miller 1955).")};
  if (!with_long) return checks;
  const double end = mixing_after(3 * fall);
  checks.push_back(absolute_check("exact: entropy of mixing at the end", "",
                                  entropy_by_diffusion(box, diffusion, thermal, run->time()) - random, end, 0.01,
                                  "The same after six times as long; at random it is 1 less what chance leaves."));
  return checks;
}

}  // namespace perturb::particles

#include "cuda/membrane/measure/estimate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cuda/core/simulation/setup.h"
#include "cuda/core/simulation/uncompared.h"
#include "cuda/membrane/model/solution.h"
#include "cuda/membrane/setup.h"

namespace perturb::membrane {

namespace {

constexpr int ways_without_enrichment = 3;  // of the curves of convergence: h, p and hp; the same enriched follow

// A vector in the space of one degree more: functions are ordered by degree, so the old ones come first.
std::vector<double> embedded(const Structure& from, const Structure& to, const Array<double>& vector) {
  const std::vector<double> old = vector.download();
  std::vector<double> out(static_cast<std::size_t>(to.unknowns));
  for (std::size_t i = 0; i < from.patches.size(); ++i) {
    const Patch &p = from.patches[i], &q = to.patches[i];
    std::copy_n(old.begin() + p.first, membrane_functions(p.degree), out.begin() + q.first);
    if (p.enriched && q.enriched)
      out[static_cast<std::size_t>(q.first + q.functions() - 1)] =
          old[static_cast<std::size_t>(p.first + p.functions() - 1)];
  }
  return out;
}

// Norm of the coefficients of this degree, with the norms of the Legendre products.
double size_of_degree(const double* coefficients, int degree) {
  double sum = 0;
  for (int b = 0; b <= degree; ++b) {
    const double c = coefficients[function_of(degree - b, b)];
    sum += c * c / ((2 * (degree - b) + 1) * (2 * b + 1));
  }
  return std::sqrt(sum);
}

// Expected gain per unknown: the logarithm of the factor by which a refinement lowers the patch's error. One degree
// more multiplies the error by the decay of the coefficients; splitting the cell multiplies it by 2^-p if the solution
// is smooth.
double expected_gain_of_degree(int p, double decay) { return std::log(1 / std::max(decay, 1e-6)) / (p + 2); }
double expected_gain_of_split(int p) { return p * std::log(2.0) / (1.5 * (p + 1) * (p + 2)); }

}  // namespace

double Estimate::total() const { return std::sqrt(std::accumulate(square.begin(), square.end(), 0.0)); }

Estimate membrane_estimate(Backend& backend, const Discretisation& d, const Parameters& p) {
  if (d.cover().highest_degree() > max_estimated_degree)
    throw InputError(
        "Cannot estimate the error: this needs one degree more than the patches have, and {} is the highest. Lower the "
        "degree to {}.",
        membrane_max_degree, max_estimated_degree);
  std::vector<Leaf> leaves = d.cover().leaves();
  for (Leaf& leaf : leaves) ++leaf.degree;
  const Cover cover(std::move(leaves));
  require_memory(backend, Discretisation::bytes(cover, p.overlap, membrane_domain(p)), "An estimate of the error needs",
                 smaller);
  Discretisation enriched(backend, cover, p);
  const Form form = membrane_form(p, cover.highest_degree());
  enriched.assemble(Kernel::tensor, form, true, true);
  const Structure &from = d.structure(), &to = enriched.structure();
  Solver& solver = enriched.solver();
  const auto n = static_cast<std::size_t>(to.unknowns);
  Array<double> u(backend, n, "solution of one degree more"), quadrature(backend, n, "lag of one degree more"),
      rest(backend, n, "residual"), answer(backend, n, "answers of patches"), spare(backend, n, "product");
  u.upload(embedded(from, to, d.solution()));
  if (p.is_complex()) quadrature.upload(embedded(from, to, d.quadrature()));
  solver.prepare(enriched.matrix(std::abs(p.shift())), form, Preconditioner::patch);
  Estimate estimate;
  estimate.square.assign(from.patches.size(), 0);
  estimate.decay.assign(from.patches.size(), 0);
  // Real and imaginary part of the residual of a complex response: F - A u + k c M q, and -(A q + k c M u), with the
  // quadrature q.
  for (const bool real_part : {true, false}) {
    if (!real_part && !p.is_complex()) break;
    const double coupling = p.damping * p.frequency;
    solver.apply(enriched.matrix(p.shift()), real_part ? u.data() : quadrature.data(), rest.data());
    solver.combine(-1, rest.data(), real_part ? 1 : 0, enriched.load().data(), 0, nullptr, rest.data());
    if (p.is_complex()) {
      solver.apply(enriched.mass_matrix(), real_part ? quadrature.data() : u.data(), spare.data());
      solver.combine(1, rest.data(), real_part ? coupling : -coupling, spare.data(), 0, nullptr, rest.data());
    }
    solver.precondition(Preconditioner::patch, rest.data(), answer.data());
    const std::vector<double> r = rest.download(), z = answer.download(), own = u.download();
    for (std::size_t i = 0; i < to.patches.size(); ++i) {
      const Patch& patch = to.patches[i];
      for (int k = 0; k < patch.functions(); ++k)
        estimate.square[i] +=
            r[static_cast<std::size_t>(patch.first + k)] * z[static_cast<std::size_t>(patch.first + k)];
      if (!real_part || patch.degree < 0) continue;
      const double below = size_of_degree(own.data() + patch.first, patch.degree - 1);
      const double above = size_of_degree(z.data() + patch.first, patch.degree);
      estimate.decay[i] = below > 0 ? above / below : 1;
    }
  }
  return estimate;
}

Cover membrane_refined(const Cover& cover, const Estimate& estimate, Refinement by, double share) {
  std::vector<std::size_t> order(estimate.square.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return estimate.square[a] > estimate.square[b]; });
  const double all = std::accumulate(estimate.square.begin(), estimate.square.end(), 0.0);
  Cover refined = cover;
  bool changed = false;
  double taken = 0;
  for (const std::size_t k : order) {
    if (changed && taken >= share * all) break;
    taken += estimate.square[k];
    const Leaf& leaf = cover.leaves()[k];
    const bool may_rise = leaf.degree < max_estimated_degree, may_split = leaf.level < max_level;
    const bool rises = by == Refinement::p ||
                       (by == Refinement::hp && may_rise &&
                        expected_gain_of_degree(leaf.degree, estimate.decay[k]) > expected_gain_of_split(leaf.degree));
    if (rises ? !may_rise : !may_split) continue;
    const double side = std::ldexp(1.0, -leaf.level);
    const int at = refined.find((leaf.i + 0.5) * side, (leaf.j + 0.5) * side);
    // A neighbour that was split may have split this cell already.
    if (refined.leaves()[static_cast<std::size_t>(at)].level != leaf.level) continue;
    if (rises)
      refined.change_degree(at, 1);
    else
      refined.split(at);
    changed = true;
  }
  if (!changed)
    throw InputError(by == Refinement::p
                         ? Message("All patches have degree {}, the highest for which the error can be estimated. "
                                   "Refine by splitting (h).",
                                   max_estimated_degree)
                         : Message("All patches have the smallest size (level {}). Refine by degree (p).", max_level));
  return refined;
}

void Convergence::note(Refinement by, const Parameters& p, std::int64_t unknowns, double estimate, double error) {
  if (!points_.empty() && !same_exact_solution(noted_for_, p)) points_.clear();
  noted_for_ = p;
  const int way = static_cast<int>(by) + (membrane_domain(p).enriches() ? ways_without_enrichment : 0);
  const Point point{static_cast<double>(way), static_cast<double>(unknowns), estimate, error};
  for (Point& old : points_)
    if (old.by == point.by && old.unknowns == point.unknowns) {
      old = point;
      return;
    }
  points_.push_back(point);
}

std::vector<Curve> Convergence::curves() const {
  std::vector<Curve> curves;
  struct Way {
    const char *id, *label;
  };
  constexpr Way ways[] = {{"convergence_h", "Error, refined by splitting (h)"},
                          {"convergence_p", "Error, refined by degree (p)"},
                          {"convergence_hp", "Error, refined by both (hp)"},
                          {"convergence_h_enriched", "Error, refined by splitting (h), enriched"},
                          {"convergence_p_enriched", "Error, refined by degree (p), enriched"},
                          {"convergence_hp_enriched", "Error, refined by both (hp), enriched"}};
  for (int by = 0; by < 2 * ways_without_enrichment; ++by) {
    Curve curve;
    curve.id = ways[by].id;
    curve.label = ways[by].label;
    curve.x_label = "cube root of the unknowns";
    curve.y_label = "estimate, dashed the error";
    curve.y_unit = "energy norm";
    curve.logarithmic_y = true;
    for (const Point& point : points_) {
      if (point.by != by) continue;
      if (point.estimate > 0) curve.points.push_back({std::cbrt(point.unknowns), std::log10(point.estimate)});
      if (point.error > 0) curve.theory.push_back({std::cbrt(point.unknowns), std::log10(point.error)});
    }
    if (curve.points.empty()) continue;
    if (!curve.theory.empty()) leave_uncompared(curve, "the estimate follows the error up to a factor");
    curves.push_back(curve);
  }
  return curves;
}

void Convergence::save_to(Saved& saved) const {
  for (const Point& p : points_)
    saved.convergence.insert(saved.convergence.end(), {p.by, p.unknowns, p.estimate, p.error});
}

void Convergence::load_from(const Saved& saved) {
  points_.clear();
  for (std::size_t k = 0; k + 3 < saved.convergence.size(); k += 4)
    points_.push_back(
        {saved.convergence[k], saved.convergence[k + 1], saved.convergence[k + 2], saved.convergence[k + 3]});
  noted_for_ = saved.solved_for;
}

}  // namespace perturb::membrane

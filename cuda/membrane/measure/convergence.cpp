#include "cuda/membrane/measure/convergence.h"

#include <cmath>

#include "cuda/membrane/model/solution.h"

namespace perturb::membrane {

void Convergence::note(Refinement by, const Parameters& p, std::int64_t unknowns, double estimate, double error) {
  if (!points_.empty() && !same_exact_solution(noted_for_, p)) points_.clear();
  noted_for_ = p;
  const Point point{static_cast<double>(by), static_cast<double>(unknowns), estimate, error};
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
                          {"convergence_hp", "Error, refined by both (hp)"}};
  for (int by = 0; by < 3; ++by) {
    Curve curve;
    curve.id = ways[by].id, curve.label = ways[by].label;
    curve.x_label = "cube root of the unknowns", curve.y_label = "estimate, dashed the error",
    curve.y_unit = "energy norm";
    curve.logarithmic_y = true;
    for (const Point& point : points_) {
      if (point.by != by) continue;
      if (point.estimate > 0) curve.points.push_back({std::cbrt(point.unknowns), std::log10(point.estimate)});
      if (point.error > 0) curve.theory.push_back({std::cbrt(point.unknowns), std::log10(point.error)});
    }
    if (!curve.points.empty()) curves.push_back(curve);
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

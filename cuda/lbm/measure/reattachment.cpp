#include "cuda/lbm/measure/reattachment.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace perturb::lbm {

std::optional<BackwardStep> step_of(const Parameters& p, const Bodies& bodies, int width, int height) {
  const auto is_wall = [](Boundary side) { return side == Boundary::wall; };
  if (bodies.all != 1 || bodies.sides || p.boundary_left != Boundary::inlet || !is_wall(p.boundary_bottom) ||
      !is_wall(p.boundary_top))
    return std::nullopt;
  const Body& body = bodies.reported.front();
  if (body.cells != static_cast<std::int64_t>(body.columns) * body.rows || body.columns >= width) return std::nullopt;
  constexpr double rounding = 1e-6;
  const auto lies_at = [](double at, double where) { return std::abs(at - where) < rounding; };
  const bool lower = lies_at(body.y, 0.5 * body.rows), upper = lies_at(body.y, height - 0.5 * body.rows);
  if (!lies_at(body.x, 0.5 * body.columns) || !(lower || upper)) return std::nullopt;
  return BackwardStep{body.columns, body.rows, upper};
}

double reattachment_of(const BackwardStep& step, const std::vector<float>& shear) {
  const auto first = shear.begin() + step.edge;
  auto at = std::min_element(first, shear.end());
  if (at == shear.end() || !(*at < 0)) return 0;
  const auto after = std::find_if(at, shear.end(), [](float u) { return u >= 0; });
  if (after == shear.end()) return 0;
  at = after - 1;
  return static_cast<double>(at - first) + 0.5 + static_cast<double>(*at / (*at - *after));
}

double expected_reattachment(double reynolds) {
  constexpr double lengths[] = {2.922, 4.982, 6.751, 8.237, 9.420, 10.349, 11.129, 11.834};  // from 100 to 800
  if (!(reynolds >= min_step_reynolds && reynolds <= max_step_reynolds)) return 0;
  const double place = 2 * reynolds / 100 - 1;
  const auto below = std::min(static_cast<std::size_t>(place), std::size(lengths) - 2);
  return lengths[below] + (place - static_cast<double>(below)) * (lengths[below + 1] - lengths[below]);
}

}  // namespace perturb::lbm

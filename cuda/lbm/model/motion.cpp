#include "cuda/lbm/model/motion.h"

#include <algorithm>
#include <cmath>

namespace perturb::lbm {

void Motion::move(std::int64_t step, double by_x, double by_y) {
  x += by_x;
  y += by_y;
  for (Place& p : before)
    if (p.step >= 0 && (p.step > step || step - p.step > longest_pause)) p.step = -1;
  const auto oldest =
      std::find_if(before.begin(), before.end(), [&](const Place& p) { return p.step >= 0 && p.step < step; });
  ux = uy = force_x = force_y = 0;
  until = step;
  since = 0;
  if (oldest != before.end()) {
    const auto span = static_cast<double>(step - oldest->step);
    ux = (x - oldest->x) / span;
    uy = (y - oldest->y) / span;
    const double speed = std::sqrt(ux * ux + uy * uy);
    if (speed > fastest) {
      ux *= fastest / speed;
      uy *= fastest / speed;
    }
    since = step - (before[1].step >= 0 && before[1].step < step ? before[1].step : oldest->step);
    until = step + since + since / 2 + 1;
  }
  if (before[1].step != step) before[0] = before[1];
  before[1] = {step, x, y};
}

void Motion::took(double momentum_x, double momentum_y) {
  if (since <= 0) return;
  force_x = momentum_x / static_cast<double>(since);
  force_y = momentum_y / static_cast<double>(since);
}

std::vector<double> Motion::numbers() const {
  std::vector<double> values = {
      static_cast<double>(i), static_cast<double>(j), ux, uy, static_cast<double>(until), x, y, force_x, force_y};
  for (const Place& p : before) values.insert(values.end(), {static_cast<double>(p.step), p.x, p.y});
  return values;
}

Motion Motion::of(const std::vector<double>& v) {
  Motion m;
  m.i = static_cast<int>(v[0]);
  m.j = static_cast<int>(v[1]);
  m.ux = v[2];
  m.uy = v[3];
  m.until = static_cast<std::int64_t>(v[4]);
  m.x = v[5];
  m.y = v[6];
  m.force_x = v[7];
  m.force_y = v[8];
  for (std::size_t k = 0; k < m.before.size(); ++k)
    m.before[k] = {static_cast<std::int64_t>(v[9 + 3 * k]), v[10 + 3 * k], v[11 + 3 * k]};
  return m;
}

}  // namespace perturb::lbm

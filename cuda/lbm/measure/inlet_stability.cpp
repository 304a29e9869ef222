// Stability of a stream near its inlet: which perturbations grow there, and the highest stable inlet speed.
#include <array>
#include <cmath>
#include <numbers>

#include "cuda/lbm/measure/stability.h"
#include "cuda/lbm/model/cell.h"

namespace perturb::lbm {

namespace {

constexpr int columns = 16;     // perturbations that grow at an inlet stay within the first few columns
constexpr int inlet_waves = 8;  // wave numbers along the inlet: π/8, 2π/8, ...
constexpr int warmup_steps = 200, observed_steps = 600;
constexpr double growth = 1.13;  // in the steps examined: a factor of e in 5000 steps

// Perturbation of the populations in a strip across the inlet, for one wave number along it. Real and
// imaginary parts are stored separately, for vector instructions.
using Part = std::array<std::array<float, columns>, lbm_links>;
struct Strip {
  Part re{}, im{};

  double norm() const {
    float sum = 0;
    for (int q = 0; q < lbm_links; ++q)
      for (int i = 0; i < columns; ++i) sum += re[q][i] * re[q][i] + im[q][i] * im[q][i];
    return std::sqrt(static_cast<double>(sum));
  }
};

void collide(Part& part, const CollisionMatrix& collided) {
  Part out{};
  for (int q = 0; q < lbm_links; ++q)
    for (int k = 0; k < lbm_links; ++k) {
      const auto share = static_cast<float>(collided[q][k]);
      for (int i = 0; i < columns; ++i) out[q][i] += share * part[k][i];
    }
  part = out;
}

// Streaming: bounce-back at the inlet, and an outlet without density relaxation at the other end.
Strip streamed(const Strip& s, double wave) {
  Strip to;
  for (int q = 0; q < lbm_links; ++q) {
    const auto c = static_cast<float>(std::cos(wave * lbm_ey(q))), d = static_cast<float>(-std::sin(wave * lbm_ey(q)));
    for (int i = 0; i < columns; ++i) {
      const int from = i - lbm_ex(q);
      if (from < 0) {
        to.re[q][i] = s.re[lbm_opposite(q)][i], to.im[q][i] = s.im[lbm_opposite(q)][i];
      } else if (from >= columns) {
        to.re[q][i] = s.re[q][i], to.im[q][i] = s.im[q][i];
      } else {
        to.re[q][i] = c * s.re[q][from] - d * s.im[q][from];
        to.im[q][i] = c * s.im[q][from] + d * s.re[q][from];
      }
    }
  }
  return to;
}

bool grows(const CollisionMatrix& collided, double wave) {
  Strip s;
  // A perturbation with all components: hashed numbers.
  for (int q = 0; q < lbm_links; ++q)
    for (int i = 0; i < columns; ++i)
      s.re[q][i] = std::sin(12.9898f * static_cast<float>(i + 1) + 78.233f * static_cast<float>(q)),
      s.im[q][i] = std::sin(39.425f * static_cast<float>(i + 1) + 11.135f * static_cast<float>(q));
  double settled = 0;
  for (int step = 0; step < warmup_steps + observed_steps; ++step) {
    collide(s.re, collided), collide(s.im, collided);
    s = streamed(s, wave);
    if (step + 1 == warmup_steps) settled = s.norm();
    if (step > warmup_steps && step % 100 == 0 && s.norm() > 1e3 * settled) return true;
  }
  return s.norm() > growth * settled;
}

}  // namespace

double stable_inlet(double plus, double minus, double most) {
  int last = 2;  // the wave number that grew last, tested first
  const auto stable = [&](double speed) {
    const auto collided = collision_matrix(plus, minus, speed, 0);
    if (grows(collided, std::numbers::pi * last / inlet_waves)) return false;
    for (int b = 1; b <= inlet_waves; ++b)
      if (b != last && grows(collided, std::numbers::pi * b / inlet_waves)) {
        last = b;
        return false;
      }
    return true;
  };
  return highest_stable(most, 6, stable);
}

}  // namespace perturb::lbm

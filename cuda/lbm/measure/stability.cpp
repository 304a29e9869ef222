#include "cuda/lbm/measure/stability.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <map>
#include <mutex>
#include <numbers>
#include <tuple>

#include "cuda/lbm/model/cell.h"

namespace perturb::lbm {

namespace {

using Matrix = std::array<std::array<std::complex<double>, lbm_links>, lbm_links>;
using RealMatrix = CollisionMatrix;

constexpr int waves = 8;                 // wave numbers along each half axis: π/8, 2π/8, ...
constexpr double tolerance = 1. / 5000;  // growth per step that counts as stable
constexpr double nodes_a_decade = 6, min_viscosity = 1e-5;
constexpr double most_place = 38;

// By Gelfand's formula: the 2^14th root of the norm of that power.
double spectral_radius(Matrix a) {
  double logarithm = 0, share = 1;
  for (int k = 0; k < 14; ++k) {
    Matrix square;
    double largest = 0;
    for (int i = 0; i < lbm_links; ++i) {
      // In real and imaginary parts: the product of two std::complex checks for infinities each time.
      double re[lbm_links] = {}, im[lbm_links] = {};
      for (int m = 0; m < lbm_links; ++m) {
        const double x = a[i][m].real(), y = a[i][m].imag();
        for (int j = 0; j < lbm_links; ++j) {
          re[j] += x * a[m][j].real() - y * a[m][j].imag();
          im[j] += x * a[m][j].imag() + y * a[m][j].real();
        }
      }
      for (int j = 0; j < lbm_links; ++j)
        square[i][j] = {re[j], im[j]}, largest = std::max(largest, std::hypot(re[j], im[j]));
    }
    if (!(largest > 0)) return 0;
    share *= 0.5, logarithm += share * std::log(largest);
    for (auto& row : square)
      for (auto& value : row) value /= largest;
    a = square;
  }
  return std::exp(logarithm);
}

double growth_of(const RealMatrix& collided, int a, int b) {
  Matrix step;
  for (int q = 0; q < lbm_links; ++q) {
    const double angle = -std::numbers::pi / waves * (a * lbm_ex(q) + b * lbm_ey(q));
    const std::complex<double> streaming(std::cos(angle), std::sin(angle));
    for (int k = 0; k < lbm_links; ++k) step[q][k] = streaming * collided[q][k];
  }
  return spectral_radius(step);
}

}  // namespace

CollisionMatrix collision_matrix(double plus, double minus, double ux, double uy) {
  CollisionMatrix equilibrium;
  for (int q = 0; q < lbm_links; ++q)
    for (int k = 0; k < lbm_links; ++k) {
      const double eu = lbm_ex(q) * ux + lbm_ey(q) * uy, ee = lbm_ex(q) * lbm_ex(k) + lbm_ey(q) * lbm_ey(k);
      const double ue = lbm_ex(k) * ux + lbm_ey(k) * uy, uu = ux * ux + uy * uy;
      // feq = w (rho + 3 e·j + 9/2 (e·j)²/rho - 3/2 j·j/rho), differentiated at rho = 1.
      equilibrium[q][k] =
          static_cast<double>(lbm_weight(q)) * (1 + 3 * ee + 9 * eu * ee - 3 * ue - 4.5 * eu * eu + 1.5 * uu);
    }
  CollisionMatrix result;
  for (int q = 0; q < lbm_links; ++q)
    for (int k = 0; k < lbm_links; ++k) {
      const int o = lbm_opposite(q);
      const double same = q == k ? 1 : 0, turned = o == k ? 1 : 0;
      const double even = 0.5 * ((same + turned) - (equilibrium[q][k] + equilibrium[o][k]));
      const double odd = 0.5 * ((same - turned) - (equilibrium[q][k] - equilibrium[o][k]));
      result[q][k] = same - plus * even - minus * odd;
    }
  return result;
}

double lbm_growth(double plus, double minus, double speed, double angle) {
  const RealMatrix collided = collision_matrix(plus, minus, speed * std::cos(angle), speed * std::sin(angle));
  double worst = 0;
  for (int a = 0; a <= waves; ++a)
    for (int b = a == 0 ? 1 : -waves; b <= waves; ++b) worst = std::max(worst, growth_of(collided, a, b));
  return worst;
}

double lbm_stable_speed(double plus, double minus, double most) {
  constexpr double pi = std::numbers::pi;
  constexpr double angles[] = {pi / 8, pi / 4};
  int last_a = 1, last_b = waves;  // the wave that grew last, tested first
  double last_angle = angles[0];
  const auto stable = [&](double speed) {
    const auto grows = [&](const RealMatrix& collided, int a, int b) {
      return growth_of(collided, a, b) > 1 + tolerance;
    };
    const auto collided = [&](double angle) {
      return collision_matrix(plus, minus, speed * std::cos(angle), speed * std::sin(angle));
    };
    if (grows(collided(last_angle), last_a, last_b)) return false;
    for (const double angle : angles) {
      const RealMatrix matrix = collided(angle);
      for (int a = 0; a <= waves; ++a)
        for (int b = a == 0 ? 1 : -waves; b <= waves; ++b)
          if (grows(matrix, a, b)) {
            last_a = a, last_b = b, last_angle = angle;
            return false;
          }
    }
    return true;
  };
  return highest_stable(most, 9, stable);
}

double StableSpeeds::node(int k) const {
  // Shared by the whole program: computing one takes as long as several frames, and scenes are restarted often.
  static std::mutex guard;
  static std::map<std::tuple<Where, double, double, int>, double> known;
  const std::lock_guard<std::mutex> lock(guard);
  const auto [place, is_new] = known.try_emplace({where_, magic_, most_, k}, 0);
  double& value = place->second;
  if (is_new) {
    const double excess = 3 * min_viscosity * std::pow(10, k / nodes_a_decade);  // τ - 1/2
    const double plus = 1 / (excess + 0.5);
    value = (where_ == Where::inlet ? stable_inlet : lbm_stable_speed)(
        plus, magic_ > 0 ? 1 / (magic_ / excess + 0.5) : plus, most_);
  }
  return value;
}

double StableSpeeds::at(double viscosity) const {
  const double place = std::clamp(nodes_a_decade * std::log10(viscosity / min_viscosity), 0., most_place);
  const int k = static_cast<int>(place);
  const double share = place - k;
  return (1 - share) * node(k) + share * node(k + 1);
}

// ---- a stream near its inlet: which perturbations grow there, and the highest stable inlet speed.

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

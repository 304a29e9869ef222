#include "cuda/lbm/measure/stability.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>
#include <numbers>
#include <tuple>
#include <utility>

#include "cuda/lbm/model/cell.h"

namespace perturb::lbm {

namespace {

constexpr int waves = 8;                 // wave numbers along each half axis: π/8, 2π/8, ...
constexpr double tolerance = 1. / 5000;  // growth per step that counts as stable
constexpr double nodes_a_decade = 6, min_viscosity = 1e-5;
constexpr double max_place = 38;

// A matrix times itself, in real and imaginary parts: the product of two std::complex checks for infinities each time.
struct Split {
  double re[lbm_links][lbm_links], im[lbm_links][lbm_links];

  Split squared() const {
    Split square{};
    for (int i = 0; i < lbm_links; ++i)
      for (int m = 0; m < lbm_links; ++m) {
        const double x = re[i][m], y = im[i][m];
        for (int j = 0; j < lbm_links; ++j) {
          square.re[i][j] += x * re[m][j] - y * im[m][j];
          square.im[i][j] += x * im[m][j] + y * re[m][j];
        }
      }
    return square;
  }
  // Squares of the largest entry and of the Frobenius norm.
  std::pair<double, double> norms() const {
    double largest = 0, all = 0;
    for (int i = 0; i < lbm_links; ++i)
      for (int j = 0; j < lbm_links; ++j) {
        const double size = re[i][j] * re[i][j] + im[i][j] * im[i][j];
        largest = std::max(largest, size);
        all += size;
      }
    return {largest, all};
  }
  void divide(double by) {
    for (int i = 0; i < lbm_links; ++i)
      for (int j = 0; j < lbm_links; ++j) {
        re[i][j] /= by;
        im[i][j] /= by;
      }
  }
};

// By Gelfand's formula: the 2^14th root of the norm of that power. If a norm of a lower power proves that it is at most
// `enough`, returns a bound that is; most waves decay fast, and need few products.
double spectral_radius(Split a, double enough) {
  double logarithm = 0, share = 1;
  for (int k = 0; k < 14; ++k) {
    a = a.squared();
    const auto [largest, all] = a.norms();
    if (!(largest > 0)) return 0;
    share *= 0.5;
    const double bound = std::exp(logarithm + share * 0.5 * std::log(all));
    if (bound <= enough) return bound;
    logarithm += share * 0.5 * std::log(largest);
    a.divide(std::sqrt(largest));
  }
  return std::exp(logarithm);
}

double growth_of(const CollisionMatrix& collided, int a, int b, double enough = 0) {
  Split step;
  for (int q = 0; q < lbm_links; ++q) {
    const double angle = -std::numbers::pi / waves * (a * lbm_ex(q) + b * lbm_ey(q));
    const double c = std::cos(angle), d = std::sin(angle);
    for (int k = 0; k < lbm_links; ++k) {
      step.re[q][k] = c * collided[q][k];
      step.im[q][k] = d * collided[q][k];
    }
  }
  return spectral_radius(step, enough);
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
  const CollisionMatrix collided = collision_matrix(plus, minus, speed * std::cos(angle), speed * std::sin(angle));
  double worst = 0;
  for (int a = 0; a <= waves; ++a)
    for (int b = a == 0 ? 1 : -waves; b <= waves; ++b) worst = std::max(worst, growth_of(collided, a, b));
  return worst;
}

double lbm_stable_speed(double plus, double minus, double max_speed) {
  constexpr double pi = std::numbers::pi;
  constexpr double angles[] = {pi / 8, pi / 4};
  int last_a = 1, last_b = waves;  // the wave that grew last, tested first
  double last_angle = angles[0];
  const auto stable = [&](double speed) {
    const auto grows = [&](const CollisionMatrix& collided, int a, int b) {
      return growth_of(collided, a, b, 1 + tolerance) > 1 + tolerance;
    };
    const auto collided = [&](double angle) {
      return collision_matrix(plus, minus, speed * std::cos(angle), speed * std::sin(angle));
    };
    if (grows(collided(last_angle), last_a, last_b)) return false;
    for (const double angle : angles) {
      const CollisionMatrix matrix = collided(angle);
      for (int a = 0; a <= waves; ++a)
        for (int b = a == 0 ? 1 : -waves; b <= waves; ++b)
          if (grows(matrix, a, b)) {
            last_a = a;
            last_b = b;
            last_angle = angle;
            return false;
          }
    }
    return true;
  };
  return highest_stable(max_speed, 9, stable);
}

double StableSpeeds::node(int k) const {
  // Shared by the whole program: computing one takes as long as several frames, and scenes are restarted often.
  static std::mutex guard;
  static std::map<std::tuple<Where, double, double, int>, double> known;
  const std::lock_guard<std::mutex> lock(guard);
  const auto [place, is_new] = known.try_emplace({where_, magic_, max_speed_, k}, 0);
  double& value = place->second;
  if (is_new) {
    const double excess = 3 * min_viscosity * std::pow(10, k / nodes_a_decade);  // τ - 1/2
    const double plus = 1 / (excess + 0.5);
    value = (where_ == Where::inlet ? stable_inlet : lbm_stable_speed)(
        plus, magic_ > 0 ? 1 / (magic_ / excess + 0.5) : plus, max_speed_);
  }
  return value;
}

double StableSpeeds::at(double viscosity) const {
  const double place = std::clamp(nodes_a_decade * std::log10(viscosity / min_viscosity), 0., max_place);
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

// A step of the strip: collision, then streaming with bounce-back at the inlet, and an outlet without density
// relaxation at the other end.
class StripStep {
 public:
  StripStep(const CollisionMatrix& collided, double wave) {
    for (int q = 0; q < lbm_links; ++q) {
      for (int k = 0; k < lbm_links; ++k) share_[q][k] = static_cast<float>(collided[q][k]);
      cosine_[q] = static_cast<float>(std::cos(wave * lbm_ey(q)));
      sine_[q] = static_cast<float>(-std::sin(wave * lbm_ey(q)));
    }
  }
  void advance(Strip& s) const {
    const Part re = collided(s.re), im = collided(s.im);
    for (int q = 0; q < lbm_links; ++q) {
      const int by = lbm_ex(q), begin = std::max(by, 0), end = columns + std::min(by, 0);
      const float c = cosine_[q], d = sine_[q];
      for (int i = begin; i < end; ++i) {
        s.re[q][i] = c * re[q][i - by] - d * im[q][i - by];
        s.im[q][i] = c * im[q][i - by] + d * re[q][i - by];
      }
      for (int i = 0; i < begin; ++i) {
        s.re[q][i] = re[lbm_opposite(q)][i];
        s.im[q][i] = im[lbm_opposite(q)][i];
      }
      for (int i = end; i < columns; ++i) {
        s.re[q][i] = re[q][i];
        s.im[q][i] = im[q][i];
      }
    }
  }

 private:
  Part collided(const Part& part) const {
    Part out;
    for (int q = 0; q < lbm_links; ++q) {
      std::array<float, columns> sum{};  // in registers
      for (int k = 0; k < lbm_links; ++k)
        for (int i = 0; i < columns; ++i) sum[i] += share_[q][k] * part[k][i];
      out[q] = sum;
    }
    return out;
  }
  float share_[lbm_links][lbm_links], cosine_[lbm_links], sine_[lbm_links];
};

bool grows(const CollisionMatrix& collided, double wave) {
  Strip s;
  // A perturbation with all components: hashed numbers.
  for (int q = 0; q < lbm_links; ++q)
    for (int i = 0; i < columns; ++i) {
      s.re[q][i] = std::sin(12.9898f * static_cast<float>(i + 1) + 78.233f * static_cast<float>(q));
      s.im[q][i] = std::sin(39.425f * static_cast<float>(i + 1) + 11.135f * static_cast<float>(q));
    }
  const StripStep step(collided, wave);
  double settled = 0;
  for (int k = 0; k < warmup_steps + observed_steps; ++k) {
    step.advance(s);
    if (k + 1 == warmup_steps) settled = s.norm();
    if (k > warmup_steps && k % 100 == 0 && s.norm() > 1e3 * settled) return true;
  }
  return s.norm() > growth * settled;
}

}  // namespace

double stable_inlet(double plus, double minus, double max_speed) {
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
  return highest_stable(max_speed, 6, stable);
}

}  // namespace perturb::lbm

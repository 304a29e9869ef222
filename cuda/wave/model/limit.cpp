#include "cuda/wave/model/limit.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cuda/core/loops/parallel_for.h"
#include "cuda/core/loops/reduce.h"
#include "cuda/core/simulation/format.h"
#include "cuda/wave/model/step_params.h"

namespace perturb::wave {

namespace {

// With K powers, the bound is too high by at most the K-th root of the peak-to-mean ratio of the top mode: 2 % in a
// box.
constexpr int powers = 24;

// The largest eigenvalue of minus the second difference on n cells: 4 sin²(θ/2), where θ is the phase from cell to cell
// of the shortest wave that fits between these sides.
double axis_spectrum(int n, Boundary low, Boundary high) {
  using B = Boundary;
  // An absorbing side mirrors at the centre of the outermost cell; a single cell has no neighbour to mirror
  // (wave_cell).
  if (n == 1 && low == B::absorbing) low = B::fixed;
  if (n == 1 && high == B::absorbing) high = B::fixed;
  const auto are = [&](B a, B b) { return (low == a && high == b) || (low == b && high == a); };
  double share = 1;  // θ/π; 1 between absorbing sides
  if (are(B::periodic, B::periodic))
    share = 2. * (n / 2) / n;
  else if (are(B::fixed, B::fixed))
    share = n / (n + 1.);
  else if (are(B::free, B::free))
    share = (n - 1.) / n;
  else if (are(B::fixed, B::free))
    share = (n - 0.5) / (n + 0.5);
  else if (are(B::fixed, B::absorbing))
    share = (n - 0.5) / n;
  else if (are(B::free, B::absorbing))
    share = (n - 1) / (n - 0.5);
  return 4 * std::pow(std::sin(0.5 * std::numbers::pi * share), 2);
}

template <class Real>
double even_spectrum(const StepParams<Real>& tank) {
  return wave_eigenvalue(tank.stencil, axis_spectrum(tank.width, tank.left, tank.right),
                         axis_spectrum(tank.height, tank.bottom, tank.top));
}

// Value outside a side, for the matrix without negative elements: the sign of every second cell is changed, so the
// mirror image of a cell at a free side has the opposite sign.
template <class Real>
PERTURB_HD inline Real outside(Boundary boundary, Real own, Real inner, Real opposite) {
  return boundary == Boundary::free ? -own : wave_outside(boundary, own, inner, opposite);
}

template <class Real>
struct TimesMatrix {
  StepParams<Real> tank;
  View2D<const Real> x;
  Real scale;  // keeps the numbers near 1

  PERTURB_HD Real value(int i, int j) const {
    const Real medium = tank.medium(i, j);
    if (is_wall(medium)) return Real(0);
    const int last_i = tank.width - 1, last_j = tank.height - 1;
    const Real own = x(i, j);
    const Real left = i > 0 ? x(i - 1, j) : outside(tank.left, own, last_i > 0 ? x(1, j) : Real(0), x(last_i, j));
    const Real right =
        i < last_i ? x(i + 1, j) : outside(tank.right, own, last_i > 0 ? x(last_i - 1, j) : Real(0), x(0, j));
    const Real down = j > 0 ? x(i, j - 1) : outside(tank.bottom, own, last_j > 0 ? x(i, 1) : Real(0), x(i, last_j));
    const Real up = j < last_j ? x(i, j + 1) : outside(tank.top, own, last_j > 0 ? x(i, last_j - 1) : Real(0), x(i, 0));
    const Real five = Real(4) * own + ((left + right) + (down + up));
    if (tank.stencil == Stencil::five) return scale * medium * medium * five;
    // Corners keep their sign, except across a free side.
    const Real corners = corner(i - 1, j - 1) + corner(i + 1, j - 1) + corner(i - 1, j + 1) + corner(i + 1, j + 1);
    return scale * medium * medium * (Real(2) / Real(3) * five + Real(1) / Real(6) * (Real(4) * own - corners));
  }
  PERTURB_HD Real corner(int i, int j) const {
    const int a = wave_place(i, tank.width, tank.left, tank.right);
    const int b = wave_place(j, tank.height, tank.bottom, tank.top);
    if (a < 0 || b < 0) return Real(0);
    const bool turned_x = (i < 0 && tank.left == Boundary::free) || (i >= tank.width && tank.right == Boundary::free);
    const bool turned_y = (j < 0 && tank.bottom == Boundary::free) || (j >= tank.height && tank.top == Boundary::free);
    return turned_x != turned_y ? -x(a, b) : x(a, b);
  }
};

template <class Real>
struct Power {
  TimesMatrix<Real> matrix;
  View2D<Real> to;
  PERTURB_HD void operator()(int i, int j) const { to(i, j) = matrix.value(i, j); }

  // CPU version: away from the sides, in vector instructions. An object that is dragged changes the medium in every
  // frame.
  void row(int begin, int end, int j) const {
    const StepParams<Real>& tank = matrix.tank;
    const bool is_inner = tank.stencil == Stencil::five && j > 0 && j < tank.height - 1;
    const int first = is_inner ? std::max(begin, 1) : end, last = std::min(end, tank.width - 1);
    for (int i = begin; i < std::min(first, end); ++i) (*this)(i, j);
    if (first >= end) return;
    const Real scale = matrix.scale;
    const Real* x = matrix.x.row(j);
    const Real* below = matrix.x.row(j - 1);
    const Real* above = matrix.x.row(j + 1);
    const Real* medium = tank.medium.row(j);
    Real* out = to.row(j);
    PERTURB_INDEPENDENT_ITERATIONS
    for (int i = first; i < last; ++i) {
      const Real m = medium[i];
      const Real five = Real(4) * x[i] + ((x[i - 1] + x[i + 1]) + (below[i] + above[i]));
      out[i] = is_wall(m) ? Real(0) : scale * m * m * five;
    }
    for (int i = std::max(first, last); i < end; ++i) (*this)(i, j);
  }
};

template <class Real>
struct Ones {
  View2D<const Real> medium;
  View2D<Real> to;
  PERTURB_HD void operator()(int i, int j) const { to(i, j) = is_wall(medium(i, j)) ? Real(0) : Real(1); }
};

struct Largest {
  double value = 0;
  PERTURB_HD void merge(const Largest& other) { value = other.value > value ? other.value : value; }
};
template <class Real>
struct LargestElement {
  View2D<const Real> x;
  PERTURB_HD void operator()(int i, int j, Largest& into) const {
    const auto own = static_cast<double>(x(i, j));
    into.value = own > into.value ? own : into.value;
  }
};

}  // namespace

double largest_spectrum(Stencil stencil) { return wave_eigenvalue(stencil, 4, 4); }
double wave_even_spectrum(const StepParams<float>& tank) { return even_spectrum(tank); }
double wave_even_spectrum(const StepParams<double>& tank) { return even_spectrum(tank); }

template <class Real>
double medium_spectrum(Backend& backend, const StepParams<Real>& tank, View2D<Real> scratch, View2D<Real> other,
                       double fastest) {
  const Range2D whole{tank.width, tank.height};
  const double largest = largest_spectrum(tank.stencil) * fastest * fastest;
  const auto scale = static_cast<Real>(1 / largest);
  View2D<Real> x = scratch, next = other;
  parallel_for(backend, "wave.limit", whole, Ones<Real>{tank.medium, x});
  for (int k = 0; k < powers; ++k) {
    parallel_for(backend, "wave.limit", whole, Power<Real>{{tank, x, scale}, next});
    std::swap(x, next);
  }
  Reduction<Largest> reduction(backend);
  reduction.start("wave.limit", whole, LargestElement<Real>{x});
  reduction.wait();
  return largest * std::min(1.0, std::pow(reduction.result().value, 1. / powers));
}

double wave_courant_limit(const Parameters& p, double fastest, double spectrum) {
  const bool one_sided = p.damping_form == Damping::one_sided;
  const double damping = one_sided ? 0.5 * p.damping * p.time_step : 0;
  constexpr double nothing = 1e-6;  // avoids a division by zero where nothing can move
  return 2 * fastest * std::sqrt(std::max(0.0, 1 - damping) / std::max(spectrum, nothing));
}

bool same_matrix(const Parameters& a, const Parameters& b) {
  return a.stencil == b.stencil && a.boundary_left == b.boundary_left && a.boundary_right == b.boundary_right &&
         a.boundary_bottom == b.boundary_bottom && a.boundary_top == b.boundary_top;
}

void require_stable(const std::string& changed, const Parameters& p, double fastest, double spectrum) {
  const double courant = p.wave_speed * fastest * p.time_step / p.cell_size;
  const double limit = wave_courant_limit(p, fastest, spectrum);
  if (courant <= limit) return;
  const double share = 0.99 * limit / courant;  // a little below the limit, as in the message of a run that stopped
  const Parameter* parameter = find_parameter(parameter_table(), changed);
  Message remedy = "Lower the time step first.";
  if (changed == "time_step" || changed == "wave_speed") {
    remedy = Message("Choose {} or less.", with_unit(format_number(share * parameter->get(&p), 3), parameter->unit));
  } else if (changed == "cell_size") {
    remedy = Message("Choose {} or more.", with_unit(format_number(p.cell_size / share, 3), parameter->unit));
  } else if (!parameter) {
    remedy = Message("Lower the time step first, or choose a factor of {} or less.", format_number(share * fastest, 3));
  }
  const Message why("waves would cross {} cells in a step, and the scheme is stable only up to {}.",
                    format_number(courant, 3), format_number(limit, 3));
  if (parameter)
    throw InputError(Message("{} cannot be {}: {}", Message::parameter(parameter->id, parameter->label),
                             with_unit(parameter->format(parameter->get(&p)), parameter->unit), why) +
                     remedy);
  throw InputError(Message("The water cannot be {} times as fast: {}", format_number(fastest, 3), why) + remedy);
}

template double medium_spectrum(Backend&, const StepParams<float>&, View2D<float>, View2D<float>, double);
template double medium_spectrum(Backend&, const StepParams<double>&, View2D<double>, View2D<double>, double);

}  // namespace perturb::wave

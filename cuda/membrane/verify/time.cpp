// The membrane in time, compared with the midpoint rule and with the equation itself; the damped steady response and
// the membrane's own modes, compared with theory.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "cuda/core/simulation/format.h"
#include "cuda/membrane/measure/gauges.h"
#include "cuda/membrane/membrane.h"
#include "cuda/membrane/model/modes.h"
#include "cuda/membrane/model/motion.h"
#include "cuda/membrane/model/theory.h"
#include "cuda/membrane/verify/checks.h"

namespace perturb::membrane {

namespace {

Parameters free_vibration(double time_step) {
  Parameters p;
  p.motion = Movement::in_time;
  p.sigma = 0;
  p.time_step = time_step;
  p.tolerance = 1e-12;
  p.preconditioner = Preconditioner::patch;
  p.integration_level = 8;
  return p;
}

// A membrane that starts from rest in the shape of the mode sin(pi x) sin(2 pi y), or flat.
struct FreeVibration {
  Parameters p;
  Discretisation d;
  Motion motion;
  Form form;
  double whole = 0;  // F·u of the complete mode

  FreeVibration(Backend& backend, const Parameters& parameters, int level, int degree)
      : p(parameters), d(backend, Cover(level, degree), parameters), motion(backend) {
    // The load that makes the mode the static solution also measures the mode's coefficient: F·u.
    Parameters still = p;
    still.motion = Movement::steady;
    still.load = Load::mode;
    still.mode_x = 1;
    still.mode_y = 2;
    check_solve(d, still);
    whole = d.work();
    form = membrane_form(p, degree);
    d.enable_time_stepping();
    prepare();
  }
  void prepare() { d.solver().prepare(d.matrix(step_shift(p)), form, p.preconditioner); }
  void strike(const Strike& one) {
    d.solution().fill_zero();
    motion.strike(d, p, form, Kernel::tensor, one);
    prepare();
  }
  void run(int steps) {
    for (int k = 0; k < steps; ++k) motion.step(d, p, 0, false);
  }
  double share() { return d.work() / whole; }
};

void check_mode_in_time(Backend& backend, std::vector<TheoryCheck>& checks) {
  const double omega = std::sqrt(5.0) * std::numbers::pi;
  double errors[2] = {};
  for (const int finer : {0, 1}) {
    const double dt = 0.02 / (1 << finer);
    const int steps = 100 << finer;
    FreeVibration vibration(backend, free_vibration(dt), 3, 4);
    vibration.run(steps);
    const double got = vibration.share(), rule = std::cos(2 * std::atan(0.5 * omega * dt) * steps);
    errors[finer] = got - std::cos(omega * dt * steps);
    if (finer == 0)
      checks.push_back({"a mode after 100 steps of 0.02", "", rule, got, std::abs(got - rule), 1e-5,
                        "cos(n theta), tan(theta/2) = omega dt/2 of the midpoint rule; absolute"});
  }
  checks.push_back({"order in dt of a mode in time", "", 2, std::log2(errors[0] / errors[1]),
                    std::abs(std::log2(errors[0] / errors[1]) - 2), 0.1, "against cos(omega t) at t = 2; absolute"});
}

// The struck drum: wide patches of high degree and twice the time step are as accurate in a quarter of the time.
struct Struck {
  int level, degree;
  double time_step;
};

void check_energy(Backend& backend, std::vector<TheoryCheck>& checks, const Struck& by) {
  Parameters p = free_vibration(0.004);
  p.source_width = 0.1;
  const double velocity = 3;
  {
    FreeVibration vibration(backend, p, by.level, by.degree);
    vibration.strike({0.4, 0.55, velocity});
    const double struck = motion_energy(vibration.d, p);
    const double theory = 0.25 * std::numbers::pi * velocity * velocity * p.source_width * p.source_width;
    checks.push_back({"energy of a strike", "height²", theory, struck, std::abs(struck / theory - 1), 1e-4,
                      "half the integral of (v exp(-r²/w²))²: pi v² w²/4; relative"});
    vibration.run(250);
    const double later = motion_energy(vibration.d, p);
    checks.push_back({"energy after 250 steps, undamped", "height²", struck, later, std::abs(later / struck - 1), 1e-8,
                      "energy of the strike, which the midpoint rule conserves; relative"});
  }
  // One mode, damped: after whole half periods of the damped oscillation the energy is exp(-c t) of its initial value.
  p.damping = 0.8;
  const double omega = std::sqrt(5 * std::numbers::pi * std::numbers::pi - 0.25 * p.damping * p.damping);
  p.time_step = 4 * std::numbers::pi / omega / 500;
  FreeVibration vibration(backend, p, 3, 4);
  const double before = motion_energy(vibration.d, p);
  vibration.run(500);
  const double theory = std::exp(-p.damping * 500 * p.time_step), got = motion_energy(vibration.d, p) / before;
  checks.push_back({"energy of a damped mode after two periods, relative to its start", "", theory, got,
                    std::abs(got / theory - 1), 1e-3, "exp(-c t); relative, the time step's error is of order dt²"});
}

// A strike compared with the sum over modes: each gets v f_mn and follows sin(omega t)/omega.
void check_strike(Backend& backend, std::vector<TheoryCheck>& checks, const Struck& by) {
  Parameters p = free_vibration(by.time_step);
  p.source_width = 0.15;
  const Strike one{0.3, 0.4, 2};
  FreeVibration vibration(backend, p, by.level, by.degree);
  vibration.strike(one);
  const double time = 0.7;
  vibration.run(static_cast<int>(std::lround(time / by.time_step)));
  const auto share = [&](int m, double center) {
    double sum = 0;
    constexpr int points = 2000;
    for (int g = 0; g < points; ++g) {
      const double x = (g + 0.5) / points, r = (x - center) / p.source_width;
      sum += std::exp(-r * r) * std::sin(m * std::numbers::pi * x) / points;
    }
    return sum;
  };
  constexpr int modes = 24;
  double squares = 0;
  for (int m = 1; m <= modes; ++m)
    for (int n = 1; n <= modes; ++n) {
      const double omega = std::numbers::pi * std::sqrt(static_cast<double>(m * m + n * n));
      const double a = 4 * one.velocity * share(m, one.x) * share(n, one.y) * std::sin(omega * time) / omega;
      squares += 0.25 * a * a;
    }
  const double theory = std::sqrt(squares), got = vibration.d.mean();
  checks.push_back({"struck, root mean square of u at t = 0.7", "height", theory, got, std::abs(got / theory - 1), 1e-3,
                    "the sum over modes v f_mn sin(omega t)/omega; relative"});
}

// The resonators' spectrum of a struck drum, compared with the modes' frequencies: (1, 1), then (1, 2) and (2, 1), then
// (2, 2). Uses the public interface of the simulation.
void check_spectrum(Backend& backend, std::vector<TheoryCheck>& checks) {
  Setup setup;
  setup.simulation = "membrane";
  setup.width = setup.height = 32;
  setup.parameters = {{"level", 2},          {"degree", 4},       {"sigma", 0},        {"motion", 1},
                      {"preconditioner", 1}, {"tolerance", 1e-9}, {"time_step", 0.01}, {"source_strength", 0},
                      {"source_width", 0.2}, {"sweep_from", 2},   {"sweep_to", 9.4},   {"ear_x", 0.72},
                      {"ear_y", 0.7}};
  const auto vibration = membrane_simulation().create(backend, setup);
  vibration->apply({"strike", {{"x", 0.3}, {"y", 0.28}, {"velocity", 1}}, "", nullptr});
  vibration->step(2500);
  const std::vector<Curve> curves = vibration->diagnostics({}, true).curves;
  for (const auto& [squares, modes] : {std::pair{2, "(1, 1)"}, std::pair{5, "(1, 2)"}, std::pair{8, "(2, 2)"}}) {
    const double omega = std::numbers::pi * std::sqrt(static_cast<double>(squares));
    CurvePoint peak{0, -1e9};
    for (const Curve& curve : curves)
      if (curve.id == "spectrum")
        for (const CurvePoint& p : curve.points)
          if (std::abs(p.x - omega) < 0.6 && p.y > peak.y) peak = p;
    checks.push_back({std::string("line of a struck drum's spectrum, mode ") + modes, "1/time", omega, peak.x,
                      std::abs(peak.x / omega - 1), 4e-3,
                      "pi sqrt(m² + n²); relative: the time step lowers it by omega² dt²/12, at most 7e-4, and a line "
                      "is read to the nearest resonator"});
  }
}

}  // namespace

void verify_time(Backend& backend, std::vector<TheoryCheck>& checks, bool with_long) {
  const Struck by = with_long ? Struck{4, 3, 0.001} : Struck{3, 4, 0.002};
  check_mode_in_time(backend, checks);
  check_energy(backend, checks, by);
  check_strike(backend, checks, by);
  check_spectrum(backend, checks);
}

// ---- damping
//
// The damped steady response, compared with the closed form of a mode and with the sum over modes.

namespace {

struct DampedResponse {
  double response, phase;
};
DampedResponse damped_response(Backend& backend, const Parameters& p, int level, int degree) {
  Discretisation d(backend, Cover(level, degree), p);
  const Form form = membrane_form(p, degree);
  d.enable_quadrature();
  d.assemble(Kernel::tensor, form, true, true);
  d.solver().prepare(d.matrix(std::abs(p.shift())), form, p.preconditioner);
  d.solve_complex(p.shift(), p.damping * p.frequency, {p.preconditioner, 1e-11, 5000});
  return {std::hypot(d.mean(), std::sqrt(d.product_of(d.mass_matrix(), d.quadrature().data()))),
          phase_of(d.work(), d.solver().dot(d.load().data(), d.quadrature().data()))};
}

}  // namespace

void verify_damped(Backend& backend, std::vector<TheoryCheck>& checks) {
  Parameters p;
  p.sigma = 0;
  p.damping = 0.4;
  // Under the load (omega² - k²) sin sin only this mode responds: with the load divided by omega² - k² + i k c.
  p.load = Load::mode;
  p.mode_x = 1;
  p.mode_y = 2;
  const double omega2 = 5 * std::numbers::pi * std::numbers::pi;
  for (const double k : {6.9, 7.1}) {
    p.frequency = k;
    const double distance = omega2 - k * k, answer = 0.5 * std::abs(distance) / std::hypot(distance, k * p.damping);
    const DampedResponse got = damped_response(backend, p, 3, 4);
    // The load changes its sign at the mode, and the phase is relative to it.
    const double quadrature = std::atan2(k * p.damping, distance) * 180 / std::numbers::pi;
    checks.push_back({"damped mode, response at k = " + format_number(k), "height", answer, got.response,
                      std::abs(got.response / answer - 1), 1e-4,
                      "half of |omega² - k²|/|omega² - k² + i k c|; relative"});
    checks.push_back({"damped mode, lag at k = " + format_number(k), "°", quadrature, got.phase,
                      std::abs(got.phase - quadrature), 0.01, "the angle of omega² - k² + i k c; absolute"});
  }
  p.load = Load::bump;
  p.source_x = 0.3;
  p.source_y = 0.4;
  for (const double k : {std::numbers::sqrt2 * std::numbers::pi, 6.0, std::sqrt(omega2)}) {
    p.frequency = k;
    const DampedResponse got = damped_response(backend, p, 4, 3);
    const double response = exact_response_at(p, k), quadrature = exact_phase_at(p, k);
    checks.push_back({"damped response at k = " + format_number(k, 5), "height", response, got.response,
                      std::abs(got.response / response - 1), 1e-3,
                      "the sum over modes f_mn/(lambda_mn - k² + i k c); relative"});
    checks.push_back({"lag behind the load at k = " + format_number(k, 5), "°", quadrature, got.phase,
                      std::abs(got.phase - quadrature), 0.1, "the angle of that sum at the load; absolute"});
  }
}

// ---- modes

void verify_modes(Backend& backend, std::vector<TheoryCheck>& checks) {
  Parameters p;
  p.level = 3;
  p.degree = 4;
  const std::pair<Side, Side> held[] = {
      {Side::fixed, Side::fixed}, {Side::free, Side::free}, {Side::fixed, Side::free}};
  for (const auto& [left, right] : held) {
    p.boundary_left = p.boundary_top = left;
    p.boundary_right = p.boundary_bottom = right;
    const std::vector<double> found = found_modes(backend, p);
    const std::vector<Mode> theory = lowest_modes(p, Modes::count);
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{15}}) {
      const double exact = theory[k].eigenvalue;
      checks.push_back({"mode " + std::to_string(k + 1) + ", (" + std::to_string(theory[k].m) + ", " +
                            std::to_string(theory[k].n) + ")" +
                            (left == Side::free    ? ", free"
                             : right == Side::free ? ", held at the left and the top"
                                                   : ", fixed"),
                        "1/length²", exact, found[k], std::abs(found[k] - exact) / std::max(exact, 1.0), 1e-4,
                        "pi²(m² + n²), m - 1/2 where one side is held, a Rayleigh quotient; relative, level 3, p = 4"});
    }
  }
  p = {};
  p.degree = 2;
  p.integration_level = 8;
  double errors[2] = {};
  for (const int finer : {0, 1}) {
    p.level = 3 + finer;
    errors[finer] = found_modes(backend, p)[3] / lowest_modes(p, Modes::count)[3].eigenvalue - 1;
  }
  // The relative error of a frequency is half of its square's.
  const double formula = wave_error(std::sqrt(8.0) * std::numbers::pi, 1.0 / 16, p.degree);
  checks.push_back({"mode 4 too high, p = 2, by the wave gauge", "", formula, 0.5 * errors[1],
                    std::abs(std::log2(0.5 * errors[1] / formula)), 2,
                    "(p!/(2p)!)² (k h)^(2p)/(2 (2p + 1)) of finite elements; within a factor of four: the error is "
                    "log2 of the ratio"});
  const double order = std::log2(errors[0] / errors[1]);
  checks.push_back({"order of mode 4, p = 2", "", 4, order, std::abs(order - 4), 0.5,
                    "2 p, twice the order of the shape in H¹; absolute"});
}

}  // namespace perturb::membrane

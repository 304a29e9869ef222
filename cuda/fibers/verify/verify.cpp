// Theory checks: results about fibers that do not depend on this program, of equal and of unequal length, and about the
// fluid between them.
#include <algorithm>
#include <cmath>
#include <string>

#include "cuda/core/simulation/format.h"
#include "cuda/fibers/fibers.h"
#include "cuda/fibers/kernels/evaluate.h"
#include "cuda/fibers/model/balance.h"
#include "cuda/fibers/model/fluid.h"
#include "cuda/fibers/model/plan.h"

namespace perturb::fibers {

namespace {

Placement lone(double tilt) {
  Placement fibers;
  fibers.add({0, 0, 0}, {std::sin(tilt), 0, std::cos(tilt)});
  return fibers;
}

// int G P_k ds by adaptive Gauss-Legendre: halves an interval until two rules agree.
struct Adaptive {
  Vector3<double> r, t;
  double doublet;
  int k, component;
  double value(double s) const {
    double p[max_terms + 1];
    legendre_values<max_terms>(s, p);
    const Vector3<double> d = add_scaled(r, -s, t);
    const double q[6] = {d.x * d.x, d.y * d.y, d.z * d.z, d.x * d.y, d.x * d.z, d.y * d.z};
    const double r2 = dot(d, d), r1 = std::sqrt(r2), r3 = r1 * r2;
    return p[k] * ((component < 3 ? 1 / r1 + doublet / r3 : 0) + q[component] * (1 / r3 - 3 * doublet / (r3 * r2)));
  }
  double panel(const FiberRule& rule, double a, double b) const {
    double sum = 0;
    for (int q = 0; q < rule.points; ++q)
      sum += rule.weight[q][0] * value(0.5 * (a + b) + 0.5 * (b - a) * rule.node[q]);
    return 0.5 * (b - a) * sum;
  }
  double integral(const FiberRule& rule, double a, double b, double whole, int depth) const {
    const double middle = 0.5 * (a + b), left = panel(rule, a, middle), right = panel(rule, middle, b);
    if (depth == 0 || std::abs(left + right - whole) < 1e-14 * (1 + std::abs(whole))) return left + right;
    return integral(rule, a, middle, left, depth - 1) + integral(rule, middle, b, right, depth - 1);
  }
};

TheoryCheck absolute_check(std::string name, double expected, double got, double tolerance, std::string note) {
  return {std::move(name), "", expected, got, std::abs(got - expected), tolerance, std::move(note)};
}

}  // namespace

TheoryCheck check_lone_fall(Backend& backend) {
  return absolute_check("fall of a single upright fiber", 1,
                        -evaluate_fibers(backend, lone(0), precise_fibers()).velocity[2], 1e-14,
                        "the unit of velocity");
}

TheoryCheck check_lone_across(Backend& backend) {
  const double d = fiber_d(0.01);
  return absolute_check("fall of a single level fiber", (d + 2) / (2 * d),
                        -evaluate_fibers(backend, lone(M_PI / 2), precise_fibers()).velocity[2], 1e-14,
                        "(d + 2)/(2 d); an exact spheroid of this slenderness: 0.62158");
}

TheoryCheck check_lone_drift(Backend& backend) {
  const double d = fiber_d(0.01);
  const Evaluation e = evaluate_fibers(backend, lone(M_PI / 4), precise_fibers());
  TheoryCheck check = absolute_check("drift of a single fiber at 45 degrees", (d - 2) / (4 * d),
                                     std::abs(e.velocity[0]), 1e-14, "(d - 2)/(2 d) sin cos; it does not turn");
  for (const double w : e.spin) check.error = std::max(check.error, std::abs(w));
  return check;
}

TheoryCheck check_vertical_pair(Backend& backend) {
  Placement fibers;
  fibers.add({-0.275, 0, 0}, {0, 0, 1});
  fibers.add({0.275, 0, 0}, {0, 0, 1});
  const Evaluation e = evaluate_fibers(backend, fibers, precise_fibers());
  TheoryCheck check = absolute_check("fall of two upright fibers, 0.55 apart", 1.2091042, -e.velocity[2], 1e-7,
                                     "an independent program of the method's derivation; their tops turn together");
  check.error = std::max({check.error, std::abs(e.spin[0] - 0.04721145), std::abs(e.spin[0] + e.spin[3])});
  return check;
}

TheoryCheck check_exchange(Backend& backend) {
  Parameters p = precise_fibers();
  p.pairing = Pairing::both;
  p.subintervals = 16;
  p.points_per_subinterval = 4;
  Placement fibers;
  fibers.add({0, 0, 0}, {0.6, 0, 0.8});
  fibers.add({0.9, 0.7, 0.4}, {0, 0.28, 0.96});
  const std::size_t size = fibers.position.size();
  Array<double> x(backend, size, "x"), t(backend, size, "t"), v(backend, size, "v"), w(backend, size, "w"),
      a(backend, 5 * size, "a");
  x.upload(fibers.position);
  t.upload(fibers.tangent);
  Flow flow(backend, 2, p, Kernel::stable, true);
  flow.evaluate(p, x.data(), t.data(), {}, v.data(), w.data(), a.data());
  const std::vector<double> there = flow.tensors(0, 1), back = flow.tensors(1, 0);
  const int n1 = flow.layout().order + 1;
  double max_error = 0;
  for (int n = 0; n < n1; ++n)
    for (int k = 0; k < n1; ++k)
      for (int c = 0; c < tensor; ++c)
        max_error = std::max(max_error, std::abs(there[static_cast<std::size_t>((n * n1 + k) * tensor + c)] -
                                                 back[static_cast<std::size_t>((k * n1 + n) * tensor + c)]));
  return {"exchange of two fibers, Theta_ml^nk - Theta_lm^kn", "", 0, max_error, max_error, 1e-9,
          "G is even and symmetric; a fine outer rule"};
}

TheoryCheck check_closed_form(bool near) {
  const FiberRule rule = make_fiber_rule(1, 8);
  const double e2 = 2e-4;
  double max_error = 0;
  const Vector3<double> axis{0.48, 0.6, 0.64};
  for (int place = 0; place < 12; ++place) {
    const Vector3<double> direction = random_direction(11, 5, static_cast<std::uint64_t>(place));
    const double distance = near ? 0.05 + 0.22 * place : 3.2 + 2.5 * place;
    Vector3<double> r{distance * direction.x, distance * direction.y, distance * direction.z};
    if (near) r = add_scaled(r, 0.17 * (place - 6), axis);
    double g[6][tensor];
    inner_integral<Starts::stable, 5>(r, axis, e2, last_moment, g);
    double scale = 0;
    for (int c = 0; c < tensor; ++c) scale = std::max(scale, std::abs(g[0][c]));
    for (int k = 0; k <= 5; ++k)
      for (int c = 0; c < tensor; ++c) {
        const Adaptive f{r, axis, e2, k, c};
        const double exact = f.integral(rule, -1, 1, f.panel(rule, -1, 1), 14);
        max_error = std::max(max_error, std::abs(g[k][c] - exact) / scale);
      }
  }
  return {near ? "closed form of the inner integral, near" : "closed form of the inner integral, far",
          "",
          0,
          max_error,
          max_error,
          1e-10,
          "adaptive quadrature; the largest difference over |G_0|"};
}

TheoryCheck check_order(Backend& backend, int scheme) {
  Parameters p = precise_fibers();
  p.scheme = static_cast<Scheme>(scheme);
  const bool fourth = p.scheme == Scheme::runge_kutta;
  const auto end = [&](double dt, Scheme of) {
    Setup setup;
    setup.simulation = "fibers";
    setup.width = 3;
    setup.seed = 5;
    setup.parameters = {{"radius", 1.5},
                        {"min_distance", 0.4},
                        {"tolerance", 1e-12},
                        {"time_step", dt},
                        {"scheme", static_cast<double>(of)}};
    const auto run = fibers_simulation().create(backend, setup);
    run->step(std::lround(2 / dt));
    return run->save().get<double>("position", {3, 3});
  };
  const std::vector<double> exact = end(0.0125, Scheme::runge_kutta);
  const auto error = [&](double dt) {
    const std::vector<double> x = end(dt, p.scheme);
    double sum = 0;
    for (std::size_t k = 0; k < x.size(); ++k) sum += (x[k] - exact[k]) * (x[k] - exact[k]);
    return std::sqrt(sum);
  };
  const double order = fourth ? std::log2(error(0.4) / error(0.2)) : std::log2(error(0.05) / error(0.025));
  static const char* const names[] = {"order of the two-step scheme", "order of Adams-Bashforth",
                                      "order of Runge-Kutta"};
  return {names[scheme],
          "",
          fourth ? 4.0 : 2.0,
          order,
          std::abs(order - (fourth ? 4 : 2)),
          fourth ? 0.8 : 0.25,
          "errors at two time steps against a fine one"};
}

TheoryCheck check_cloud(Backend& backend) {
  Placement fibers;
  add_fiber_ball(fibers, 100, {0, 0, 0}, 6, 0.04, 3, 1);
  const Evaluation e = evaluate_fibers(backend, fibers, Parameters{});
  const double d = fiber_d(0.01);
  double fall = 0, alone = 0;
  for (std::size_t m = 0; m < 100; ++m) {
    const double tz = fibers.tangent[3 * m + 2];
    fall -= e.velocity[3 * m + 2] / 100;
    alone += (d + 2 + (d - 2) * tz * tz) / (2 * d) / 100;
  }
  const double expected = alone + 99 * 8 / (5 * 6 * d);
  return {"mean fall of 100 fibers in a ball of radius 6",
          "",
          expected,
          fall,
          std::abs(fall / expected - 1),
          0.12,
          "point forces in a uniform ball: mean of single fibers + (M - 1) 8/(5 R d); a few percent less for fibers of "
          "finite length"};
}

TheoryCheck check_kernel(Backend& backend, const char* kernel, bool fp32) {
  Placement fibers;
  add_fiber_ball(fibers, 60, {0, 0, 0}, 5, 0.1, 3, 1);
  Parameters p = precise_fibers();
  const Evaluation expected = evaluate_fibers(backend, fibers, p);
  if (fp32) p.precision = Precision::fp32;
  const Evaluation got = evaluate_fibers(backend, fibers, p, fiber_kernel_of(kernel));
  const double error = largest_relative_difference(got.velocity, expected.velocity);
  return {std::string("velocities of the kernel ") + kernel + (fp32 ? " in single precision" : "") + " against stable",
          "",
          0,
          error,
          error,
          fp32 ? 5e-7 : 1e-7,
          "largest difference divided by the largest velocity"};
}

std::vector<TheoryCheck> verify(Backend& backend, bool with_long) {
  std::vector<TheoryCheck> checks = {check_lone_fall(backend),
                                     check_lone_across(backend),
                                     check_lone_drift(backend),
                                     check_vertical_pair(backend),
                                     check_exchange(backend),
                                     check_closed_form(true),
                                     check_closed_form(false),
                                     check_cloud(backend),
                                     check_core(),
                                     check_parting(),
                                     check_ring_fall(backend),
                                     check_orbit(),
                                     check_contact(),
                                     check_surface_flow(backend),
                                     check_drop(backend),
                                     check_kernel(backend, "recursion", false),
                                     check_kernel(backend, "stable", true),
                                     check_kernel(backend, "nodes", false),
                                     check_kernel(backend, "nodes", true),
                                     check_kernel(backend, "levels", false),
                                     check_kernel(backend, "levels", true),
                                     check_length_fall(backend),
                                     check_length_scaling(backend),
                                     check_length_balance(backend),
                                     check_length_kernel(backend, "recursion", false),
                                     check_length_kernel(backend, "stable", true),
                                     check_length_kernel(backend, "nodes", false),
                                     check_length_kernel(backend, "nodes", true),
                                     check_length_kernel(backend, "levels", false),
                                     check_length_kernel(backend, "levels", true)};
  for (const TheoryCheck& check : check_pairs(backend)) checks.push_back(check);
  if (with_long) {
    for (const TheoryCheck& check : check_scene_fall(backend)) checks.push_back(check);
    for (const bool thousand : {false, true})
      checks.push_back(check_scene_overlaps(backend, thousand, thousand ? 30 : 60));
  }
  for (int scheme = 0; scheme < (with_long ? 3 : 2); ++scheme) checks.push_back(check_order(backend, scheme));
  return checks;
}

// ---- unequal lengths

namespace {

// Four fibers of lengths from a half to twice the usual one, far enough from each other for plain rules of 64 points.
Placement four_unequal_fibers() {
  Placement fibers;
  const double halves[] = {0.5, 1, 1.5, 2};
  for (int m = 0; m < 4; ++m) {
    const Vector3<double> side = random_direction(5, 9, static_cast<std::uint64_t>(m));
    fibers.add(scaled(1 + 1.6 * m, side), random_direction(5, 10, static_cast<std::uint64_t>(m)), halves[m]);
  }
  return fibers;
}

// G(r) f.
Vector3<double> flow_of_force(Vector3<double> r, Vector3<double> f, double doublet) {
  const double r2 = dot(r, r), r1 = std::sqrt(r2), r3 = r1 * r2;
  return scaled(1 / r1 + doublet / r3, f) + scaled(dot(r, f) * (1 / r3 - 3 * doublet / (r3 * r2)), r);
}

// (along I + (along - 4) tt) f: the operator [d (I + tt) + 2 (I - tt)] + (I + tt) K on P_n, along = d + 2 - lambda_n.
Vector3<double> slender_operator(double along, Vector3<double> t, Vector3<double> f) {
  return add_scaled(scaled(along, f), (along - 4) * dot(t, f), t);
}

}  // namespace

TheoryCheck check_length_fall(Backend& backend) {
  const double d = fiber_d(0.01);
  double error = 0, fall = 0, expected = 0;
  for (const double half : {0.5, 2.0}) {
    const double own = d + 2 * std::log(half), tilt = M_PI / 6, s = std::sin(tilt), c = std::cos(tilt);
    Placement upright, tilted;
    upright.add({0, 0, 0}, {0, 0, 1}, half);
    tilted.add({0, 0, 0}, {s, 0, c}, half);
    fall = -evaluate_fibers(backend, upright, precise_fibers()).velocity[2];
    expected = own / d;
    const Evaluation e = evaluate_fibers(backend, tilted, precise_fibers());
    error = std::max({error, std::abs(fall - expected), std::abs(std::abs(e.velocity[0]) - (own - 2) / (2 * d) * s * c),
                      std::abs(-e.velocity[2] - (own + 2 + (own - 2) * c * c) / (2 * d))});
    for (const double w : e.spin) error = std::max(error, std::abs(w));
  }
  return {"fall of a single upright fiber of twice the length",
          "",
          expected,
          fall,
          error,
          1e-14,
          "1 + 2 ln 2/d, of the same radius; the error also of half the length, and of fall and drift at 30 degrees"};
}

TheoryCheck check_length_scaling(Backend& backend) {
  Parameters small = precise_fibers(), large = small;
  small.slenderness = 0.005;
  large.slenderness = 0.01;
  const Placement fibers = fiber_cloud(40, 4, 0.2, 3);
  Placement doubled;
  for (std::size_t m = 0; m < 40; ++m)
    doubled.add(scaled(2, load3(&fibers.position[3 * m])), load3(&fibers.tangent[3 * m]), 2);
  std::vector<double> expected = evaluate_fibers(backend, fibers, small).velocity;
  const double ratio = fiber_d(small.slenderness) / fiber_d(large.slenderness);
  for (double& v : expected) v *= ratio;
  const double error = largest_relative_difference(evaluate_fibers(backend, doubled, large).velocity, expected);
  return {"40 fibers with all lengths, distances and radii doubled",
          "",
          0,
          error,
          error,
          1e-11,
          "the same velocities in the new unit, d/d'; largest difference divided by the largest velocity"};
}

TheoryCheck check_length_balance(Backend& backend) {
  Parameters p = precise_fibers();
  p.subintervals = 16;
  p.points_per_subinterval = 4;
  const Placement fibers = four_unequal_fibers();
  const Evaluation e = evaluate_fibers(backend, fibers, p);
  const FiberRule rule = make_fiber_rule(16, 4);
  const double d = fiber_d(p.slenderness), doublet = 2 * p.slenderness * p.slenderness;
  double max_error = 0, largest = 0;
  for (int m = 0; m < 4; ++m) {
    const std::size_t own = 3 * static_cast<std::size_t>(m);
    const double half = fibers.half_of(m), own_d = fiber_d(p.slenderness / half);
    const Vector3<double> x = load3(&fibers.position[own]), t = load3(&fibers.tangent[own]);
    Vector3<double> v[6] = {};  // int V P_n
    for (int q = 0; q < rule.points; ++q) {
      Vector3<double> flow{0, 0, 0};
      for (int l = 0; l < 4; ++l) {
        if (l == m) continue;
        const std::size_t other = 3 * static_cast<std::size_t>(l);
        const Vector3<double> r = add_scaled(x - load3(&fibers.position[other]), half * rule.node[q], t);
        for (int k = 0; k < rule.points; ++k) {
          Vector3<double> f{0, 0, -0.5 * fibers.half_of(l) * rule.weight[k][0]};
          for (int n = 1; n <= 5; ++n)
            f = add_scaled(f, rule.weight[k][n],
                           load3(&e.coefficients[5 * other + 3 * static_cast<std::size_t>(n - 1)]));
          const Vector3<double> axis = load3(&fibers.tangent[other]);
          flow = flow + flow_of_force(add_scaled(r, -fibers.half_of(l) * rule.node[k], axis), f, doublet);
        }
      }
      for (int n = 0; n <= 5; ++n) v[n] = add_scaled(v[n], rule.weight[q][n], flow);
    }
    for (int n = 0; n <= 5; ++n) {
      const Vector3<double> force = n == 0 ? Vector3<double>{0, 0, -0.5 * half}
                                           : load3(&e.coefficients[5 * own + 3 * static_cast<std::size_t>(n - 1)]);
      const double norm = 2.0 / (2 * n + 1);
      const Vector3<double> moves = n == 0   ? scaled(2 * d, load3(&e.velocity[own]))
                                    : n == 1 ? scaled(norm * half * d, load3(&e.spin[own]))
                                             : Vector3<double>{0, 0, 0};
      const Vector3<double> own_flow = scaled(norm / half, slender_operator(own_d + 2 - fiber_lambda(n), t, force));
      const Vector3<double> rest = moves - own_flow - v[n];
      max_error = std::max(max_error, std::sqrt(dot(rest, rest)));
      largest = std::max(largest, std::sqrt(dot(v[n], v[n])));
    }
  }
  return {"slender-body equations of four fibers of lengths 1, 2, 3 and 4",
          "",
          0,
          max_error / largest,
          max_error / largest,
          1e-9,
          "residual with plain rules of 64 points, divided by the largest flow"};
}

TheoryCheck check_length_kernel(Backend& backend, const char* kernel, bool fp32) {
  Parameters p = precise_fibers();
  p.length_spread = 0.4;
  Placement fibers;
  add_fiber_ball(fibers, 60, {0, 0, 0}, 5, 0.1, 3, 1, draw_fiber_lengths(p, 60, 3, 1));
  const Evaluation expected = evaluate_fibers(backend, fibers, p);
  if (fp32) p.precision = Precision::fp32;
  const Evaluation got = evaluate_fibers(backend, fibers, p, fiber_kernel_of(kernel));
  const double error = largest_relative_difference(got.velocity, expected.velocity);
  return {
      std::string("unequal lengths: the kernel ") + kernel + (fp32 ? " in single precision" : "") + " against stable",
      "",
      0,
      error,
      error,
      fp32 ? 5e-7 : 1e-7,
      "velocities of 60 fibers; largest difference divided by the largest velocity"};
}

// ---- fluid

namespace {

// Velocities of the fluid at `places` around fibers whose only forces are their weights.
std::vector<double> fluid_of_weights(Backend& backend, const Placement& fibers, const std::vector<double>& poses) {
  const Parameters p;
  const std::size_t size = fibers.position.size();
  Array<double> x(backend, size, "x"), t(backend, size, "t"), a(backend, size * static_cast<std::size_t>(p.terms), "a");
  Array<double> at(backend, poses.size(), "places"), u(backend, poses.size(), "u");
  x.upload(fibers.position);
  t.upload(fibers.tangent);
  at.upload(poses);
  Fluid fluid(backend);
  fluid.velocity(p, {fibers.count(), x.data(), t.data(), a.data()}, {}, at.data(), static_cast<int>(poses.size() / 3),
                 u.data());
  return u.download();
}

}  // namespace

TheoryCheck check_surface_flow(Backend& backend) {
  Placement fibers;
  fibers.add({0, 0, 0}, {1, 0, 0});
  const double d = fiber_d(0.01), radius = 0.02, expected = (d + 2) / (2 * d);
  std::vector<double> poses;
  for (int k = 0; k < 8; ++k) {
    const double phi = 2 * M_PI * (k + 0.25) / 8;
    poses.insert(poses.end(), {0, radius * std::cos(phi), radius * std::sin(phi)});
  }
  const std::vector<double> u = fluid_of_weights(backend, fibers, poses);
  double error = 0;
  for (std::size_t k = 0; k < 8; ++k) error = std::max(error, std::abs(-u[3 * k + 2] - expected));
  return {"fluid at the surface of a single level fiber, at its middle",
          "",
          expected,
          -u[2],
          error,
          3e-4,  // (2 eps)², the square of the radius over half the length
          "no slip: the fall of the fiber, (d + 2)/(2 d)"};
}

TheoryCheck check_drop(Backend& backend) {
  constexpr int count = 4000, points = 400;
  constexpr double radius = 40, part = 0.5;
  Placement fibers, inside;
  add_fiber_ball(fibers, count, {0, 0, 0}, radius, 0, 3, 1);
  add_fiber_ball(inside, points, {0, 0, 0}, part * radius, 0, 4, 2);
  const std::vector<double> u = fluid_of_weights(backend, fibers, inside.position);
  double fall = 0;
  for (std::size_t k = 0; k < points; ++k) fall -= u[3 * k + 2] / points;
  // Hill's vortex in the drop: u_z = U [1 + (1 - r² (1 + sin² theta)/R²)/4]; its mean over the inner ball.
  const double expected = count * 8 / (5 * radius * fiber_d(0.01)) * (1 + 0.25 * (1 - part * part));
  return {"fluid in the inner half of a ball of 4000 fibers",
          "",
          expected,
          fall,
          std::abs(fall / expected - 1),
          0.03,
          "a drop as viscous as the fluid (Hadamard 1911, Rybczynski 1911): 19/16 of its fall; relative"};
}

}  // namespace perturb::fibers

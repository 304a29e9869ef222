#include "cuda/fibers/measure/microscope.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "cuda/core/simulation/diagnostics.h"
#include "cuda/fibers/measure/sums.h"
#include "cuda/fibers/model/balance.h"
#include "cuda/fibers/model/cell.h"
#include "cuda/fibers/model/interaction.h"
#include "cuda/fibers/model/start.h"

namespace perturb::fibers {

namespace {

// In the view, from a point of it.
struct FindUnderPointer {
  PointerLine pointer;
  const double *position, *tangent, *half_length;  // the last is null if all are 1
  int fibers;
  PERTURB_HD void operator()(int i, int j, NearestFiber& nearest) const {
    const int m = j * Sum::width + i;
    if (m >= fibers) return;
    const std::size_t own = 3 * static_cast<std::size_t>(m);
    const double half = half_length ? half_length[m] : 1;
    nearest.merge({pointer.distance(load3(position + own), scaled(half, load3(tangent + own))), m});
  }
};

// In space, from the axis of fiber `self`.
struct FindNeighbour {
  const double *position, *tangent, *half_length;
  double box;
  int fibers, self;
  PERTURB_HD void operator()(int i, int j, NearestFiber& nearest) const {
    const int m = j * Sum::width + i;
    if (m >= fibers || m == self) return;
    const std::size_t own = 3 * static_cast<std::size_t>(m), other = 3 * static_cast<std::size_t>(self);
    const Vector3<double> d = fiber_separation(position + other, position + own, box);
    nearest.merge({fiber_distance(d, load3(tangent + other), load3(tangent + own), half_length ? half_length[self] : 1,
                                  half_length ? half_length[m] : 1),
                   m});
  }
};

std::vector<double> list_of(Vector3<double> v) { return {v.x, v.y, v.z}; }

struct OneFiber {
  Vector3<double> x, t;
  double half;
};

}  // namespace

template <class Find>
NearestFiber Microscope::nearest(const Find& find, int fibers) {
  if (!nearest_) nearest_.emplace(backend_);
  nearest_->start("fibers.microscope", Sum::range(fibers), find);
  nearest_->wait();
  return nearest_->result();
}

Inspection Microscope::inspect(const Parameters& parameters, const FiberState& state, const ViewState& view, double x,
                               double y) {
  Inspection seen;
  const double *position = state.x.data(), *tangent = state.t.data(), *half_length = state.lengths.device();
  const NearestFiber found =
      nearest(FindUnderPointer{view.pointer_line(x, y, parameters), position, tangent, half_length, state.fibers},
              state.fibers);
  if (!(found.distance < 1e300)) return seen;
  const auto fiber = [&](int m) { return OneFiber{state.position_of(m), state.direction_of(m), state.lengths.of(m)}; };
  const int m = found.fiber;
  const OneFiber self = fiber(m);
  const double d = fiber_d(parameters.slenderness);

  const PictureViews views = view.views(parameters);
  const int pane = views.view_at(x);
  const auto projected = [&](Vector3<double> place) {
    const Vector3<double> own = place - view.center();
    const OrbitAxes& e = views.axes[pane];
    return CurvePoint{dot(own, e.right) + (2 * pane + 1) * views.half, dot(own, e.up) + views.half};
  };
  seen.title = Message("Fiber {}", m);
  seen.extent = {2 * self.half / views.domain_width(), 2 * self.half / views.domain_height()};
  seen.add_row("Centre", list_of(self.x), "length");
  seen.add_row("Direction", list_of(self.t));
  seen.add("Length", 2 * self.half, "length");
  seen.add("Slenderness", parameters.slenderness / self.half);
  seen.add_row("Velocity", list_of(state.velocity_of(m)), "length/time");
  Vector3<double> alone = lone_velocity(self.t, {0, 0, -1}, fiber_d(parameters.slenderness / self.half));
  alone = scaled(fiber_d(parameters.slenderness / self.half) / d, alone);
  seen.add_row("Velocity without the others", list_of(alone), "length/time");
  Glyphs glyphs(seen, views.domain_width(), views.domain_height());
  const auto axis = [&](Glyph::Role role, const OneFiber& one, int number) {
    glyphs.arrow(role, projected(add_scaled(one.x, -one.half, one.t)), projected(add_scaled(one.x, one.half, one.t)),
                 Message::value(std::to_string(number)));
  };
  axis(Glyph::Role::subject, self, m);
  if (state.fibers < 2 || parameters.alone) {
    seen.remark = state.fibers < 2 ? "There is no other fiber." : "In this scene fibers do not act on each other.";
    return seen;
  }

  const NearestFiber next =
      nearest(FindNeighbour{position, tangent, half_length, parameters.box, state.fibers, m}, state.fibers);
  if (!(next.distance < 1e300)) return seen;
  const OneFiber other = fiber(next.fiber);
  std::vector<double> a(3 * static_cast<std::size_t>(parameters.terms));
  backend_.copy_to_host(a.data(), state.a.data() + static_cast<std::size_t>(next.fiber) * a.size(),
                        a.size() * sizeof(double));
  const double self_x[3] = {self.x.x, self.x.y, self.x.z}, other_x[3] = {other.x.x, other.x.y, other.x.z};
  const Vector3<double> separation = fiber_separation(self_x, other_x, parameters.box);

  // V(s) = ∫ G f ds' at the nodes of the outer rule, with f = F/2 + Σ a^n P_n; and its integral.
  const FiberRule rule = make_fiber_rule(parameters.subintervals, parameters.points_per_subinterval);
  const double doublet = 2 * parameters.slenderness * parameters.slenderness;
  std::vector<Vector3<double>> flow;
  std::vector<double> nodes, speeds;
  Vector3<double> integral{0, 0, 0};
  double largest = 0;
  for (int q = 0; q < rule.points; ++q) {
    double g[max_terms + 1][tensor];
    inner_integral<Starts::stable, max_terms>(add_scaled(separation, rule.node[q] * self.half, self.t), other.t,
                                              other.half, doublet, last_moment, g);
    Vector3<double> v = add_product(g[0], Vector3<double>{0, 0, -0.5 * other.half}, {0, 0, 0});
    for (int n = 1; n <= parameters.terms; ++n) v = add_product(g[n], load3(a.data() + 3 * (n - 1)), v);
    flow.push_back(v);
    nodes.push_back(rule.node[q]);
    speeds.push_back(std::sqrt(dot(v, v)));
    integral = add_scaled(integral, rule.weight[q][0], v);
    largest = std::max(largest, speeds.back());
  }
  seen.title = Message("Fiber {} and its nearest neighbour, fiber {}", m, next.fiber);
  seen.add("Distance of the axes", next.distance, "length");
  seen.add_row("Points s along the fiber", nodes);
  seen.add_row("Integrand |V(s)| there", speeds);
  seen.add_row("Integral of V(s)", list_of(integral));
  seen.add_row("Its share of the velocity", list_of(scaled(1 / (2 * d), integral)), "length/time");
  seen.remark = "V(s): the neighbour's flow along the fiber, integrated in closed form. Arrows show it.";

  axis(Glyph::Role::neighbour, other, next.fiber);
  for (std::size_t q = 0; q < flow.size(); ++q) {
    const Vector3<double> at = add_scaled(self.x, nodes[q] * self.half, self.t);
    glyphs.circle(Glyph::Role::result, projected(at), 0.015 * self.half);
    if (largest > 0)
      glyphs.arrow(Glyph::Role::result, projected(at), projected(add_scaled(at, 0.5 * self.half / largest, flow[q])));
  }
  return seen;
}

}  // namespace perturb::fibers

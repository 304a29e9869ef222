// What is measured of the fibers: numbers, curves and gauges.
#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "cuda/core/known.h"
#include "cuda/core/parallel_for.h"
#include "cuda/core/words.h"
#include "cuda/fibers/fibers_orbits.h"
#include "cuda/fibers/fibers_run.h"

namespace perturb {

FiberSum FiberRun::sum_functor() const {
  const FiberArrays& s = *arrays_;
  return {s.x.data(),        s.t.data(), s.v.data(), s.w.data(), count_, reference_, fiber_d(parameters_.slenderness),
          s.lengths.device()};
}
FiberSums FiberRun::frame_sums() {
  frame_sums_.start("fibers.sums", sum_range(), sum_functor());
  frame_sums_.wait();
  return frame_sums_.result();
}

namespace {

std::vector<Curve> curves_of(const FiberShape& shape, const FiberShapeFrame& frame, double fibers, int core) {
  Curve radial{"radial", "Density about the core's middle", "distance", "length", "fibers per volume", "1/length³", {},
               {}};
  const double width = frame.radius / FiberShape::radial_bins, ball = 4.0 / 3.0 * M_PI;
  for (int k = 0; k < FiberShape::radial_bins; ++k) {
    const double inner = k * width, outer = inner + width;
    radial.points.push_back(
        {0.5 * (inner + outer), shape.radial[k] / (ball * (outer * outer * outer - inner * inner * inner))});
  }
  // A uniform ball that is as wide as the core: its radius is half of what the shells cover.
  const double edge = 0.5 * frame.radius, uniform = core / (ball * edge * edge * edge);
  radial.theory = {{0, uniform}, {edge, uniform}, {edge, 0}, {frame.radius, 0}};
  Curve fall{"fall_speeds", "Fall", "fall", "length/time", "share of the fibers", "", {}, {}};
  for (int k = 0; k < FiberShape::fall_bins; ++k)
    fall.points.push_back({frame.least_fall + (k + 0.5) * (frame.most_fall - frame.least_fall) / FiberShape::fall_bins,
                           shape.fall[k] / fibers});
  Curve upright{"upright", "Orientation", "|t_z|", "", "density", "", {}, {{0, 1}, {1, 1}}};  // directions at random
  for (int k = 0; k < FiberShape::upright_bins; ++k)
    upright.points.push_back(
        {(k + 0.5) / FiberShape::upright_bins, shape.upright[k] * FiberShape::upright_bins / fibers});
  return {radial, fall, upright};
}

}  // namespace

Diagnostics FiberRun::diagnostics(const ViewSettings& view, bool wait) {
  evaluate();  // beforehand: the time of it is a step's
  const auto start = [&] { return ask(wait); };
  const auto ready = [this] { return sums_.ready() && overlaps_.ready() && shape_.ready(); };
  const auto finish = [this](Measured& measured) {
    measured.sums = sums_.result(), measured.overlaps = overlaps_.result(), measured.shape = shape_.result();
  };
  return describe(measuring_.look(
                      backend(), wait, start, ready, [this] { await_measurement(); }, finish),
                  view);
}

std::vector<Gauge> FiberRun::gauges() const {
  Gauge terms;
  terms.id = "terms", terms.label = "λ_N / d";
  terms.help =
      "The system of the forces is regular only while λ_N = 2 (1 + 1/2 + ... + 1/N) stays below d = -ln(ε² e), ε that "
      "of the shortest fiber.";
  // The shortest fiber is the thickest for its length.
  terms.value = fiber_lambda(parameters_.terms) / fiber_d(parameters_.slenderness / arrays_->lengths.shortest());
  terms.limit = 1;
  terms.near = 0.9;  // the smallest eigenvalue is a tenth of what it is for long fibers
  terms.remedy = "Lower the number of terms (terms) or the slenderness (slenderness).";
  Gauge overlaps;
  overlaps.id = "overlaps", overlaps.label = "Overlapping pairs";
  overlaps.help =
      "Pairs whose axes are closer than one thickness. Without contact fibers may pass through each other, and "
      "near-parallel ones that do make the system indefinite, so that GMRES takes over.";
  const Measured* latest = measuring_.latest();
  overlaps.value = latest ? static_cast<double>(latest->overlaps.pairs) : 0, overlaps.limit = 0.5;
  overlaps.only_warns = true;
  overlaps.remedy = parameters_.contact
                        ? "The run goes on. To begin without any, raise the least distance (min_distance)."
                        : "The run goes on. Switch on contact (contact) to push them apart.";
  Gauge orbits;
  orbits.id = "orbits", orbits.label = "False growth of orbits a turn";
  orbits.help =
      "Within a cloud fibers circulate. By this share the time scheme makes such an orbit wider or narrower each turn, "
      "for one that turns as fast as the fibers do (the root of their mean square). At a half the cloud opens, loses "
      "fibers and slows down for no reason of physics.";
  const double turn = latest && latest->sums.not_finite == 0
                          ? std::sqrt(latest->sums.spin2 / latest->fibers) * parameters_.time_step
                          : 0;
  orbits.value = std::abs(fiber_orbit_growth(parameters_.scheme, turn)), orbits.limit = 0.5, orbits.near = 0.06;
  orbits.remedy = "Lower the time step (time_step), or take the time scheme Runge-Kutta (scheme).";
  return {terms, orbits, overlaps};
}

// On the host: it goes over the fibers until nothing changes, which takes a device's memory there and back less time
// than as many waits.
FiberCore FiberRun::core() const {
  return find_fiber_core(arrays_->x.download(), arrays_->t.download(), arrays_->v.download(),
                         fiber_d(parameters_.slenderness), arrays_->lengths.host());
}

void FiberRun::watch_ring() {
  if (!ring_break_.looks_at(steps_) || count_ < fewest_core_fibers || parameters_.alone || parameters_.box > 0) return;
  // Places alone tell it: directions and velocities are of other numbers of the core.
  const std::vector<double> rest(3 * static_cast<std::size_t>(count_), 0.0);
  ring_break_.look(find_fiber_core(arrays_->x.download(), rest, rest, fiber_d(parameters_.slenderness)), time_);
}

FiberRun::Measured FiberRun::ask(bool wait) {
  const FiberLengths& lengths = arrays_->lengths;
  Measured begun{{},
                 {},
                 {},
                 {},
                 core(),
                 reference_,
                 steps_,
                 time_,
                 count_,
                 solve_,
                 failure_,
                 lengths.unequal(),
                 lengths.shortest(),
                 lengths.longest(),
                 ring_break_};
  sums_.start("fibers.sums", sum_range(), sum_functor());
  const double *const x = arrays_->x.data(), *const t = arrays_->t.data(), *const half = arrays_->lengths.device();
  const double thickness = 4 * parameters_.slenderness;
  const Range2D pairs{count_, count_};
  if (half)
    overlaps_.start("fibers.overlaps", pairs, FiberOverlap<true>{x, t, half, thickness, parameters_.box});
  else
    overlaps_.start("fibers.overlaps", pairs, FiberOverlap<false>{x, t, half, thickness, parameters_.box});
  // The histogram of distances lies about the core, that of the falls spans what they spanned. Without waiting these
  // are the last numbers': a frame or two back.
  const Measured* latest = wait ? nullptr : measuring_.latest();
  if (!latest) sums_.wait();
  const FiberSums& s = latest ? latest->sums : sums_.result();
  FiberShapeFrame& frame = begun.frame;
  frame.middle = begun.core.middle, frame.radius = 2 * begun.core.radius;
  if (!(frame.radius > 1e-9)) frame.radius = 1;
  frame.least_fall = s.least_fall, frame.most_fall = s.most_fall;
  if (!(frame.most_fall > frame.least_fall)) frame.least_fall -= 0.5, frame.most_fall = frame.least_fall + 1;
  shape_.start("fibers.shape", sum_range(),
               FiberShapeSum{arrays_->x.data(), arrays_->t.data(), arrays_->v.data(), count_, frame});
  return begun;
}

Diagnostics FiberRun::describe(const Measured& m, const ViewSettings& view) const {
  const FiberSums& s = m.sums;
  const double n = m.fibers, d = fiber_d(parameters_.slenderness);
  const double x = s.x / n, y = s.y / n, z = s.z / n;
  const double radius = std::sqrt(5.0 / 3.0 * std::max(0.0, (s.xx + s.yy + s.zz) / n - x * x - y * y - z * z));
  Diagnostics result;
  result.step = m.step, result.time = m.time;
  const FiberCore& core = m.core;
  const bool cloud = n > 1 && !parameters_.alone;
  result.scalars = {{"fall", "Mean fall", "length/time", s.fall / n, Meaning::motion}};
  if (cloud) {
    result.scalars.push_back({"core_fall", "Core's fall", "length/time", core.fall, Meaning::motion});
    const bool free = !(parameters_.box > 0);
    const FiberFallEstimate ball = free ? estimate_fiber_fall(core, d) : FiberFallEstimate{},
                            ring = free ? estimate_ring_fall(core, d) : FiberFallEstimate{};
    if (ball.known)
      result.scalars.push_back(
          {"fall_theory", "Core's fall, estimate for a ball", "length/time", ball.fall, Meaning::motion});
    if (ring.known)
      result.scalars.push_back(
          {"fall_ring", "Core's fall, estimate for a ring", "length/time", ring.fall, Meaning::motion});
    else if (!ball.known && !ball.why_not.empty())
      result.remarks.push_back(ball.why_not);
    if (parameters_.box > 0)
      result.remarks.push_back(
          "No estimate of the fall: in a periodic box it depends on the box, and a core is none that repeats.");
  } else {
    result.scalars.push_back(
        {"fall_theory", "Mean fall of lone fibers, exact", "length/time", s.lone_fall / n, Meaning::motion});
  }
  // Four of a unit share a plot: those that belong together come first.
  if (m.unequal)
    result.scalars.push_back(
        {"long_below", "Longer fibers below shorter ones", "length", core.long_below, Meaning::shape});
  for (const Scalar& scalar : std::initializer_list<Scalar>{
           {"core_radius", "Core radius", "length", core.radius, Meaning::shape},
           {"ring_radius", "Ring radius", "length", core.ring_radius, Meaning::shape},
           {"ring_section", "Ring's section, radius", "length", core.ring_section, Meaning::shape},
           {"core_half_height", "Core's half height", "length", core.half_height, Meaning::shape},
           {"radius", "Radius of all fibers", "length", radius, Meaning::shape},
           {"drift", "Mean height", "length", m.reference.z + z, Meaning::motion},
           {"aspect", "Core's height over width", "", core.aspect, Meaning::shape},
           {"parting", "Ring's parting", "", core.parting, Meaning::shape},
           {"left_behind", "Left behind, share", "", 1 - core.fibers / n, Meaning::shape},
           {"order", "Orientation order", "", 1.5 * s.upright / n - 0.5, Meaning::shape},
           known_if(m.time > 0, {"leak_rate", "Mean leak rate", "1/time", m.time > 0 ? (n - core.fibers) / m.time : 0,
                                 Meaning::motion}),
           {"fibers", "Fibers", "", n, Meaning::matter},
           {"overlaps", "Overlapping pairs", "", static_cast<double>(m.overlaps.pairs), Meaning::accuracy},
           {"iterations", "Iterations", "", static_cast<double>(m.solve.iterations), Meaning::computing},
           {"residual", "Residual", "", std::isfinite(m.solve.residual) ? m.solve.residual : 1, Meaning::computing},
           {"matrix", "Matrix stored", "MB", 1e-6 * static_cast<double>(arrays_->flow->matrix_bytes()),
            Meaning::computing},
           {"closed_pairs", "Pairs in closed form", "", arrays_->flow->closed_pairs(), Meaning::computing}})
    result.scalars.push_back(scalar);
  if (cloud && m.ring_break.broke())
    result.scalars.push_back({"ring_broke", "Ring broke at", "time", m.ring_break.time(), Meaning::shape});
  if (m.unequal && cloud) {
    result.scalars.push_back(
        {"core_length", "Core's fibers, mean length", "mean length", core.mean_length, Meaning::matter});
    result.scalars.push_back(known_if(core.fibers < n, {"behind_length", "Those left behind, mean length",
                                                        "mean length", core.mean_length_behind, Meaning::matter}));
  }
  if (n > 1 && s.not_finite == 0) result.curves = curves_of(m.shape, m.frame, n, core.fibers);
  switch (fiber_shown_quantity(view.quantity)) {
    case FiberShown::speed:
      result.minimum = s.slowest, result.maximum = s.fastest;
      break;
    case FiberShown::fall:
      result.minimum = s.least_fall - s.fall / n, result.maximum = s.most_fall - s.fall / n;
      break;
    case FiberShown::orientation:
      result.minimum = 0, result.maximum = 1;
      break;
    case FiberShown::index:
      result.minimum = 0, result.maximum = std::max(1.0, n - 1);
      break;
    case FiberShown::length:
      result.minimum = m.shortest, result.maximum = m.longest;
      break;
  }
  if (s.not_finite > 0) {
    result.finite = false;
    result.trouble =
        "Fiber " + std::to_string(s.first_bad) +
        (s.not_finite > 1 ? " and " + std::to_string(s.not_finite - 1) + " more" : "") +
        " have no finite place, direction or velocity at step " + std::to_string(m.step) +
        ". Two fibers may lie exactly in each other: lower time_step, or begin with a larger min_distance.";
    for (Scalar& scalar : result.scalars)
      if (!std::isfinite(scalar.value)) scalar.value = 0;
    result.minimum = 0, result.maximum = 1;
  } else if (!m.failure.empty()) {
    result.finite = false, result.trouble = m.failure;
  }
  return result;
}

}  // namespace perturb

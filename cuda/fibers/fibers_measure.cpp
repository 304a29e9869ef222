// What is measured of the fibers: numbers, curves and gauges.
#include <algorithm>
#include <cmath>

#include "cuda/core/parallel_for.h"
#include "cuda/core/words.h"
#include "cuda/fibers/fibers_run.h"

namespace perturb {

FiberSum FiberRun::sum_functor() const {
  const FiberArrays& s = *arrays_;
  return {s.x.data(), s.t.data(), s.v.data(), s.w.data(), count_, reference_, fiber_d(parameters_.slenderness)};
}
FiberSums FiberRun::frame_sums() {
  frame_sums_.start("fibers.sums", sum_range(), sum_functor());
  frame_sums_.wait();
  return frame_sums_.result();
}

namespace {

std::vector<Curve> curves_of(const FiberShape& shape, const FiberShapeFrame& frame, double fibers) {
  Curve radial{"radial", "Density about the middle", "distance", "length", "fibers per volume", "1/length³", {}, {}};
  const double width = frame.radius / FiberShape::radial_bins, ball = 4.0 / 3.0 * M_PI;
  for (int k = 0; k < FiberShape::radial_bins; ++k) {
    const double inner = k * width, outer = inner + width;
    radial.points.push_back(
        {0.5 * (inner + outer), shape.radial[k] / (ball * (outer * outer * outer - inner * inner * inner))});
  }
  // A uniform ball that is as wide: its radius is half of what the shells cover.
  const double edge = 0.5 * frame.radius, uniform = fibers / (ball * edge * edge * edge);
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
      "The system of the forces is regular only while λ_N = 2 (1 + 1/2 + ... + 1/N) stays below d = -ln(ε² e).";
  terms.value = fiber_lambda(parameters_.terms) / fiber_d(parameters_.slenderness), terms.limit = 1;
  terms.near = 0.9;  // the smallest eigenvalue is a tenth of what it is for long fibers
  terms.remedy = "Lower the number of terms (terms) or the slenderness (slenderness).";
  Gauge overlaps;
  overlaps.id = "overlaps", overlaps.label = "Overlapping pairs";
  overlaps.help =
      "Pairs whose axes are closer than one thickness. The model has no contact force: fibers may pass through each "
      "other, and near-parallel ones that do make the system indefinite, so that GMRES takes over.";
  const Measured* latest = measuring_.latest();
  overlaps.value = latest ? static_cast<double>(latest->overlaps.pairs) : 0, overlaps.limit = 0.5;
  overlaps.only_warns = true;
  overlaps.remedy = "The run goes on. To begin without any, raise the least distance (min_distance).";
  return {terms, overlaps};
}

FiberRun::Measured FiberRun::ask(bool wait) {
  Measured begun{{}, {}, {}, {}, reference_, steps_, time_, count_, solve_, failure_};
  sums_.start("fibers.sums", sum_range(), sum_functor());
  overlaps_.start("fibers.overlaps", Range2D{count_, count_},
                  FiberOverlap{arrays_->x.data(), arrays_->t.data(), 4 * parameters_.slenderness, parameters_.box});
  // The histograms lie about the middle. Without waiting it is that of the last numbers: a frame or two back.
  const Measured* latest = wait ? nullptr : measuring_.latest();
  if (!latest) sums_.wait();
  const FiberSums& s = latest ? latest->sums : sums_.result();
  const Vector3<double>& reference = latest ? latest->reference : reference_;
  const double n = std::max(1, latest ? latest->fibers : count_);
  FiberShapeFrame& frame = begun.frame;
  const Vector3<double> mean{s.x / n, s.y / n, s.z / n};
  frame.middle = reference + mean;
  const double spread2 = (s.xx + s.yy + s.zz) / n - dot(mean, mean);
  frame.radius = 2 * std::sqrt(5.0 / 3.0 * std::max(0.0, spread2));
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
  const double across2 = std::max(0.0, (s.xx + s.yy) / n - x * x - y * y), along2 = std::max(0.0, s.zz / n - z * z);
  const double radius = std::sqrt(5.0 / 3.0 * (across2 + along2));
  Diagnostics result;
  result.step = m.step, result.time = m.time;
  // A uniform ball of point forces: J. Comput. Phys. 215 (2006) has the law for one fiber, README.md the sum.
  const double estimate = s.lone_fall / n + (radius > 0 && !parameters_.alone ? (n - 1) * 8 / (5 * radius * d) : 0);
  result.scalars = {{"fall", "Mean fall", "length/time", s.fall / n},
                    {"fall_theory",
                     n > 1 && !parameters_.alone ? "Mean fall, estimate for a ball" : "Mean fall of lone fibers, exact",
                     "length/time", estimate},
                    {"drift", "Mean height", "length", m.reference.z + z},
                    {"radius", "Cloud radius", "length", radius},
                    {"aspect", "Height over width", "", across2 > 0 ? std::sqrt(2 * along2 / across2) : 0},
                    {"order", "Orientation order", "", 1.5 * s.upright / n - 0.5},
                    {"fibers", "Fibers", "", n},
                    {"overlaps", "Overlapping pairs", "", static_cast<double>(m.overlaps.pairs)},
                    {"iterations", "Iterations", "", static_cast<double>(m.solve.iterations)},
                    {"residual", "Residual", "", std::isfinite(m.solve.residual) ? m.solve.residual : 1},
                    {"matrix", "Matrix stored", "MB", 1e-6 * static_cast<double>(arrays_->flow->matrix_bytes())},
                    {"closed_pairs", "Pairs in closed form", "", arrays_->flow->closed_pairs()}};
  if (n > 1 && s.not_finite == 0) result.curves = curves_of(m.shape, m.frame, n);
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

// Sums from one pass over the fibers.
#pragma once

#include "cuda/core/backend/host_device.h"
#include "cuda/core/backend/view.h"
#include "cuda/core/math/elementary.h"
#include "cuda/fibers/model/start.h"
#include "cuda/fibers/model/state.h"

namespace perturb::fibers {

struct Sums {
  double x = 0, y = 0, z = 0, xx = 0, yy = 0, zz = 0;  // of the centres, and their squares
  double fall = 0, upright = 0, spin2 = 0;             // -velocity_z, tangent_z², spin²
  double lone_fall = 0;                                // fall of the fibers if each were alone
  double slowest = 1e300, fastest = -1e300;            // |velocity|
  double min_fall = 1e300, max_fall = -1e300;
  long long not_finite = 0, first_bad = -1;
  PERTURB_HD void merge(const Sums& o) {
    x += o.x;
    y += o.y;
    z += o.z;
    xx += o.xx;
    yy += o.yy;
    zz += o.zz;
    fall += o.fall;
    upright += o.upright;
    spin2 += o.spin2;
    lone_fall += o.lone_fall;
    slowest = o.slowest < slowest ? o.slowest : slowest;
    fastest = o.fastest > fastest ? o.fastest : fastest;
    min_fall = o.min_fall < min_fall ? o.min_fall : min_fall;
    max_fall = o.max_fall > max_fall ? o.max_fall : max_fall;
    if (o.first_bad >= 0 && (first_bad < 0 || o.first_bad < first_bad)) first_bad = o.first_bad;
    not_finite += o.not_finite;
  }
};

struct Sum {
  const double *position, *tangent, *velocity, *spin;
  int fibers;
  double d;
  const double* half_length;  // null: all are 1
  static constexpr int width = 64;
  static Range2D range(int fibers) { return {width, (fibers + width - 1) / width}; }
  PERTURB_HD void operator()(int i, int j, Sums& into) const {
    const int m = j * width + i;
    if (m >= fibers) return;
    const std::size_t at = 3 * static_cast<std::size_t>(m);
    const double *x = position + at, *t = tangent + at, *v = velocity + at, *w = spin + at;
    double all = 0;
    for (int k = 0; k < 3; ++k) all += x[k] + t[k] + v[k] + w[k];
    const double size2 = t[0] * t[0] + t[1] * t[1] + t[2] * t[2];
    if (!(all - all == 0) || !(size2 > 0.25)) {
      ++into.not_finite;
      if (into.first_bad < 0 || m < into.first_bad) into.first_bad = m;
      return;
    }
    into.x += x[0];
    into.y += x[1];
    into.z += x[2];
    into.xx += x[0] * x[0];
    into.yy += x[1] * x[1];
    into.zz += x[2] * x[2];
    const double speed = ::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    into.fall += -v[2];
    into.upright += t[2] * t[2];
    into.spin2 += w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
    const double own = half_length ? d + 2 * logarithm(half_length[m]) : d;
    into.lone_fall += (own + 2 + (own - 2) * t[2] * t[2]) / (2 * d);
    into.slowest = speed < into.slowest ? speed : into.slowest;
    into.fastest = speed > into.fastest ? speed : into.fastest;
    into.min_fall = -v[2] < into.min_fall ? -v[2] : into.min_fall;
    into.max_fall = -v[2] > into.max_fall ? -v[2] : into.max_fall;
  }
};

inline Sum fiber_sum_of(const FiberState& s, const Parameters& p) {
  return {s.x.data(), s.t.data(), s.v.data(), s.w.data(), s.fibers, fiber_d(p.slenderness), s.lengths.device()};
}

// Histograms of the fibers: by distance from their middle, by fall against the mean, by |t_z|.
struct Shape {
  static constexpr int radial_bins = 15, fall_bins = 15, upright_bins = 10;
  int radial[radial_bins] = {}, fall[fall_bins] = {}, upright[upright_bins] = {};
  PERTURB_HD void merge(const Shape& o) {
    for (int k = 0; k < radial_bins; ++k) radial[k] += o.radial[k];
    for (int k = 0; k < fall_bins; ++k) fall[k] += o.fall[k];
    for (int k = 0; k < upright_bins; ++k) upright[k] += o.upright[k];
  }
};
// Range of the bins.
struct ShapeFrame {
  Vector3<double> middle{0, 0, 0};
  double radius = 1;  // of the outermost shell
  double min_fall = 0, max_fall = 1;
};

struct ShapeSum {
  const double *position, *tangent, *velocity;
  int fibers;
  ShapeFrame frame;
  PERTURB_HD static int bin(double share, int bins) {
    return share >= 0 && share < 1 ? static_cast<int>(share * bins) : share == 1 ? bins - 1 : -1;
  }
  PERTURB_HD void operator()(int i, int j, Shape& into) const {
    const int m = j * Sum::width + i;
    if (m >= fibers) return;
    const std::size_t at = 3 * static_cast<std::size_t>(m);
    const double dx = position[at] - frame.middle.x, dy = position[at + 1] - frame.middle.y,
                 dz = position[at + 2] - frame.middle.z;
    const int shell = bin(::sqrt(dx * dx + dy * dy + dz * dz) / frame.radius, Shape::radial_bins);
    const int fall = bin((-velocity[at + 2] - frame.min_fall) / (frame.max_fall - frame.min_fall), Shape::fall_bins);
    const int upright = bin(::fabs(tangent[at + 2]), Shape::upright_bins);
    if (shell >= 0) ++into.radial[shell];
    if (fall >= 0) ++into.fall[fall];
    if (upright >= 0) ++into.upright[upright];
  }
};

// Pairs of fibers whose axes are closer than one thickness, and the closest of all.
struct Overlaps {
  long long pairs = 0;
  double closest = 1e300;
  PERTURB_HD void merge(const Overlaps& o) {
    pairs += o.pairs;
    closest = o.closest < closest ? o.closest : closest;
  }
};

template <bool unequal>
struct Overlap {
  const double *position, *tangent, *half_length;
  double thickness, box;
  PERTURB_HD void operator()(int m, int l, Overlaps& into) const {
    if (m >= l) return;
    const double *a = position + 3 * static_cast<std::size_t>(m), *b = position + 3 * static_cast<std::size_t>(l);
    Vector3<double> d{a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    if (box > 0) d = {d.x - box * ::rint(d.x / box), d.y - box * ::rint(d.y / box), d.z - box * ::rint(d.z / box)};
    double own = 1, other = 1;
    if constexpr (unequal) {
      own = half_length[m];
      other = half_length[l];
    }
    const double reach = own + other + thickness;
    if (!(dot(d, d) < reach * reach)) return;
    const double *t = tangent + 3 * static_cast<std::size_t>(m), *u = tangent + 3 * static_cast<std::size_t>(l);
    const double distance = fiber_distance(d, {t[0], t[1], t[2]}, {u[0], u[1], u[2]}, own, other);
    if (distance < thickness) ++into.pairs;
    if (distance < into.closest) into.closest = distance;
  }
};

}  // namespace perturb::fibers

#include "cuda/fibers/measure/marks.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "cuda/core/simulation/format.h"
#include "cuda/core/simulation/marks.h"
#include "cuda/fibers/model/balance.h"
#include "cuda/fibers/model/cell.h"

namespace perturb::fibers {

namespace {

// A point in space, relative to the middle, in the first view; in length units of the domain.
CurvePoint in_view(const PictureViews& views, Vector3<double> at) {
  const OrbitAxes& e = views.axes[0];
  return {dot(at, e.right) + views.half, dot(at, e.up) + views.half};
}

}  // namespace

void mark_lone_fibers(const Placement& fibers, const Parameters& p, const PictureViews& views, Vector3<double> center,
                      Diagnostics& diagnostics) {
  if (fibers.count() > max_fibers_with_arrows) return;
  Marks marks(diagnostics, views.domain_width(), views.domain_height());
  const double d = fiber_d(p.slenderness);
  for (int m = 0; m < fibers.count(); ++m) {
    const double *x = &fibers.position[static_cast<std::size_t>(3 * m)],
                 *t = &fibers.tangent[static_cast<std::size_t>(3 * m)];
    // All are equally thick, so a longer fiber is more slender; the weight grows with the length. The velocity unit is
    // that of an upright fiber of half length 1.
    const double own = d + 2 * std::log(fibers.half_of(m));
    const Vector3<double> velocity = scaled(own / d, lone_velocity({t[0], t[1], t[2]}, {0, 0, -1}, own)),
                          from{x[0] - center.x, x[1] - center.y, x[2] - center.z};
    marks.arrow(in_view(views, from), in_view(views, from + velocity),
                Message("Falls at {}", with_unit(format_number(-velocity.z, 3), "length/time")));
  }
}

void mark_core_fall(const PictureViews& views, Diagnostics& d) {
  const auto scalar = [&](const std::string& id) {
    const Scalar* found = d.scalar(id);
    return found && has_value(found->value) ? found->value : 0;
  };
  const double measured = scalar("core_fall");
  const double ring = scalar("fall_ring"), estimate = ring > 0 ? ring : scalar("fall_theory");
  if (!(measured > 0 && estimate > 0)) return;
  Marks marks(d, views.domain_width(), views.domain_height());
  // The longer one reaches halfway down.
  const double scale = 0.5 * views.half / std::max(measured, estimate), aside = 0.03 * views.half;
  const auto arrow = [&](double x, double fall, const char* text, bool is_measured) {
    const CurvePoint from = in_view(views, {0, 0, 0}), to = in_view(views, {0, 0, -scale * fall});
    marks.arrow({from.x + x, from.y}, {to.x + x, to.y}, Message(text, with_unit(format_number(fall, 3), "length/time")),
                is_measured);
  };
  arrow(-aside, estimate, ring > 0 ? "Fall of a ring, estimate: {}" : "Fall of a ball, estimate: {}", false);
  arrow(aside, measured, "Fall of the core: {}", true);
}

}  // namespace perturb::fibers

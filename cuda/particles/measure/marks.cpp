#include "cuda/particles/measure/marks.h"

#include <algorithm>
#include <string>

#include "cuda/core/simulation/format.h"
#include "cuda/core/simulation/marks.h"

namespace perturb::particles {

void add_disc_marks(const Measured& m, const ReportContext& s, Diagnostics& d) {
  Marks marks(d, s.width, s.height);
  const auto scalar = [&](const std::string& id) {
    const Scalar* found = d.scalar(id);
    return found && has_value(found->value) ? found->value : 0;
  };
  const double time = static_cast<double>(m.step) / s.slow;
  // Where the scalars are missing, there is no front: the wall is slow, or the front has reached the other side.
  if (const double speed = scalar("shock_speed_theory"); speed > 0) {
    const double x = s.width - speed * time, found = s.width - scalar("shock_speed") * time;
    marks.line({{x, 0}, {x, s.height}}, Message("Front: {}", with_unit(format_number(speed, 3), "length/time")));
    marks.dashed({{found, 0}, {found, s.height}}, {}, true);
  }
  const double path = scalar("free_path"), expected = scalar("free_path_enskog");
  const double left = 0.03 * s.width, cross = 0.012 * s.height;
  const auto bar = [&](double y, double length, const char* text, bool measured) {
    if (length > 0 && left + length < s.width)
      marks.bar({left, y * s.height}, {left + length, y * s.height}, cross,
                Message(text, with_unit(format_number(length, 3), "length")), measured);
  };
  bar(0.15, expected, "Mean free path, theory: {}", false);
  if (expected > 0) bar(0.07, path, "Mean free path: {}", true);
}

}  // namespace perturb::particles

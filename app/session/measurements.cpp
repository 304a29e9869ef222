#include "app/session/measurements.h"

#include <utility>

#include "app/io/files/curves_csv.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

std::vector<Curve> Measurements::curves() const {
  std::vector<Curve> all = diagnostics_poller_.latest().curves;
  for (Curve& curve : instruments_.curves(client_.info(), client_.domain())) all.push_back(std::move(curve));
  return all;
}

std::vector<Curve> Measurements::curves_over_time() const {
  std::vector<Curve> curves;
  for (const History::Series& one : diagnostics_poller_.history().series()) {
    Curve curve;
    curve.id = one.id, curve.label = one.label;
    curve.x_label = "Time", curve.x_unit = "time", curve.y_label = one.label, curve.y_unit = one.unit;
    curve.points = one.points;
    curves.push_back(std::move(curve));
  }
  return curves;
}

std::vector<Curve> Measurements::all_curves() const {
  std::vector<Curve> all = curves();
  for (Curve& curve : curves_over_time()) all.push_back(std::move(curve));
  return all;
}

std::string Measurements::to_text() const {
  const double time = client_.run().time;
  std::string text = "time: " + format_number(time) + "\n";
  for (const Scalar& scalar : diagnostics_poller_.latest().scalars)
    text += scalar.label + ": " + with_unit_of(scalar.value, scalar.unit, 6) + "\n";
  for (const Curve& curve : diagnostics_poller_.latest().curves)
    if (const std::string error = error_text(curve); !error.empty())
      text += curve.label + ": against theory" + error + "\n";
  return text + instruments_.text(client_.info(), client_.domain(), time);
}

}  // namespace perturb

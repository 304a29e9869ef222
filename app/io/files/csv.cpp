#include "app/io/files/csv.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <limits>
#include <span>
#include <utility>

#include "app/io/files/output.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/diagnostics.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

CsvFile::CsvFile(const std::string& path) : path_(path), file_(path), stream_(file_.temporary(), std::ios::binary) {
  check_stream();
}

void CsvFile::check_stream() {
  if (!stream_) throw Error(cannot_write(path_, errno == 0 ? EIO : errno));
}

// Writes each row in one piece: if memory runs out, the file contains whole rows only.
void CsvFile::add(const Diagnostics& diagnostics) {
  std::string text;
  std::vector<std::string> columns = columns_;
  if (columns.empty()) {
    text = "step,time";
    for (const Scalar& scalar : diagnostics.scalars) {
      columns.push_back(scalar.id);
      text += ',' + scalar.id;
      if (!scalar.unit.empty()) text += " [" + scalar.unit + ']';
    }
    text += '\n';
  }
  text += std::to_string(diagnostics.step) + ',' + shortest_text(diagnostics.time);
  for (const std::string& id : columns) {
    text += ',';
    for (const Scalar& scalar : diagnostics.scalars)
      if (scalar.id == id && has_value(scalar.value)) text += shortest_text(scalar.value);
  }
  text += '\n';
  errno = 0;
  stream_ << text;
  columns_ = std::move(columns);
  check_output_fault(path_);
  check_stream();
}

void CsvFile::finish() {
  errno = 0;
  stream_.close();
  check_stream();
  file_.commit();
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

namespace {

double linear_y(const Curve& curve, double y) { return curve.logarithmic_y ? std::pow(10, y) : y; }

}  // namespace

std::string curves_as_csv(const std::vector<Curve>& curves) {
  std::string text = "curve,x,x_unit,y,y_unit,kind\n";
  const auto rows = [&](const Curve& curve, const std::vector<CurvePoint>& points, const char* kind) {
    for (const CurvePoint& p : points)
      text += csv_field(curve.id) + "," + shortest_text(p.x) + "," + csv_field(curve.x_unit) + "," +
              (std::isfinite(p.y) ? shortest_text(linear_y(curve, p.y)) : "") + "," + csv_field(curve.y_unit) + "," +
              kind + "\n";
  };
  for (const Curve& curve : curves)
    rows(curve, curve.points, "measured"), rows(curve, curve.theory, curve.theory_is_fit ? "fit" : "theory");
  return text;
}

void save_text(const std::string& text, const std::string& path) { replace_file(path, std::as_bytes(std::span(text))); }

namespace {

bool is_tick(const CurvePoint& a, const CurvePoint& b, const CurvePoint& c) {
  return a.x == b.x && b.x == c.x && a.y == c.y && a.y != b.y;
}

}  // namespace

double error_against_theory(const Curve& curve) {
  if (curve.theory.size() >= 3 && is_tick(curve.theory[0], curve.theory[1], curve.theory[2]))
    return std::numeric_limits<double>::quiet_NaN();
  std::vector<CurvePoint> theory;
  for (const CurvePoint& p : curve.theory)
    if (std::isfinite(p.x) && std::isfinite(p.y)) theory.push_back({p.x, linear_y(curve, p.y)});
  const auto before = [](const CurvePoint& a, const CurvePoint& b) { return a.x < b.x; };
  std::stable_sort(theory.begin(), theory.end(), before);
  double off = 0, own = 0;
  for (const CurvePoint& p : curve.points) {
    if (theory.empty() || !std::isfinite(p.y) || p.x < theory.front().x || p.x > theory.back().x) continue;
    const auto right = std::lower_bound(theory.begin(), theory.end(), p, before);
    double expected = right->y;
    if (right != theory.begin() && right->x > p.x) {
      const CurvePoint& left = *(right - 1);
      expected = left.y + (p.x - left.x) / (right->x - left.x) * (right->y - left.y);
    }
    const double difference = linear_y(curve, p.y) - expected;
    off += difference * difference, own += expected * expected;
  }
  return own > 0 ? std::sqrt(off / own) : std::numeric_limits<double>::quiet_NaN();
}

Message error_text(const Curve& curve) {
  const double error = error_against_theory(curve);
  if (!std::isfinite(error)) return {};
  char text[40];
  std::snprintf(text, sizeof text, error < 0.1 ? "%.1f %%" : "%.0f %%", 100 * error);
  return error > 10 ? Message(", far off") : Message(", {} off", std::string(text));
}

}  // namespace perturb

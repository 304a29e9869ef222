#include "app/io/files/csv.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/io/files/output.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/diagnostics.h"
#include "cuda/core/simulation/format.h"
#include "cuda/core/simulation/uncompared.h"

namespace perturb {

CsvFile::CsvFile(const std::string& path, std::vector<Column> columns, std::string note)
    : path_(path),
      note_(std::move(note)),
      file_(path),
      stream_(file_.temporary(), std::ios::binary),
      columns_(std::move(columns)) {
  check_stream();
}

void CsvFile::check_stream() {
  if (!stream_) throw Error(cannot_write(path_, errno == 0 ? EIO : errno));
}

// Writes each row in one piece: if memory or space runs out, the file contains whole rows only.
void CsvFile::add(const Diagnostics& diagnostics) {
  std::string text;
  if (is_empty()) {
    for (const Scalar& scalar : diagnostics.scalars) {
      const auto same = [&](const Column& column) { return column.id == scalar.id; };
      if (std::find_if(columns_.begin(), columns_.end(), same) == columns_.end())
        columns_.push_back({scalar.id, scalar.unit});
    }
    text = "step,time";
    for (const Column& column : columns_)
      text += ',' + column.id + (column.unit.empty() ? "" : " [" + csv_unit(column.unit) + ']');
    if (!note_.empty()) text += ',' + csv_unit(note_);
    text += '\n';
  }
  text += std::to_string(diagnostics.step) + ',' + shortest_text(diagnostics.time);
  for (const Column& column : columns_) {
    text += ',';
    for (const Scalar& scalar : diagnostics.scalars)
      if (scalar.id == column.id && has_value(scalar.value)) text += shortest_text(scalar.value);
  }
  text += note_.empty() ? "\n" : ",\n";
  check_output_fault(path_);
  errno = 0;
  stream_ << text << std::flush;
  check_stream();
  complete_ += text.size();
}

std::string CsvFile::finish() {
  errno = 0;
  const bool has_failed = !stream_;
  stream_.clear();
  stream_.close();
  if (!has_failed) {
    check_stream();
    file_.commit();
    return path_;
  }
  namespace fs = std::filesystem;
  if (file_.temporary() == path_) return path_;  // a device or a pipe
  const fs::path whole(path_);
  const std::string name = unused_stem((whole.parent_path() / whole.stem()).string(), {whole.extension().string()}) +
                           whole.extension().string();
  std::error_code failed;
  fs::resize_file(file_.temporary(), complete_, failed);
  if (!failed) fs::rename(file_.temporary(), name, failed);
  if (failed) throw Error(cannot_write(path_, failed.value()));
  return name;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_unit(const std::string& unit) {
  static constexpr std::pair<std::string_view, std::string_view> spelled[] = {{"²", "^2"}, {"³", "^3"}, {"⁴", "^4"},
                                                                              {"·", "*"},  {"×", "*"},  {"°", "deg"},
                                                                              {"µ", "u"},  {"μ", "u"},  {"√", "sqrt "}};
  std::string ascii = unit;
  for (const auto& [sign, words] : spelled)
    for (std::size_t at = ascii.find(sign); at != std::string::npos; at = ascii.find(sign, at + words.size()))
      ascii.replace(at, sign.size(), words);
  return csv_field(ascii);
}

namespace {

double linear_y(const Curve& curve, double y) { return curve.logarithmic_y ? std::pow(10, y) : y; }

}  // namespace

std::string curves_as_csv(const std::vector<Curve>& curves) {
  std::string text = "curve,x,x_unit,y,y_unit,kind\n";
  const auto rows = [&](const Curve& curve, const std::vector<CurvePoint>& points, const char* kind) {
    for (const CurvePoint& p : points)
      text += csv_field(curve.id) + "," + shortest_text(p.x) + "," + csv_unit(curve.x_unit) + "," +
              (std::isfinite(p.y) ? shortest_text(linear_y(curve, p.y)) : "") + "," + csv_unit(curve.y_unit) + "," +
              kind + "\n";
  };
  for (const Curve& curve : curves) {
    rows(curve, curve.points, "measured");
    rows(curve, curve.theory, curve.theory_is_fit ? "fit" : "theory");
  }
  return text;
}

void save_text(const std::string& text, const std::string& path) { replace_file(path, std::as_bytes(std::span(text))); }

namespace {

// The points that are numbers, by x.
std::vector<CurvePoint> in_order(const std::vector<CurvePoint>& points) {
  std::vector<CurvePoint> ordered;
  for (const CurvePoint& p : points)
    if (std::isfinite(p.x) && std::isfinite(p.y)) ordered.push_back(p);
  std::stable_sort(ordered.begin(), ordered.end(), [](const CurvePoint& a, const CurvePoint& b) { return a.x < b.x; });
  return ordered;
}

// Linear between ordered points, within their range.
double value_at(const std::vector<CurvePoint>& points, double x) {
  const auto right =
      std::lower_bound(points.begin(), points.end(), x, [](const CurvePoint& p, double at) { return p.x < at; });
  if (right == points.begin() || right->x == x) return right->y;
  const CurvePoint& left = *(right - 1);
  return left.y + (x - left.x) / (right->x - left.x) * (right->y - left.y);
}

bool is_tick(const CurvePoint& a, const CurvePoint& b, const CurvePoint& c) {
  return a.x == b.x && b.x == c.x && a.y == c.y && a.y != b.y;
}

}  // namespace

double error_against_theory(const Curve& curve) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  if (is_uncompared(curve)) return none;
  if (curve.theory.size() >= 3 && is_tick(curve.theory[0], curve.theory[1], curve.theory[2])) return none;
  const std::vector<CurvePoint> measured = in_order(curve.points), theory = in_order(curve.theory);
  // A table of reference values is compared at its own points. Few points of theory are the corners of straight lines.
  constexpr std::size_t smallest_table = 8;
  const bool is_table = theory.size() >= smallest_table && 2 * theory.size() < measured.size();
  double off = 0, own = 0;
  int count = 0;
  for (const CurvePoint& p : is_table ? theory : measured) {
    const std::vector<CurvePoint>& other = is_table ? measured : theory;
    if (other.empty() || p.x < other.front().x || p.x > other.back().x) continue;
    const double y = value_at(other, p.x);
    off += std::abs(p.y - y);
    own += std::abs(is_table ? p.y : y);
    ++count;
  }
  if (curve.logarithmic_y) return count > 0 ? std::pow(10, off / count) - 1 : none;
  return own > 0 ? off / own : none;
}

Message error_text(const Curve& curve) {
  const double error = error_against_theory(curve);
  if (!std::isfinite(error)) return {};
  char text[40];
  std::snprintf(text, sizeof text, error < 0.1 ? "%.1f %%" : "%.0f %%", 100 * error);
  return error > 10 ? Message(", far off") : Message(", {} off", std::string(text));
}

}  // namespace perturb

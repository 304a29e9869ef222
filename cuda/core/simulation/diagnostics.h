// Measured numbers of a simulation's state.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/core/backend/message.h"

namespace perturb {

// The subject of a number. Panels and plots group numbers of one meaning, in this order: the most relevant first,
// bookkeeping last.
enum class Meaning {
  regime,       // the kind of motion to expect: a Reynolds number
  oscillation,  // lengths, frequencies and directions of waves, and what they measure: fringes, a focus
  motion,       // speeds, momentum, paths
  energy,
  forces,  // including pressure
  field,   // extremes and means of the shown quantity
  collisions,
  shape,      // of a group: its extent, its order, its losses
  matter,     // amount, density and permeability
  accuracy,   // differences from theory, and what a run missed
  computing,  // the cost of the solution
  other
};

// The heading of a group.
constexpr const char* label_of(Meaning meaning) {
  constexpr const char* labels[] = {
      "Regime",     "Waves and oscillations", "Motion", "Energy",   "Forces and pressure", "Field",
      "Collisions", "Shape and order",        "Matter", "Accuracy", "Computation",         "Other"};
  return labels[static_cast<int>(meaning)];
}

// A named number, for the panel, the plots and the columns of the CSV.
struct Scalar {
  std::string id;
  Message label;
  std::string unit;
  double value = 0;
  Meaning meaning = Meaning::other;
};

struct CurvePoint {
  double x, y;
};

// Samples in a row that are drawn as one point: their mean, and the range from the lowest to the highest.
struct SampleGroup {
  double x = 0, mean = 0, low = 0, high = 0;
  std::size_t count = 1;

  static SampleGroup of(const CurvePoint& sample) { return {sample.x, sample.y, sample.y, sample.y}; }
  void add(const SampleGroup& next) {
    count += next.count;
    const double share = static_cast<double>(next.count) / static_cast<double>(count);
    x += share * (next.x - x);
    mean += share * (next.mean - mean);
    low = std::min(low, next.low);
    high = std::max(high, next.high);
  }
  SampleGroup scaled(double x_factor, double y_factor) const {
    return {x * x_factor, mean * y_factor, low * y_factor, high * y_factor, count};
  }
};
// Two groups become one, except for a rest.
inline void merge_pairs(std::vector<SampleGroup>& groups) {
  const std::size_t merged = (groups.size() + 1) / 2;
  for (std::size_t k = 0; k < merged; ++k) {
    groups[k] = groups[2 * k];
    if (2 * k + 1 < groups.size()) groups[k].add(groups[2 * k + 1]);
  }
  groups.resize(merged);
}

// A named curve, for plots: a histogram, a spectrum, a profile. `theory` may be empty.
struct Curve {
  std::string id;
  Message label, x_label;
  std::string x_unit;
  Message y_label;
  std::string y_unit;
  std::vector<CurvePoint> points, theory;
  bool logarithmic_y = false;         // the points' y are base-10 logarithms, and the axis label names the quantity
  bool theory_is_fit = false;         // `theory` was fitted to the points, so that it does not test them
  std::vector<SampleGroup> groups{};  // of old samples: the means are among the points
};

// Theory drawn into the view, over the flat domain: a ray, an expected front, a node line, a force.
struct TheoryMark {
  enum class Shape { line, dashed, arrow, point };
  Shape shape = Shape::line;
  std::vector<CurvePoint> points;  // fractions of the domain: a polyline; of an arrow its tail and its head
  Message label{};                 // at the last point; empty: none
  bool measured = false;           // from the running simulation, not from theory; drawn in another colour
};

// A stability reading with its limit, shown before the limit is exceeded.
struct Gauge {
  std::string id;
  Message label, help;
  double value = 0, limit = 1;  // stable below the limit
  Message remedy;               // what to do, or the id of the parameter to lower
  // Beyond its limit the run is not unstable, but worth a warning: a count of overlaps. The gauge then turns amber and
  // shows only the value.
  bool advisory = false;
  // From here on the value is near the limit (amber): where an effect on the physics begins; each simulation sets it
  // for its own number.
  double warn_at = 0.9;
  // Whether `value` has been measured: otherwise the gauge shows that it is unknown, without a warning.
  bool measured = true;

  enum class Level { good, near, exceeded, unknown };
  Level level() const {
    if (!measured) return Level::unknown;
    if (advisory) return value <= limit ? Level::good : Level::near;
    // NaN exceeds every limit.
    return !(value < limit) ? Level::exceeded : value >= warn_at ? Level::near : Level::good;
  }
};

// Null if there is no element of this id.
template <class Element>
const Element* find_by_id(const std::vector<Element>& elements, std::string_view id) {
  const auto found = std::find_if(elements.begin(), elements.end(), [&](const Element& one) { return one.id == id; });
  return found == elements.end() ? nullptr : &*found;
}

struct Diagnostics {
  std::int64_t step = 0;  // the step of the measured state; on CUDA it may be a few steps old
  double time = 0;
  std::vector<Scalar> scalars;
  std::vector<Curve> curves;
  std::vector<TheoryMark> marks;    // drawn if the view asks for theory (ViewSettings::theory)
  std::vector<Message> remarks;     // about the numbers: their subject, and why one is missing; whole sentences
  double minimum = 0, maximum = 0;  // of the shown quantity, for the automatic colour range
  bool finite = true;
  Message error;  // where and why it is not finite, and which parameter to lower

  // Null if there is none.
  const Scalar* scalar(std::string_view id) const { return find_by_id(scalars, id); }
  const Curve* curve(std::string_view id) const { return find_by_id(curves, id); }
  // The scalar's value; NaN if there is none.
  double number(std::string_view id) const {
    const Scalar* found = scalar(id);
    return found ? found->value : std::numeric_limits<double>::quiet_NaN();
  }
};

// One row of `perturb verify`.
struct TheoryCheck {
  std::string name, unit;
  double expected = 0, got = 0;
  double error = 0, tolerance = 0;  // passes if error <= tolerance; absolute or relative as in the name
  std::string note;                 // origin of the expected value
  bool pass() const { return error <= tolerance; }
};

// The value of a number that is not defined yet, such as a frequency before any oscillation: a specific NaN, distinct
// from the NaN of a failed computation. Front ends show "–", tables leave the cell empty, and plots omit the point.
inline constexpr double no_value = __builtin_bit_cast(double, std::uint64_t{0x7ff8'0000'0000'2013});

inline bool has_value(double value) {
  return __builtin_bit_cast(std::uint64_t, value) != __builtin_bit_cast(std::uint64_t, no_value);
}

// The scalar, or no_value unless `known`.
inline Scalar value_if(bool known, Scalar scalar) {
  if (!known) scalar.value = no_value;
  return scalar;
}

}  // namespace perturb

// What a simulation tells about its state.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace perturb {

// What a number is about. Panels and plots put those of one meaning together, in this order: what is looked at comes
// first, bookkeeping last.
enum class Meaning {
  regime,       // which kind of motion to expect: a Reynolds number
  oscillation,  // lengths, frequencies and directions of waves, and what they are a measure of: fringes, a focus
  motion,       // speeds, momentum, ways
  energy,
  forces,  // pressure too
  field,   // extremes and means of what is shown
  collisions,
  shape,      // of a crowd: its extent, its order, what has left it
  matter,     // how much there is, how dense it lies, and what it lets through
  accuracy,   // distances from theory, and what a run missed
  computing,  // what the solution cost
  other
};

// A heading for them.
constexpr const char* label_of(Meaning meaning) {
  constexpr const char* labels[] = {
      "Regime",     "Waves and oscillations", "Motion", "Energy",   "Forces and pressure", "Field",
      "Collisions", "Shape and order",        "Matter", "Accuracy", "Computation",         "Other"};
  return labels[static_cast<int>(meaning)];
}

// A named number, for the panel, the plots and the CSV's columns.
struct Scalar {
  std::string id, label, unit;
  double value = 0;
  Meaning meaning = Meaning::other;
};

struct CurvePoint {
  double x, y;
};

// A named curve, for plots: a histogram, a spectrum, a profile. `theory` may be empty.
struct Curve {
  std::string id, label, x_label, x_unit, y_label, y_unit;
  std::vector<CurvePoint> points, theory;
  bool logarithmic_y = false;  // the points' y are base-10 logarithms, and the axis says what they are logarithms of
};

// A stability number beside its limit, shown before the limit is crossed.
struct Gauge {
  std::string id, label, help;
  double value = 0, limit = 1;  // stable below the limit
  std::string remedy;           // which parameter to lower
  // Past its limit the run is not unstable, only something to know of: a count of overlaps. Then
  // amber, and the value alone.
  bool advisory = false;
  // From here on the limit is near (amber): where the physics begins to tell, which each simulation
  // knows of its own number.
  double warn_at = 0.9;
  // Whether `value` was measured: a gauge says so until then, and warns of nothing.
  bool measured = true;

  enum class Level { good, near, exceeded, unknown };
  Level level() const {
    if (!measured) return Level::unknown;
    if (advisory) return value <= limit ? Level::good : Level::near;
    // A number that is none is past every limit.
    return !(value < limit) ? Level::exceeded : value >= warn_at ? Level::near : Level::good;
  }
};

struct Diagnostics {
  std::int64_t step = 0;  // the state they were taken from; on CUDA it may lie a few steps back
  double time = 0;
  std::vector<Scalar> scalars;
  std::vector<Curve> curves;
  std::vector<std::string> remarks;  // of the numbers: what they are of, and why one is missing; sentences
  double minimum = 0, maximum = 0;   // of the shown quantity, for the automatic colour range
  bool finite = true;
  std::string error;  // where and why it is not finite, and which parameter to lower
};

// One row of `perturb verify`.
struct TheoryCheck {
  std::string name, unit;
  double expected = 0, got = 0;
  double error = 0, tolerance = 0;  // passes while error <= tolerance; absolute or relative as the name says
  std::string note;                 // where the expected value comes from
  bool pass() const { return error <= tolerance; }
};

}  // namespace perturb

// A curve that the user draws before it is measured, and its deviation from the measurement.
#pragma once

#include <string>
#include <vector>

#include "app/io/preset/lesson_text.h"
#include "cuda/core/simulation/diagnostics.h"

namespace perturb {

struct SketchScore {
  double distance = 0;  // root mean square of the differences, divided by the range of the measurement
  double factor = 1;    // scale factor of the sketch if its height is free, from a least-squares fit
};

// Compares a sketch, with points in the order of x, at the measured points within the question's interval of x. The
// sketch is interpolated linearly and extended at constant height beyond its ends. Throws InputError if nothing was
// measured there yet.
SketchScore compare_sketch(const std::vector<CurvePoint>& sketch, const LessonSketch& asked,
                           const std::vector<CurvePoint>& measured);
// Throws InputError if the sketch leaves out more than a fifth of the width.
void require_whole_sketch(const std::vector<CurvePoint>& sketch, const LessonSketch& asked);
// Reads a file of lines "x,y", in the order of x. Throws InputError with file and line.
std::vector<CurvePoint> read_sketch(const std::string& path);
// The curve with this id. Throws InputError with a list of the available ids.
const Curve& curve_of(const Diagnostics& diagnostics, const std::string& id);

}  // namespace perturb

// A curve that somebody has drawn before it was measured, and how near it came.
#pragma once

#include <string>
#include <vector>

#include "app/io/preset/lesson_text.h"
#include "cuda/core/simulation/diagnostics.h"

namespace perturb {

struct SketchScore {
  double distance = 0;  // root mean square of the differences, over what was measured goes from its lowest to highest
  double factor = 1;    // that the sketch was multiplied by, where its height is free: by least squares
};

// Of a sketch, its points in the order of x, at the measured points within the question's x. Between its points it is
// straight, beyond its ends it goes on level. Throws InputError where nothing was measured there yet.
SketchScore compare_sketch(const std::vector<CurvePoint>& sketch, const LessonSketch& asked,
                           const std::vector<CurvePoint>& measured);
// Throws InputError for one that leaves out more than a fifth of the width.
void require_whole_sketch(const std::vector<CurvePoint>& sketch, const LessonSketch& asked);
// A file of lines "x,y", in the order of x. Throws InputError with file and line.
std::vector<CurvePoint> read_sketch(const std::string& path);
// The curve of this id. Throws InputError that lists those that there are.
const Curve& curve_of(const Diagnostics& diagnostics, const std::string& id);

}  // namespace perturb

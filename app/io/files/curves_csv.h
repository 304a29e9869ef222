// Curves as a table of comma-separated values.
#pragma once

#include <string>
#include <vector>

#include "cuda/core/simulation/diagnostics.h"

namespace perturb {

// One row per point: "curve,x,x_unit,y,y_unit,kind", where the kind is "measured" or "theory" and a curve is named by
// its id. Points of a logarithmic curve are written as the actual numbers. Numbers read back bit for bit.
std::string curves_as_csv(const std::vector<Curve>& curves);
// Throws Error.
void save_text(const std::string& text, const std::string& path);

// Relative error of a curve compared with theory: the root mean square of the differences at the measured points within
// the range of the theory curve (linear between its points), divided by that of theory at the same points. NaN if there
// is no theory or it is zero at all of these points.
double error_against_theory(const Curve& curve);
// ", 2.3 % off"; empty if there is no error to show.
std::string error_text(const Curve& curve);

}  // namespace perturb

// Curves as a table of comma-separated values.
#pragma once

#include <string>
#include <vector>

#include "cuda/core/simulation/diagnostics.h"

namespace perturb {

// One row for each point: "curve,x,x_unit,y,y_unit,kind", the kind "measured" or "theory"; a curve is named by its id.
// Points of a logarithmic curve are written as the numbers they stand for. Numbers read back to the same bits.
std::string curves_as_csv(const std::vector<Curve>& curves);
// Throws Error.
void save_text(const std::string& text, const std::string& path);

// How far a curve is from the theory beside it, as a share: the root mean square of the differences at the measured
// points between the theory's ends (theory linear between its points), over the theory's own at the same points. Not a
// number where there is none, or it is zero throughout.
double error_against_theory(const Curve& curve);
// ", 2.3 % off"; empty where there is no error to tell.
std::string error_text(const Curve& curve);

}  // namespace perturb

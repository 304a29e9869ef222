// Theory drawn into the box (Diagnostics::marks).
#pragma once

#include "cuda/core/simulation/diagnostics.h"
#include "cuda/particles/measure/describe.h"

namespace perturb::particles {

// Adds to described numbers:
// - the front of the shock ahead of a fast wall: where theory expects it (its speed times the time, from the start of
//   the wall), and where it is;
// - the mean free path as a bar in the lower left corner, by Enskog's theory and measured.
void add_disc_marks(const Measured& measured, const ReportContext& context, Diagnostics& diagnostics);

}  // namespace perturb::particles

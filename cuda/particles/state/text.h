// Discs as text, one per line after a header line:
//
//   N L r S mode            discs, side of the box, their radius, steps of unit time; the paper's mode `print` (write
//                           every step) or `perf` (the first and the last one), or nothing
//   id x y vx vy            ids 0 ... N - 1 in any order; lengths, lengths per unit of time
//   id x y vx vy wc pc      the same with counts: collisions with walls and with discs
//
// A header alone places the discs at random without overlap, by the seed, with even velocities up to the scene's
// largest, as the paper's program does.
//
// Blank lines and comments after # are ignored, with one exception: "# done" after a header means that S counts
// completed steps, as in all text written here, and the run continues from there. Without it S is the number of steps
// to take. Of several blocks, as written by --print, the last is read. Numbers are written so that reading them is
// bit-identical.
#pragma once

#include <string>

#include "cuda/core/simulation/text_format.h"

namespace perturb::particles {

// Throws InputError "NAME:LINE:COLUMN: ..." for text of another format, or an invalid start: N r² > L², L < 2 r, a disc
// outside the box, a missing or repeated id. Discs may overlap, as they may after a step (the run warns when it loads
// them).
TextStart read_text(const std::string& text, const std::string& name, const Setup& base);
// With the counts in the `last` block. S is the number of completed units of time, "# done". If a unit has several
// steps, the remark adds the steps taken since: "# done, and 1/2".
std::string write_text(const State& state, bool last);

}  // namespace perturb::particles

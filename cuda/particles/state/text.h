// The discs as text, one a line after a header line:
//
//   N L r S mode            discs, side of the box, their radius, steps of unit time; the source's word `print` (write
//                           every step) or `perf` (the first and the last one), or nothing
//   id x y vx vy            ids 0 ... N - 1 in any order; lengths, lengths per unit of time
//   id x y vx vy wc pc      the same with what has been counted: collisions with walls and with discs
//
// Blank lines and what follows a # do not count, but for one remark: "# done" behind a header says that S is what has
// been done, as in all that is written here, and the run goes on from there; without it S is what is to be done. Of
// several blocks one after the other, as --print writes them, the last is read. Numbers are written so that reading
// them gives the same bits.
#pragma once

#include <string>

#include "cuda/core/simulation/text_format.h"

namespace perturb::particles {

// Throws InputError "NAME:LINE:COLUMN: ..." for what is not such a text, or not a start: N r² > L², L < 2 r, a disc
// outside the box, an id that is missing or there twice. Discs may overlap, as they may after a step (the run says so
// when it takes them).
TextStart read_text(const std::string& text, const std::string& name, const Setup& base);
// With the counts in the `last` block. S is the number of whole units of time so far, "# done"; where a unit has
// several steps, the remark says how many of them have been taken since: "# done, and 1/2".
std::string write_text(const State& state, bool last);

}  // namespace perturb::particles

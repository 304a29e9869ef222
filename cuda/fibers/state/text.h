// The fibers as text: a table of comma-separated values, one fiber a line after a line of headings.
//
//   time,fiber,x,y,z,tx,ty,tz,half_length
//
// Centre and unit tangent; half_length is there where fibers differ in length. In a text that is read the headings name
// the columns in any order: x to tz are needed, half_length counts where it is there, the run goes on at the time that
// all lines tell (0 where they tell none), fiber is left out of account, and a direction may have any length but zero.
// Blank lines and what follows a # do not count. Of several tables one after the other, as --print writes them, the
// last is read. Numbers are written so that reading them gives the same bits.
#pragma once

#include <string>

#include "cuda/core/simulation/text_format.h"

namespace perturb::fibers {

// Throws InputError "NAME:LINE:COLUMN: ..." for what is not such a text, or has a number out of range.
TextStart read_text(const std::string& text, const std::string& name, const Setup& base);
std::string write_text(const State& state, bool last);

}  // namespace perturb::fibers

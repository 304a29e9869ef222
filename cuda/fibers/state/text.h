// Fibers as text: a table of comma-separated values, one fiber per line after a header line.
//
//   time,fiber,x,y,z,tx,ty,tz,half_length
//
// Centre and unit tangent; half_length is present if lengths differ. On reading, the header names the columns in any
// order: x to tz are required, half_length is optional. The run continues at the time that all lines give (0 if they
// give none), fiber is ignored, and a direction may have any length except zero. Blank lines and comments after # are
// ignored. Of several tables one after the other, as written by --print, the last is read. Numbers are written so that
// reading them is bit-identical.
#pragma once

#include <string>

#include "cuda/core/simulation/text_format.h"

namespace perturb::fibers {

// Throws InputError "NAME:LINE:COLUMN: ..." for text of another format, or with a number out of range.
TextStart read_text(const std::string& text, const std::string& name, const Setup& base);
std::string write_text(const State& state, bool last);

}  // namespace perturb::fibers

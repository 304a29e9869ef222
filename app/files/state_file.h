// Saved states as HDF5, the way h5py, MATLAB and ParaView read it:
//
//   /                 attributes format = "perturb-state", format_version, program_version, simulation, preset,
//                     steps, time, seed, width, height
//   /parameters       a group whose attributes are the parameters by id: real numbers as float64, whole numbers as
//                     int64, true and false as int8, choices as strings
//   /u, /wall, ...    the fields, slowest index first (row 0 is the bottom of the picture), each with an attribute `unit`
#pragma once

#include <string>

#include "cuda/core/state.h"

namespace perturb {

// The newest layout this program reads, and the one it writes. Raise it when an older program would misread a file.
inline constexpr int state_format_version = 1;

// Writes to a temporary file beside `path` and renames it when it is whole: the old file is never lost. Throws Error.
void save_state(const State& state, const std::string& path);
// Throws InputError for a file that is missing, foreign, truncated or newer than this program, in a sentence.
State load_state(const std::string& path);

}  // namespace perturb

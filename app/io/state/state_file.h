// Saved states as HDF5, the way h5py, MATLAB and ParaView read it:
//
//   /                 attributes format = "perturb-state", format_version, program_version, simulation, preset,
//                     steps, time, seed, width, height
//   /parameters       a group whose attributes are the parameters by id: real numbers as float64, whole numbers as
//                     int64, true and false as int8, choices as strings
//   /u, /wall, ...    the fields, slowest index first (row 0 is the bottom of the picture), each with an attribute
//                     `unit`
//
// Strings are UTF-8 of fixed length. Before the HDF5 part lies a checksum (checksum_header.h). The same state gives the
// same bytes. A file whose name ends in ".perturb" has the portable format instead (portable_state.h), which is read
// whatever the name is.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/run/experiment.h"
#include "cuda/core/simulation/saved_field.h"
#include "cuda/core/simulation/state.h"

namespace perturb {

// The newest layout this program reads, and the one it writes. Raise it when an older program would misread a file.
inline constexpr int state_format_version = 1;
inline constexpr const char* state_format_name = "perturb-state";

// Made in memory, written to a temporary file beside `path` and renamed when it is whole: the old file is never lost.
// When it cannot be written there, the state goes to another place that takes it. Throws Error in both cases, and names
// that place.
void save_state(const State& state, const std::string& path);
// The same, and gives up the state's fields on the way, which takes less memory.
void save_state(State&& state, const std::string& path);

// Bytes that saving a run of this setup takes beside the run itself, at most: its fields, and the file in memory.
// `whole`: what the run itself takes. As doubles, so that no size is too large to be counted.
double memory_to_save(const SimulationInfo& info, const Setup& setup, double whole);
// Throws Error where so much is not free: a system that runs out of memory ends the program, and the run with it.
void require_memory_to_save(const Experiment& experiment);

// Which fields a state may hold, by its header (a state without datasets).
using SavedFieldsOf = std::function<std::vector<SavedField>(const State& header)>;
// Throws InputError for a file that is missing, foreign, damaged or newer than this program, or that holds anything but
// the fields of its simulation, in a sentence. A process of its own reads the file, with limits on memory and time:
// whatever is in it, this program goes on. The main program must ask is_state_reader (state_reader.h) when it starts.
State load_state(const std::string& path);
State load_state(const std::string& path, const SavedFieldsOf& fields_of);

}  // namespace perturb

// Saved states as HDF5, readable by h5py and MATLAB:
//
//   /                 attributes format = "perturb-state", format_version, program_version, simulation, preset,
//                     steps, time, seed, width, height; kernel, if the user chose a built-in one
//   /parameters       a group whose attributes are the parameters by id: real numbers as float64, integers as
//                     int64, true and false as int8, choices as strings
//   /u, /wall, ...    the fields, slowest index first (row 0 is the bottom of the image), each with an attribute
//                     `unit`
//
// Strings are UTF-8 of fixed length. A checksum precedes the HDF5 part (checksum.h). The same state gives the
// same bytes. A file whose name ends in ".perturb" is written in the portable format instead (portable_state.h).
// Reading accepts both formats under any name.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "app/run/experiment.h"
#include "cuda/core/simulation/state.h"

namespace perturb {

// The newest format that this version reads, and the one that it writes. Increase it if an older version would misread
// a file.
inline constexpr int state_format_version = 1;
inline constexpr const char* state_format_name = "perturb-state";

// Builds the file in memory, writes it to a temporary file next to `path` and renames it when it is complete, so the
// old file is never lost. If it cannot be written there, the state is saved elsewhere if possible; throws Error in
// either case, with that location.
void save_state(const State& state, const std::string& path);
// The same, but releases the state's fields on the way, which takes less memory.
void save_state(State&& state, const std::string& path);

// Maximum additional memory for saving a run of this setup, in bytes: its fields, and the file in memory. `whole`: the
// memory of the run. As doubles, so that no size overflows.
double memory_to_save(const SimulationInfo& info, const Setup& setup, double whole);
// Throws Error if this much memory is not free: when a system runs out of memory, it kills the program.
void require_memory_to_save(const Experiment& experiment);

// The fields that a state with this header (a state without datasets) may contain.
using SavedFieldsOf = std::function<std::vector<SavedField>(const State& header)>;
// Throws InputError if the file is missing, of another kind, damaged or newer than this version, or if it contains
// anything but the fields of its simulation. A separate process with limits on memory and time reads the file, so that
// no file can crash this program. The main program must call is_state_reader() (state_reader.h) when it starts.
State load_state(const std::string& path);
State load_state(const std::string& path, const SavedFieldsOf& fields_of);

// For a full disk: writes the bytes to a new file in the folder for temporary files or, if that fails, in the home
// folder. Returns its path; empty if both fail. The name is that of `path` with random digits, and only the owner may
// read the file.
std::string save_to_fallback(const std::string& path, std::span<const std::byte> bytes);

}  // namespace perturb

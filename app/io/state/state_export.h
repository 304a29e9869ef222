// Export of a state as HDF5, for h5py and other readers of HDF5; it cannot be loaded again.
//
//   /                 attributes format = "perturb-state", format_version, program_version, simulation, preset,
//                     steps, time, seed, width, height; kernel, if the user chose a built-in one
//   /parameters       a group whose attributes are the parameters by id: real numbers as float64, integers as
//                     int64, true and false as int8, choices as strings
//   /u, /wall, ...    the fields, slowest index first (row 0 is the bottom of the image), each with an attribute
//                     `unit`
//
// Strings are UTF-8 of fixed length. The same state gives the same bytes.
#pragma once

#include <string>

#include "cuda/core/simulation/state.h"

namespace perturb {

// Throws InputError unless the name ends in .h5 or .hdf5.
void require_export_name(const std::string& path);

// Replaces the file in one step, in pieces: the fields, which come from `read`, may be larger than memory. Throws
// Error. Only one thread may export at a time, because HDF5 may be built without thread safety.
void export_state(const State& header, const ReadRows& read, const std::string& path);
void export_state(const State& state, const std::string& path);

}  // namespace perturb

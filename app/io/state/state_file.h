// Files of saved states, in the portable format (portable_state.h). Reading accepts them under any name.
#pragma once

#include <string>

#include "app/io/state/portable_state.h"
#include "app/run/experiment.h"
#include "cuda/core/simulation/state.h"

namespace perturb {

// Throws InputError if the name is that of an HDF5 file: these are exports (state_export.h).
void require_state_name(const std::string& path);

// Writes a temporary file next to `path` and renames it when it is complete, so the old file is never lost. If it
// cannot be written there, the state is saved elsewhere if possible; throws Error in either case, with that location.
// The fields, which come from `read`, may be larger than memory.
void save_state(const State& header, const ReadRows& read, const std::string& path);
void save_state(const State& state, const std::string& path);

// Maximum additional memory for saving a run of this setup, in bytes: its fields, and a band of them. `whole`: the
// memory of the run. As doubles, so that no size overflows.
double memory_to_save(const SimulationInfo& info, const Setup& setup, double whole);
// Throws Error if this much memory is not free: when a system runs out of memory, it kills the program.
void require_memory_to_save(const Experiment& experiment);

// Throws InputError if the file is missing, of another kind, damaged or newer than this version, or if it contains
// anything but the fields of its simulation.
State load_state(const std::string& path);
State load_state(const std::string& path, const SavedFieldsOf& fields_of);

}  // namespace perturb

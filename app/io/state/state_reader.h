// What reads a state file: this program, started again for that alone, with little memory and little time. HDF5 may
// crash or run in circles on a damaged file, and then only that process is lost.
#pragma once

namespace perturb {

// The word that such a process finds as its only argument. The file is its standard input; what it found goes to its
// standard output, as state_wire.h says.
inline constexpr const char* state_reader_argument = "@read-state";

// To be asked first thing in main(), before anything is set up.
bool is_state_reader(int argc, char** argv);
// Reads and tells. Never returns.
[[noreturn]] void serve_as_state_reader();

}  // namespace perturb

// The process that reads a state file: this program, started again only for that, with limits on memory and time. HDF5
// may crash or loop forever on a damaged file; then only that process is lost.
#pragma once

namespace perturb {

// The only argument of such a process. The file is its standard input; it sends the result to its standard output in
// the format of state_wire.h.
inline constexpr const char* state_reader_argument = "@read-state";

// Call first in main(), before anything is initialised.
bool is_state_reader(int argc, char** argv);
// Reads the file and sends the result. Never returns.
[[noreturn]] void serve_as_state_reader();

}  // namespace perturb

// Keeps child processes from inheriting open files. Libraries open files too (HDF5, OpenGL, audio), and do not set
// close-on-exec on all of them.
#pragma once

#include <spawn.h>

namespace perturb {

// Closes all files except standard input, output and error in a program that is spawned with these actions. Must be the
// last action.
void add_close_files(posix_spawn_file_actions_t& actions);

// The same between fork and exec; async-signal-safe.
void close_files_in_child();

}  // namespace perturb

// Open files of this process, which programs that it starts do not inherit. Libraries open files too (HDF5, OpenGL,
// sound), and not all of theirs are closed on exec.
#pragma once

#include <spawn.h>

namespace perturb {

// Leaves a program that is spawned with these actions only its standard input, output and error. To be the last action.
void add_close_files(posix_spawn_file_actions_t& actions);

// The same between fork and exec, where only a few calls are allowed.
void close_files_in_child();

}  // namespace perturb

// Runs written down: the command line that begins one, and the script that does it all again.
#pragma once

#include <string>
#include <vector>

#include "app/run/experiment.h"

namespace perturb {

// The words behind "perturb" that begin such a run: the scene, or the file that it goes on from, and what differs from
// it. Throws InputError when that file is no longer at hand.
std::vector<std::string> words_of(const Start& start);

// "perturb wave/rain --set damping=0.01": the run begun again with what is chosen now, as a line for a shell.
std::string command_line_of(const Experiment& experiment);

// The run since its last restart, as a script that begins with its own start (presets.h): replayed for as many steps by
// the same program on the same backend it gives the same bits. `start`: how it is to begin; else as it did. `more`:
// words of the front's own for the command line that begins it, such as the instruments in its picture.
std::string script_of(const Experiment& experiment);
std::string script_of(const Experiment& experiment, const Start& start, const std::vector<std::string>& more = {});
// Writes it; where the run goes on from a state that is in no file, that too, beside it (FILE.h5). Throws Error.
void save_script(const Experiment& experiment, const std::string& path, const std::vector<std::string>& more = {});

}  // namespace perturb

// Runs written down: the command line that begins one, and the script that does it all again.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "app/run/experiment.h"

namespace perturb {

// The words behind "perturb" that begin such a run: the scene, or the file that it goes on from, and what differs from
// it. Reads no file again.
std::vector<std::string> to_arguments(const Start& start);

// "perturb wave/rain --set damping=0.01": the run begun again with what is chosen now, as a line for a shell.
std::string command_line_of(const Experiment& experiment);

// The run since its last restart, as a script that begins with its own start (presets.h): replayed for as many steps by
// the same program on the same backend it gives the same bits. `start`: how it is to begin; else as it did. `more`:
// words of the front's own for the command line that begins it, such as the instruments in its picture.
std::string script_of(const Experiment& experiment);
std::string script_of(const Experiment& experiment, const Start& start, const std::vector<std::string>& more = {});

// A file that a script reads: the state, text or preset that its run began with, or an image.
struct SideFile {
  std::string name;
  std::variant<std::shared_ptr<const State>, std::shared_ptr<const GreyImage>, std::string> content;
};
// A script, and what it reads beside it: whatever becomes of the files that the run began with, the script works, and
// its folder may be moved.
struct ScriptFiles {
  std::string text;
  std::vector<SideFile> beside;
};
// `stem`: of the script's name; the others are called "STEM-start.h5", "STEM-image-1.png" and so on.
ScriptFiles script_files(const Experiment& experiment, const std::string& stem,
                         const std::vector<std::string>& more = {});
// Throws Error.
void write_side_file(const SideFile& file, const std::string& folder);
// Writes them all. Throws Error.
void save_script(const Experiment& experiment, const std::string& path, const std::vector<std::string>& more = {});
// The endings of these files behind the stem, but for the images: for a choice of a name.
std::vector<std::string> script_endings();

}  // namespace perturb

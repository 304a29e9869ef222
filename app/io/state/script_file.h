// Writes runs as text: the command line that starts a run, and the script that reproduces it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/run/experiment.h"

namespace perturb {

// The arguments of "perturb" that start such a run: the scene, or the file from which it resumes, and the differences.
// Does not read that file again.
std::vector<std::string> to_arguments(const Start& start);

// "perturb wave/rain --set damping=0.01": a shell command that starts the run with the current settings.
std::string command_line_of(const Experiment& experiment);

// The run since its last restart, as a script that includes its start (scripts.h). Replayed for the same number of
// steps by the same program on the same backend, it is bit-identical. `start`: used instead of the run's start. `more`:
// additional arguments from the front end, such as the instruments in the view.
std::string script_of(const Experiment& experiment);
std::string script_of(const Experiment& experiment, const Start& start, const std::vector<std::string>& more = {});

// A file that a script reads: the state, text or preset from which its run started, or an image.
struct SideFile {
  std::string name;
  std::variant<std::shared_ptr<const State>, std::shared_ptr<const GreyImage>, std::string> content;
};
// A script and the files that it reads. They are copies, so the script works without the original files, and its folder
// may be moved.
struct ScriptFiles {
  std::string text;
  std::vector<SideFile> beside;
};
// `stem`: file name of the script without ending. The other files are called "STEM-start.perturb", "STEM-image-1.png"
// and so on.
ScriptFiles script_files(const Experiment& experiment, const std::string& stem,
                         const std::vector<std::string>& more = {});
// How the run is shown now, as a script of one event: a file next to a state. And the view in such a file
// beside `state`; none: there is no such file, or it does not fit.
inline constexpr const char* view_file_name = "view.toml";
std::string script_of_view(const Experiment& experiment);
std::optional<ViewChange> view_beside(const std::string& state, const std::string& simulation);
// Throws Error.
void write_side_file(const SideFile& file, const std::string& folder);
// Writes the script and its files. Throws Error.
void save_script(const Experiment& experiment, const std::string& path, const std::vector<std::string>& more = {});
// The endings of these files after the stem, except those of images: for choosing an unused name.
std::vector<std::string> script_endings();

}  // namespace perturb

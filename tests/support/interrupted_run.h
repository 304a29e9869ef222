// A run that was autosaved by a program that was then killed, as the next session finds it.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "app/io/state/autosave.h"

namespace perturb {

// Leaves one in this folder: the next session that autosaves there offers it with this description.
inline void leave_interrupted_run(const std::string& folder, const Message& description) {
  namespace fs = std::filesystem;
  fs::create_directories(folder);
  const std::string running = folder + "-running";
  {
    Autosave autosave(running);
    State state;
    state.simulation = "wave";
    state.width = state.height = 2;
    state.put<float>("u", {2, 2}, "height", std::vector<float>(4, 1.F));
    autosave.keep(std::move(state), {"# a script\n", {}}, description);
    autosave.finish();
    // Without its lock, and before an orderly exit removes it.
    fs::copy(running, folder, fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  }
  fs::remove_all(running);
}

}  // namespace perturb

#include "app/io/files/desktop.h"

#include <cstdio>
#include <string>

#include "app/io/files/process.h"
#include "cuda/core/backend/check.h"

namespace perturb {

void show_folder(const std::string& folder) {
  const std::string program = find_program("xdg-open");
  if (program.empty()) throw Error("Cannot open folders: xdg-open is not installed. The files are in \"{}\".", folder);
  if (!start_detached({program, folder}))
    throw Error(
        "Cannot open the folder \"{}\": the system cannot start another program. Close some programs and try again.",
        folder);
}

void hold_off_screen_saver(unsigned long window, bool on) {
  const std::string program = find_program("xdg-screensaver");
  char id[32];
  std::snprintf(id, sizeof id, "0x%lx", window);
  if (!program.empty()) start_detached({program, on ? "suspend" : "resume", id});
}

}  // namespace perturb

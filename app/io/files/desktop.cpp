#include "app/io/files/desktop.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/io/files/child_files.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

// The program's path, searched for in PATH; empty if not found.
std::string program_in_path(const std::string& name) {
  const char* folders = std::getenv("PATH");
  std::string rest = folders ? folders : "/usr/local/bin:/usr/bin:/bin";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const std::string path = rest.substr(0, end) + "/" + name;
    if (access(path.c_str(), X_OK) == 0) return path;
    rest.erase(0, end + 1);
  }
  return "";
}

// Starts a program without waiting. Returns whether that was possible.
bool start_program(const std::vector<std::string>& arguments) {
  std::vector<char*> words;
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  // Forks twice, so that the program is not a child of this process when it ends. Between fork and exec only
  // async-signal-safe calls are allowed.
  const pid_t child = fork();
  if (child == 0) {
    if (fork() == 0) {
      setsid();
      const int nowhere = open("/dev/null", O_RDWR);
      for (const int number : {0, 1, 2})
        if (nowhere >= 0) dup2(nowhere, number);
      close_files_in_child();
      execv(words[0], words.data());
      _exit(127);
    }
    _exit(0);
  }
  if (child < 0) return false;
  int ignored = 0;
  waitpid(child, &ignored, 0);
  return true;
}

}  // namespace

void show_folder(const std::string& folder) {
  const std::string program = program_in_path("xdg-open");
  if (program.empty()) throw Error("Cannot open folders: xdg-open is not installed. The files are in \"{}\".", folder);
  if (!start_program({program, folder}))
    throw Error(
        "Cannot open the folder \"{}\": the system cannot start another program. Close some programs and try again.",
        folder);
}

void hold_off_screen_saver(unsigned long window, bool on) {
  const std::string program = program_in_path("xdg-screensaver");
  char id[32];
  std::snprintf(id, sizeof id, "0x%lx", window);
  if (!program.empty()) start_program({program, on ? "suspend" : "resume", id});
}

}  // namespace perturb

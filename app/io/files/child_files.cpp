#include "app/io/files/child_files.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace perturb {

namespace {
constexpr int first_other = STDERR_FILENO + 1, most_files = 4096;

// Upper bound on descriptors, for systems without a call that closes all of them.
int end_of_files() {
  const long most = sysconf(_SC_OPEN_MAX);
  return most > 0 && most < most_files ? static_cast<int>(most) : most_files;
}
}  // namespace

void add_close_files(posix_spawn_file_actions_t& actions) {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 34)
  posix_spawn_file_actions_addclosefrom_np(&actions, first_other);
#else
  // Closing a descriptor that is not open is not an error in these actions.
  for (int file = first_other; file < end_of_files(); ++file) posix_spawn_file_actions_addclose(&actions, file);
#endif
}

void close_files_in_child() {
#if defined(SYS_close_range)
  if (syscall(SYS_close_range, static_cast<unsigned>(first_other), ~0u, 0u) == 0) return;
#endif
  for (int file = first_other; file < end_of_files(); ++file) close(file);
}

}  // namespace perturb

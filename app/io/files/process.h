// Other processes: their start, their files and their end.
#pragma once

#include <array>
#include <csignal>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>
#include <unistd.h>

namespace perturb {

// A file descriptor, closed by the destructor.
class Descriptor {
 public:
  explicit Descriptor(int id = -1) : id_(id) {}
  ~Descriptor() {
    if (id_ >= 0) close(id_);
  }
  Descriptor(Descriptor&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  int id() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }

 private:
  int id_;
};

// Instead of descriptors in ProgramStart::files: /dev/null, and the file of this process.
inline constexpr int no_file = -1, same_file = -2;

// How a program is started. It gets no files of this process except the standard ones: libraries open files too (HDF5,
// OpenGL, audio), and do not set close-on-exec on all of them.
struct ProgramStart {
  std::string path;
  std::vector<std::string> arguments;      // from the program's name on
  std::array<int, 3> files;                // standard input, output and error
  std::vector<std::string> environment{};  // empty: that of this process
  // Of its own group: Ctrl+C in the terminal is for this program only, and all parts of a compiler are killed together.
  bool own_group = false;
  bool unblock_signals = false;
  sigset_t default_signals{};  // that have their default effect
};

// A child process, killed by the destructor if it is still running.
class ChildProcess {
 public:
  ChildProcess() = default;
  ~ChildProcess() { kill_and_wait(); }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Returns 0, or the reason why it cannot be started (errno).
  int start(const ProgramStart& how);
  // Whether it was started and its end is not known yet.
  explicit operator bool() const { return id_ > 0; }
  // With its group, if that is its own.
  void kill() const;
  // Waits for its end. Returns its status for waitpid, 0 if there is none.
  int wait();
  int kill_and_wait();
  // Whether it has ended, without waiting. `status` is unchanged if the system does not know how.
  bool has_ended(int& status);
  // Leaves it to the system: the destructor does not wait.
  void release() { id_ = 0; }
  // Processor time that it has used, with all its threads.
  double processor_seconds() const;

 private:
  pid_t id_ = 0;
  bool own_group_ = false;
};

// Starts a program that is no child of this process, without waiting. `arguments`: from its path on. Returns whether
// that was possible.
bool start_detached(const std::vector<std::string>& arguments);

// The program's path, searched for in PATH; empty: there is none.
std::string find_program(const std::string& name);

// Task of a child process that is started for it alone ("/proc/self/exe NAME ARGUMENTS"): a crash
// or an endless loop there ends only that process.
struct ProcessTask {
  const char* name;                    // its first argument, such as "@compiler"
  int min_arguments;                   // after the name
  void (*run)(int argc, char** argv);  // never returns; argv[1] is the name
};
// Call first in main(), before anything is initialised. Returns if the arguments name none of these tasks.
void run_process_task(int argc, char** argv, std::initializer_list<ProcessTask> tasks);

}  // namespace perturb

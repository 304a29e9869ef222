// Another process: its start, its end and its output.
#pragma once

#include <array>
#include <filesystem>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>
#include <unistd.h>

#include "cuda/core/backend/message.h"

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

// Throws Error with the reason `why` (errno).
[[noreturn]] void throw_not_started(const Message& what, int why);

// A process, killed by the destructor if it is still running.
class SpawnedProcess {
 public:
  // `inputs`: its standard input, output and error.
  SpawnedProcess(const std::string& path, std::vector<std::string> arguments, std::array<int, 3> inputs,
                 const std::vector<std::string>& environment = {});
  ~SpawnedProcess() { kill_and_wait(); }
  SpawnedProcess(const SpawnedProcess&) = delete;
  SpawnedProcess& operator=(const SpawnedProcess&) = delete;

  // Kills it, and returns its status for waitpid.
  int kill_and_wait();
  // Waits for its end after it has closed its output.
  int wait();
  // Processor time that it has used, with all its threads.
  double processor_seconds() const;

 private:
  pid_t id_ = 0;
};

inline constexpr int look_milliseconds = 20;  // between two looks at a stop request

// Reads until the other end closes; false: it had not after `seconds`. Throws Stopped.
bool read_all(int pipe, double seconds, const std::stop_token& stop, std::string& text);

// Removes a folder, also while another process makes files in it: once the folder is gone, it can make none.
void remove_folder(const std::filesystem::path& folder);

// In a process that another one has started with a connection as standard input: ends it and all processes that it has
// started when the other end closes, also during an endless loop, and removes `folder`.
void exit_with_connection(const std::string& folder = {});

// Keeps this process, in which foreign code will run, from taking much more memory than now and from starting others.
void limit_this_process();

}  // namespace perturb

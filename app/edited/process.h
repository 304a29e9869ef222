// Another process: its start, its end and its output.
#pragma once

#include <array>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "app/io/files/process.h"
#include "cuda/core/backend/message.h"

namespace perturb {

// Throws Error with the reason `why` (errno).
[[noreturn]] void throw_not_started(const Message& what, int why);

// A process of its own group, in which all signals have their default effect.
class SpawnedProcess : public ChildProcess {
 public:
  // `inputs`: its standard input, output and error.
  SpawnedProcess(const std::string& path, std::vector<std::string> arguments, std::array<int, 3> inputs,
                 const std::vector<std::string>& environment = {});
};

inline constexpr int poll_milliseconds = 20;  // between two checks of a stop request

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

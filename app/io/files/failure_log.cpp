#include "app/io/files/failure_log.h"

#include <chrono>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/io/files/printable.h"

namespace perturb {

namespace {

constexpr std::uintmax_t largest_log = 256 * 1024;
constexpr std::chrono::minutes once_in{1};

struct FailureLog {
  std::string path, last;
  std::chrono::steady_clock::time_point last_time;
};
FailureLog& failure_log() {
  static FailureLog log;
  return log;
}

}  // namespace

void log_failures_in(const std::string& path) { failure_log() = {path, {}, {}}; }

void log_failure(const std::string& sentence) {
  FailureLog& log = failure_log();
  if (log.path.empty()) return;
  const auto now = std::chrono::steady_clock::now();
  if (sentence == log.last && now - log.last_time < once_in) return;
  log.last = sentence;
  log.last_time = now;
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(log.path).parent_path(), error);
  const std::uintmax_t size = std::filesystem::file_size(log.path, error);
  const bool begins = error || size > largest_log;
  // Does not wait for a reader if the path is a pipe.
  const int file =
      open(log.path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (begins ? O_TRUNC : 0),
           0666);
  struct stat info {};
  if (file < 0) return;
  const std::time_t seconds = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm local{};
  localtime_r(&seconds, &local);
  char time[40] = "";
  std::strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%S%z", &local);
  const std::string line = std::string(time) + "  " + escape_for_terminal(sentence) + "\n";
  if (fstat(file, &info) == 0 && S_ISREG(info.st_mode)) (void)!write(file, line.data(), line.size());
  close(file);
}

}  // namespace perturb

#include "app/files/failure_log.h"

#include <chrono>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace perturb {

namespace {

constexpr std::uintmax_t largest_log = 256 * 1024;
constexpr std::chrono::minutes once_in{1};

struct FailureLog {
  std::string path, last;
  std::chrono::steady_clock::time_point told;
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
  if (sentence == log.last && now - log.told < once_in) return;
  log.last = sentence, log.told = now;
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(log.path).parent_path(), error);
  const std::uintmax_t size = std::filesystem::file_size(log.path, error);
  const bool begins = error || size > largest_log;
  std::ofstream file(log.path, begins ? std::ios::trunc : std::ios::app);
  const std::time_t seconds = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm local{};
  localtime_r(&seconds, &local);
  char time[40] = "";
  std::strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%S%z", &local);
  file << time << "  " << sentence << "\n";
}

}  // namespace perturb

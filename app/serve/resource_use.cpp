#include "app/serve/resource_use.h"

#include <ctime>
#include <fstream>
#include <string>

#include <unistd.h>

namespace perturb {

namespace {

double seconds_of_clock(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// From the first line of /proc/stat, in ticks: user, nice, system, idle, waiting for disks, interrupts of two kinds.
double seconds_of_machine() {
  std::ifstream file("/proc/stat");
  std::string name;
  double user = 0, nice = 0, system = 0, idle = 0, waiting = 0, hard = 0, soft = 0;
  if (!(file >> name >> user >> nice >> system >> idle >> waiting >> hard >> soft)) return 0;
  return (user + nice + system + hard + soft) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

std::size_t resident_pages() {
  std::ifstream file("/proc/self/statm");
  std::size_t all = 0, resident = 0;
  return file >> all >> resident ? resident : 0;
}

}  // namespace

ResourceUse ResourceUse::now() {
  return {std::chrono::steady_clock::now(), seconds_of_clock(CLOCK_PROCESS_CPUTIME_ID),
          seconds_of_clock(CLOCK_THREAD_CPUTIME_ID), seconds_of_machine(),
          resident_pages() * static_cast<std::size_t>(sysconf(_SC_PAGESIZE))};
}

}  // namespace perturb

// Memory available to a process on a machine, in a container and under a shell's limits: files in the kernel's format,
// and real limits of a process.
#include "cuda/core/backend/main_memory.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/control_groups.h"
#include "cuda/core/backend/cpu_backend.h"
#include "cuda/core/backend/field.h"
#include "tests/support/sanitized.h"

namespace perturb {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

class MainMemoryFiles : public testing::Test {
 protected:
  void SetUp() override {
    root_ = std::filesystem::temp_directory_path() / ("perturb_main_memory_" + std::to_string(getpid()));
    put("/proc/meminfo", "MemTotal:       16777216 kB\nMemFree:  1 kB\nMemAvailable:    8388608 kB\n");
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void put(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  void expect(std::size_t free, std::size_t total) const {
    const MainMemory memory = main_memory(root_);
    EXPECT_EQ(memory.free, free);
    EXPECT_EQ(memory.total, total);
  }
  std::string root_;
};

TEST_F(MainMemoryFiles, AMachineWithoutLimits) {
  expect(8192 * mib, 16384 * mib);
  put("/proc/self/cgroup", "0::/user.slice\n");
  put("/sys/fs/cgroup/user.slice/memory.max", "max\n");
  put("/sys/fs/cgroup/user.slice/memory.current", "123\n");
  expect(8192 * mib, 16384 * mib);
}

TEST_F(MainMemoryFiles, TheGroupOfVersionTwoAndThoseAboveIt) {
  put("/proc/self/cgroup", "0::/a/b\n");
  put("/sys/fs/cgroup/a/memory.max", std::to_string(600 * mib) + "\n");
  put("/sys/fs/cgroup/a/memory.current", std::to_string(500 * mib) + "\n");
  put("/sys/fs/cgroup/a/memory.stat", "anon 1\ninactive_file " + std::to_string(50 * mib) + "\n");
  put("/sys/fs/cgroup/a/b/memory.max", std::to_string(300 * mib) + "\n");
  put("/sys/fs/cgroup/a/b/memory.current", std::to_string(100 * mib) + "\n");
  expect(150 * mib, 300 * mib);
}

TEST_F(MainMemoryFiles, TheGroupOfVersionOne) {
  put("/proc/self/cgroup", "5:cpu:/x\n4:hugetlb,memory:/docker/id\n0::/\n");
  const std::string group = "/sys/fs/cgroup/memory/docker/id/";
  put(group + "memory.limit_in_bytes", std::to_string(300 * mib) + "\n");
  put(group + "memory.usage_in_bytes", std::to_string(40 * mib) + "\n");
  put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  put("/sys/fs/cgroup/memory/memory.usage_in_bytes", "1\n");
  expect(260 * mib, 300 * mib);
}

TEST_F(MainMemoryFiles, ReadsProcessorQuotaOfBothVersions) {
  EXPECT_EQ(processor_quota(root_), 0);
  put("/proc/self/cgroup", "0::/a/b\n");
  put("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  EXPECT_EQ(processor_quota(root_), 0);
  put("/sys/fs/cgroup/a/cpu.max", "150000 100000\n");
  EXPECT_EQ(processor_quota(root_), 1.5) << "of the group above";
  put("/sys/fs/cgroup/a/b/cpu.max", "50000 100000\n");
  EXPECT_EQ(processor_quota(root_), 0.5);
  put("/proc/self/cgroup", "3:cpu,cpuacct:/docker/id\n");
  const std::string group = "/sys/fs/cgroup/cpu/docker/id/";
  put(group + "cpu.cfs_quota_us", "-1\n");
  put(group + "cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(processor_quota(root_), 0);
  put(group + "cpu.cfs_quota_us", "300000\n");
  EXPECT_EQ(processor_quota(root_), 3);
  // In a container only the mount itself exists.
  put("/proc/self/cgroup", "3:cpu,cpuacct:/elsewhere\n");
  put("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n");
  put("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(processor_quota(root_), 2);
}

TEST_F(MainMemoryFiles, ReadsContainerGroupAtMountPoint) {
  put("/proc/self/cgroup", "4:memory:/docker/id\n");
  put("/sys/fs/cgroup/memory/memory.limit_in_bytes", std::to_string(300 * mib) + "\n");
  put("/sys/fs/cgroup/memory/memory.usage_in_bytes", std::to_string(400 * mib) + "\n");
  expect(0, 300 * mib);
}

// The process's current use of what `resource` limits; a driver's libraries alone may take gigabytes of addresses.
std::size_t taken_of(decltype(RLIMIT_AS) resource) {
  const std::string name = resource == RLIMIT_AS ? "VmSize:" : "VmData:";
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (std::size_t kib = 0; word == name && status >> kib) return kib << 10;
  return 0;
}

// In a separate process, because a lowered limit cannot be raised again.
[[noreturn]] void look_under_a_limit(decltype(RLIMIT_AS) resource) {
  const std::size_t most = taken_of(resource) + 700 * mib;
  const rlimit limit{most, most};
  setrlimit(resource, &limit);
  const auto backend = Backend::make_cpu(2);
  bool rejected = false;
  try {
    const Array<char> large(*backend, 900 * mib, "test");
  } catch (const Error&) {
    rejected = true;
  }
  const bool reports_limit = backend->total_memory() == most && backend->free_memory() < 700 * mib;
  const Array<char> small(*backend, 100 * mib, "test");
  _exit(rejected && reports_limit && small.data() ? 0 : 1);
}

class MainMemoryLimits : public testing::TestWithParam<decltype(RLIMIT_AS)> {};
INSTANTIATE_TEST_SUITE_P(All, MainMemoryLimits, testing::Values(RLIMIT_AS, RLIMIT_DATA));

TEST_P(MainMemoryLimits, AppliesProcessLimits) {
#if defined(PERTURB_SANITIZED)
  GTEST_SKIP() << "sanitizers need all of the address space";
#endif
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(look_under_a_limit(GetParam()), testing::ExitedWithCode(0), "");
}

TEST(CpuBackendMemory, ClearsExactlyTheRequestedBytes) {
  const auto backend = Backend::make_cpu(2);
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{4095}, std::size_t{4096}, std::size_t{300017}}) {
    std::vector<char> memory(bytes + 1, 'x');
    backend->fill_zero(memory.data(), bytes);
    EXPECT_EQ(std::count(memory.begin(), memory.end(), '\0'), static_cast<std::ptrdiff_t>(bytes));
    EXPECT_EQ(memory.back(), 'x');
  }
}

[[noreturn]] void start_threads_with_little_room() {
  // Enough for current use and a few stacks.
  const std::size_t whole = 16384 * mib, free_now = [&] {
    const rlimit large{whole, RLIM_INFINITY};
    setrlimit(RLIMIT_AS, &large);
    return main_memory().free;
  }();
  const rlimit limit{whole - free_now + 40 * mib, RLIM_INFINITY};
  setrlimit(RLIMIT_AS, &limit);
  Message note;
  const auto backend = Backend::make_cpu(64, &note);
  Array<float> field(*backend, 1000, "test");
  field.fill_zero();
  const bool fewer = backend->threads() > 1 && backend->threads() < 64;
  _exit(fewer && note.english().find("of 64 threads could be started") != std::string::npos ? 0 : 1);
}

TEST(Threads, UsesFewerWhenSystemStartsNoMore) {
#if defined(PERTURB_SANITIZED)
  GTEST_SKIP() << "sanitizers need all of the address space";
#endif
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(start_threads_with_little_room(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace perturb

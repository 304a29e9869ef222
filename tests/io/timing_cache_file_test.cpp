// Measured kernel times persist across sessions, and a damaged cache is harmless.
#include "app/io/files/timing_cache_file.h"

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/files_scratch.h"
#include "tests/support/reach.h"

namespace perturb {
namespace {

namespace fs = std::filesystem;

class KernelBookFiles : public ScratchFolder {};

TimingCache::Entries some() {
  return {{"GPU | wave | fp32 64x64", {{"vectorised", 72e-6, 0.5}, {"temporal", 230e-6}}}};
}

TEST_F(KernelBookFiles, ReadsWrittenTimings) {
  const std::string file_name = path("deep/kernels.json");
  TimingCache written, again;
  written.merge(some());
  written.set_in_table("CPU, 2 threads | wave | kernels of rain", {"fused", 340e-6, 0.02});
  written.set_roofline("CPU, 2 threads", {12.5e9, 40e9});
  write_timing_cache(file_name, written);
  read_timing_cache(file_name, again);
  ASSERT_EQ(again.table("CPU, 2 threads | wave | kernels of rain").size(), 1U);
  EXPECT_EQ(again.table("CPU, 2 threads | wave | kernels of rain")[0].seconds_per_step, 340e-6);
  ASSERT_TRUE(again.roofline("CPU, 2 threads"));
  EXPECT_EQ(again.roofline("CPU, 2 threads")->bytes_per_second, 12.5e9);
  EXPECT_EQ(again.roofline("CPU, 2 threads")->flops_per_second, 40e9);
  EXPECT_FALSE(again.roofline("CPU, 4 threads"));
  ASSERT_EQ(again.entries().size(), 1U);
  const auto timings = again.entries().begin()->second;
  ASSERT_EQ(timings.size(), 2U);
  EXPECT_EQ(timings[0].kernel, "vectorised");
  EXPECT_EQ(timings[0].seconds_per_step, 72e-6);
  EXPECT_EQ(timings[0].spread, 0.5);
  EXPECT_TRUE(is_provisional(timings));
  EXPECT_EQ(timings[1].kernel, "temporal");
  EXPECT_EQ(timings[1].spread, 0);
}

TEST_F(KernelBookFiles, DamagedOnesAreEmpty) {
  const std::string file_name = path("kernels.json");
  TimingCache whole;
  whole.merge(some());
  whole.set_in_table("GPU | wave | kernels of rain", {"fused", 72e-6, 0});
  whole.set_roofline("GPU", {2e12, 5e13});
  write_timing_cache(file_name, whole);
  const std::string text = read("kernels.json");
  for (std::size_t i = 0; i < text.size(); i += reach<std::size_t>(1, 7)) {
    for (const std::string& broken : {text.substr(0, i), text.substr(0, i) + "\xff" + text.substr(i + 1),
                                      text.substr(0, i) + "[" + text.substr(i)}) {
      write("kernels.json", broken);
      TimingCache book;
      read_timing_cache(file_name, book);
      for (const auto& [key, timings] : book.entries())
        for (const KernelTiming& timing : timings) EXPECT_GT(timing.seconds_per_step, 0);
      for (const auto& [key, timings] : book.tables())
        for (const KernelTiming& timing : timings) EXPECT_GT(timing.seconds_per_step, 0);
      for (const auto& [device, roofline] : book.rooflines()) {
        EXPECT_GT(roofline.bytes_per_second, 0);
        EXPECT_GT(roofline.flops_per_second, 0);
      }
    }
  }
  // Times of another build are not used, even if the file is valid.
  std::string other = text;
  other.replace(other.find("\"build\""), 7, "\"built\"");
  write("kernels.json", other);
  TimingCache book;
  read_timing_cache(file_name, book);
  EXPECT_TRUE(book.entries().empty());
}

TEST_F(KernelBookFiles, IgnoresUnreadableAndUnwritableFiles) {
  TimingCache book;
  read_timing_cache(path("nothing.json"), book);
  read_timing_cache(path(""), book);
  EXPECT_TRUE(book.entries().empty());
  const char* before = std::getenv("XDG_CACHE_HOME");
  const std::string kept = before ? before : "";
  write("file", "no folder");
  setenv("XDG_CACHE_HOME", path("file").c_str(), 1);
  {
    const TimingCacheFile file;
    TimingCache::of_process().merge(some());
  }
  EXPECT_FALSE(fs::is_directory(path("file")));
  setenv("XDG_CACHE_HOME", kept.c_str(), 1);
}

// Under a profiler each launch takes longer: such times made later runs choose slow kernels.
TEST_F(KernelBookFiles, SavesNoTimesMeasuredUnderAProfiler) {
  const char* before = std::getenv("XDG_CACHE_HOME");
  const std::string kept = before ? before : "";
  setenv("XDG_CACHE_HOME", path("cache").c_str(), 1);
  const auto run_and_save = [] {
    const TimingCacheFile file;
    TimingCache::of_process().add("GPU | wave | profiled", some().begin()->second);
  };
  for (const char* variable : {"NV_COMPUTE_PROFILER_PERFWORKS_DIR", "NSYS_PROFILING_SESSION_ID",
                               "NV_SANITIZER_INJECTION_PORT_BASE", "NV_SANITIZER_INJECTION_PORT_RANGE_BEGIN"}) {
    setenv(variable, "1", 1);
    run_and_save();
    unsetenv(variable);
    EXPECT_FALSE(fs::exists(path("cache/perturb/kernels.json"))) << variable;
  }
  run_and_save();
  EXPECT_TRUE(fs::exists(path("cache/perturb/kernels.json")));
  setenv("XDG_CACHE_HOME", kept.c_str(), 1);
}

}  // namespace
}  // namespace perturb

#include "cuda/core/backend/caches.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/backends.h"

namespace perturb {
namespace {

namespace fs = std::filesystem;

class Caches : public testing::Test {
 protected:
  Caches() { fs::create_directories(folder_); }
  ~Caches() override { fs::remove_all(folder_); }
  void add(int processor, int index, const std::string& level, const std::string& type, const std::string& size,
           const std::string& sharing) {
    const fs::path cache = folder_ / ("cpu" + std::to_string(processor)) / "cache" / ("index" + std::to_string(index));
    fs::create_directories(cache);
    std::ofstream(cache / "level") << level << '\n';
    std::ofstream(cache / "type") << type << '\n';
    std::ofstream(cache / "size") << size << '\n';
    std::ofstream(cache / "shared_cpu_list") << sharing << '\n';
  }
  std::vector<Cache> read(int threads) const { return read_caches(folder_.string(), threads); }

  fs::path folder_ = fs::temp_directory_path() / ("perturb-caches-" + std::to_string(getpid()));
};

TEST_F(Caches, AddUpOverTheThreads) {
  for (int k = 0; k < 4; ++k) {
    add(k, 0, "1", "Data", "48K", std::to_string(k));
    add(k, 1, "1", "Instruction", "64K", std::to_string(k));
    add(k, 2, "2", "Unified", "2M", k < 2 ? "0-1" : "2-3");
    add(k, 3, "3", "Unified", "32768K", "0-3");
  }
  const std::vector<Cache> one = read(1), all = read(4);
  ASSERT_EQ(one.size(), 3U);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(one[0].level, 1);
  EXPECT_EQ(one[0].bytes, 48U * 1024);
  EXPECT_EQ(all[0].bytes, 4U * 48 * 1024);
  EXPECT_EQ(one[1].bytes, 2U * 1024 * 1024);
  EXPECT_EQ(all[1].bytes, 2U * 2 * 1024 * 1024) << "two processors share one";
  EXPECT_EQ(one[2].bytes, all[2].bytes);
  EXPECT_EQ(all[2].bytes, 32U * 1024 * 1024);
}

TEST_F(Caches, AreUnknownWithoutReadableFiles) {
  EXPECT_TRUE(read(2).empty());
  add(0, 0, "one", "Data", "48K", "0");
  EXPECT_TRUE(read(2).empty());
  add(0, 0, "1", "Data", "48 KiB of memory", "0");
  add(0, 1, "2", "Unified", "big", "0");
  ASSERT_EQ(read(2).size(), 1U);
  EXPECT_EQ(read(2)[0].bytes, 48U) << "a size without a unit is in bytes";
}

class CachesOfBackend : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(CachesOfBackend);

TEST_P(CachesOfBackend, GrowWithTheirLevel) {
  const std::vector<Cache> caches = caches_of(backend());
  for (std::size_t k = 0; k < caches.size(); ++k) {
    EXPECT_GT(caches[k].bytes, 1024U);
    if (k > 0) {
      EXPECT_GT(caches[k].level, caches[k - 1].level);
    }
  }
  if (backend().is_cuda()) {
    EXPECT_EQ(caches.size(), 1U);
  }
}

}  // namespace
}  // namespace perturb

// Prefix sums, compared with a plain loop.
#include "cuda/core/loops/scan.h"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/backends.h"

namespace perturb {
namespace {

class Scan : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(Scan);

std::vector<int> uneven_counts(std::size_t size) {
  std::vector<int> counts(size);
  for (std::size_t k = 0; k < size; ++k) counts[k] = static_cast<int>(k * 2654435761u % 23) - 3;
  return counts;
}

std::vector<int> sums_before(const std::vector<int>& counts) {
  std::vector<int> sums;
  int sum = 0;
  for (const int count : counts) {
    sums.push_back(sum);
    sum += count;
  }
  return sums;
}

TEST_P(Scan, EqualsSerialSumForEverySize) {
  for (const std::size_t size : {1u, 2u, 31u, 33u, 255u, 257u, 4097u, 100003u}) {
    ExclusiveScan scan(backend(), size);
    const std::vector<int> counts = uneven_counts(size);
    Array<int> from(backend(), size, "counts"), to(backend(), size, "sums");
    from.upload(counts);
    scan.run(backend(), "test.scan", from.data(), to.data(), size);
    EXPECT_EQ(to.download(), sums_before(counts)) << size;
    EXPECT_EQ(from.download(), counts) << size;
    scan.run(backend(), "test.scan", from.data(), from.data(), size);
    EXPECT_EQ(from.download(), sums_before(counts)) << size << ", in place";
  }
}

// A scan made for many elements also sums fewer, and does not write beyond them.
TEST_P(Scan, ShorterScanWritesNothingBeyondIt) {
  const std::vector<int> counts = uneven_counts(1000);
  ExclusiveScan scan(backend(), counts.size());
  Array<int> from(backend(), counts.size(), "counts"), to(backend(), counts.size(), "sums");
  from.upload(counts);
  for (const std::size_t few : {0u, 1u, 77u, 999u}) {
    to.upload(std::vector<int>(counts.size(), -7));
    scan.run(backend(), "test.scan", from.data(), to.data(), few);
    std::vector<int> expected = sums_before({counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(few)});
    expected.resize(counts.size(), -7);
    EXPECT_EQ(to.download(), expected) << few;
  }
}

TEST_P(Scan, ReachesTheLargestNumber) {
  const int half = std::numeric_limits<int>::max() / 2;
  ExclusiveScan scan(backend(), 3);
  Array<int> line(backend(), 3, "counts");
  line.upload(std::vector<int>{half, half + 1, 0});
  scan.run(backend(), "test.scan", line.data(), line.data(), 3);
  EXPECT_EQ(line.download(), (std::vector<int>{0, half, std::numeric_limits<int>::max()}));
}

}  // namespace
}  // namespace perturb

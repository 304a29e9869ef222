// Memory that another process can map (core/backend/shared_memory.h).
#include "cuda/core/backend/shared_memory.h"

#include <cstring>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "cuda/core/backend/field.h"

namespace perturb {
namespace {

// The values that another process would read.
std::vector<char> in_file(const void* block, std::size_t bytes) {
  const SharedMemory& memory = SharedMemory::of_process();
  std::vector<char> read(bytes);
  EXPECT_EQ(pread(memory.file(), read.data(), bytes, static_cast<off_t>(memory.place(block))),
            static_cast<ssize_t>(bytes));
  return read;
}

TEST(SharedMemory, BlocksAreInTheFileAndDoNotOverlap) {
  SharedMemory& memory = SharedMemory::of_process();
  auto* const a = static_cast<char*>(memory.allocate(5000));
  auto* const b = static_cast<char*>(memory.allocate(5000));
  ASSERT_TRUE(a && b);
  std::memset(a, 'a', 5000);
  std::memset(b, 'b', 5000);
  EXPECT_EQ(in_file(a, 5000), std::vector<char>(5000, 'a'));
  EXPECT_EQ(in_file(b, 5000), std::vector<char>(5000, 'b'));
  memory.release(a);
  auto* const c = static_cast<char*>(memory.allocate(8000));
  EXPECT_EQ(c, a) << "released memory is used again";
  EXPECT_EQ(in_file(b, 5000), std::vector<char>(5000, 'b'));
  memory.release(b);
  memory.release(c);
}

TEST(SharedMemory, TooLargeBlockIsNull) {
  SharedMemory& memory = SharedMemory::of_process();
  EXPECT_EQ(memory.allocate(memory.size() + 1), nullptr);
}

TEST(SharedMemory, HoldsFieldsThatAreAllocatedInItsScope) {
  const std::unique_ptr<Backend> backend = Backend::make_cpu(1);
  const Field<float> before(*backend, 40, 30, "field");
  std::vector<float> values(40 * 30, 7.f);
  Field<float> within;
  {
    const SharedAllocations shared;
    within = Field<float>(*backend, 40, 30, "field");
  }
  const Field<float> after(*backend, within, "field");
  EXPECT_FALSE(SharedMemory::has(before.view().data));
  EXPECT_TRUE(SharedMemory::has(within.view().data));
  EXPECT_FALSE(SharedMemory::has(after.view().data));
  within.upload(values);
  EXPECT_EQ(within.download(), values);
}

}  // namespace
}  // namespace perturb

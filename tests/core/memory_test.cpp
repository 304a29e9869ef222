#include <gtest/gtest.h>

#include "cuda/core/backend/check.h"
#include "cuda/core/backend/field.h"
#include "tests/support/backends.h"
#include "tests/support/error_thrown_by.h"

namespace perturb {
namespace {

class Memory : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(Memory);

TEST_P(Memory, CountsAndReleasesFields) {
  {
    Field<float> field(backend(), 100, 50, "test field");
    EXPECT_EQ(backend().memory_in_use(), Field<float>::bytes_of(100, 50));
    Field<float> moved(std::move(field));
    EXPECT_EQ(backend().memory_in_use(), Field<float>::bytes_of(100, 50));
  }
  EXPECT_EQ(backend().memory_in_use(), 0u);
}

TEST_P(Memory, StartsAtZeroAndTakesUploads) {
  Field<double> field(backend(), 7, 3, "test field");
  for (const double value : field.download()) EXPECT_EQ(value, 0);
  std::vector<double> values(21);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<double>(k);
  field.upload(values);
  EXPECT_EQ(field.download(), values);
  Field<double> copy(backend(), 7, 3, "copy");
  copy.copy_from(field);
  EXPECT_EQ(copy.download(), values);
}

TEST_P(Memory, CopyHoldsSourceContents) {
  Field<double> field(backend(), 700, 300, "test field");
  std::vector<double> values(std::size_t{700} * 300);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = 1 + static_cast<double>(k);
  field.upload(values);
  {
    const Field<double> copy(backend(), field, "copy");
    EXPECT_EQ(copy.width(), 700);
    EXPECT_EQ(backend().memory_in_use(), 2 * Field<double>::bytes_of(700, 300));
    field.fill_zero();
    EXPECT_EQ(copy.download(), values);
  }
  EXPECT_EQ(backend().memory_in_use(), Field<double>::bytes_of(700, 300));
}

TEST_P(Memory, ErrorStatesRequestedAndFreeBytes) {
  fail_memory_after(1);
  Array<float> first(backend(), 10, "first");
  const std::string error = error_thrown_by<Error>([&] { Array<float> second(backend(), 1 << 20, "second field"); });
  EXPECT_NE(error.find("Not enough memory for the second field: it needs 4.00 MiB"), std::string::npos);
  Array<float> third(backend(), 10, "third");
  fail_memory_after(-1);
  // More than any machine has: rejected, not overcommitted.
  EXPECT_THROW(Array<double>(backend(), std::size_t{1} << 50, "huge"), Error);
}

}  // namespace
}  // namespace perturb

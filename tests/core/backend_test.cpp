#include "cuda/core/backend/backend.h"

#include <gtest/gtest.h>

#include "cuda/core/backend/check.h"
#include "cuda/core/backend/nvidia_gpu.h"

namespace perturb {
namespace {

// Without a device the CUDA tests do not exist; this test reports that.
TEST(Backend, UsesCudaWhereRequired) {
  const CudaStatus status = cuda_status();
  if (!status.usable) GTEST_SKIP() << status.reason;
  EXPECT_GE(status.devices, 1);
}

TEST(Backend, UnknownNameThrowsInputError) { EXPECT_THROW(make_backend("gpu", 1), InputError); }

// Without an NVIDIA GPU, the CPU is the whole machine and no substitute.
TEST(Backend, AutoFallsBackAndStatesReasonWhereThereIsAGpu) {
  Message note = "old";
  const auto backend = make_backend("auto", 1, &note);
  if (cuda_status().usable) {
    EXPECT_TRUE(backend->is_cuda());
    EXPECT_EQ(note, "");
  } else {
    EXPECT_FALSE(backend->is_cuda());
    EXPECT_EQ(note.empty(), !has_nvidia_gpu());
  }
}

TEST(Backend, ExplicitCudaThrowsReasonWhenUnavailable) {
  if (cuda_status().usable) GTEST_SKIP() << "there is a CUDA device";
  try {
    make_backend("cuda", 1);
    FAIL();
  } catch (const InputError&) {
    FAIL() << "a missing device is not wrong usage";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()), cuda_status().reason);
  }
}

TEST(Backend, UsesRequestedThreads) {
  EXPECT_EQ(Backend::make_cpu(3)->threads(), 3);
  EXPECT_GE(Backend::make_cpu(0)->threads(), 1);
}

}  // namespace
}  // namespace perturb

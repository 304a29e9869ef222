// Stopping a computation on request.
#include "cuda/core/backend/stop.h"

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/core/backend/cpu_backend.h"
#include "cuda/core/backend/field.h"

namespace perturb {
namespace {

class StopOnThreads : public testing::TestWithParam<int> {
 protected:
  std::unique_ptr<Backend> backend_ = Backend::make_cpu(GetParam());
  CpuThreads& pool() { return static_cast<CpuBackend&>(*backend_).pool(); }
  StopRequest request_;
};
INSTANTIATE_TEST_SUITE_P(All, StopOnThreads, testing::Values(1, 2, 5));

TEST_P(StopOnThreads, ProcessesEveryRowOnceWithoutRequest) {
  const StopScope scope(*backend_, request_);
  const InterruptibleScope here(*backend_);
  for (const int least : {1, 7, 300}) {
    std::vector<std::atomic<int>> seen(1000);
    const auto body = [&](int begin, int end) {
      for (int j = begin; j < end; ++j) ++seen[static_cast<std::size_t>(j)];
    };
    pool().for_row_blocks(1000, least, RowBlock(body));
    for (const auto& times : seen) EXPECT_EQ(times, 1);
  }
}

TEST_P(StopOnThreads, InterruptsLoopInScope) {
  std::atomic<int> rows{0};
  const auto body = [&](int begin, int end) {
    for (int j = begin; j < end; ++j) {
      if (++rows == 5) request_.request_stop();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  };
  const StopScope scope(*backend_, request_);
  const InterruptibleScope here(*backend_);
  EXPECT_THROW(pool().for_row_blocks(1'000'000, 1, RowBlock(body)), Stopped);
  EXPECT_LT(rows, 1000);
}

// A cancelled step is undone by a copy while the stop is still requested.
TEST_P(StopOnThreads, CopyCompletesDespiteRequest) {
  constexpr std::size_t size = 3'000'001;  // divided among threads, the last block shorter
  Array<float> from(*backend_, size, "from"), to(*backend_, size, "to");
  std::vector<float> values(size);
  for (std::size_t k = 0; k < size; ++k) values[k] = static_cast<float>(k % 1009);
  from.upload(values);
  const StopScope scope(*backend_, request_);
  const InterruptibleScope here(*backend_);
  request_.request_stop();
  EXPECT_NO_THROW(to.copy_from(from));
  EXPECT_TRUE(to.download() == values);
  EXPECT_THROW(backend_->loop_stop_point(), Stopped) << "and afterwards it is heard again";
}

TEST_P(StopOnThreads, LoopOutsideScopeCompletesDespiteRequest) {
  std::atomic<int> rows{0};
  const auto body = [&](int begin, int end) { rows += end - begin; };
  request_.request_stop();
  const StopScope scope(*backend_, request_);
  EXPECT_NO_THROW(pool().for_row_blocks(1000, 1, RowBlock(body)));
  EXPECT_EQ(rows, 1000);
  EXPECT_THROW(backend_->stop_point(), Stopped);
  EXPECT_NO_THROW(backend_->loop_stop_point());
  EXPECT_THROW(const InterruptibleScope here(*backend_), Stopped);
  EXPECT_NO_THROW(pool().for_row_blocks(1000, 1, RowBlock(body))) << "what could not be begun leaves nothing behind";
}

TEST_P(StopOnThreads, StopsOnlyWithinStopScope) {
  request_.request_stop();
  {
    const StopScope scope(*backend_, request_);
    StopRequest inner_request;
    const StopScope inner(*backend_, inner_request);
    EXPECT_NO_THROW(backend_->stop_point());
    const InterruptibleScope here(*backend_), nowhere(*backend_, false);
    EXPECT_NO_THROW(backend_->loop_stop_point());
    inner_request.request_stop();
    EXPECT_THROW(backend_->loop_stop_point(), Stopped);
  }
  EXPECT_NO_THROW(backend_->stop_point());
  const InterruptibleScope here(*backend_);
  EXPECT_NO_THROW(backend_->loop_stop_point());
}

TEST_P(StopOnThreads, ReleasesMemory) {
  const StopScope scope(*backend_, request_);
  const InterruptibleScope here(*backend_);
  request_.request_stop();
  EXPECT_THROW(Array<double>(*backend_, 1000, "numbers"), Stopped);
  EXPECT_EQ(backend_->memory_in_use(), 0u);
  request_.reset();
  EXPECT_EQ(Array<double>(*backend_, 1000, "numbers").size(), 1000u);
}

}  // namespace
}  // namespace perturb

// CPU threads as a backend. Included through parallel_for.h.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>

#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/cpu_threads.h"

namespace perturb {

class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(int threads);
  CpuThreads& pool() { return pool_; }

  void synchronize() override {}
  void copy_from_host(void* to, const void* from, std::size_t bytes) override;
  void copy_to_host(void* to, const void* from, std::size_t bytes) override;
  void copy_within(void* to, const void* from, std::size_t bytes) override;
  void fill_zero(void* to, std::size_t bytes) override;
  std::size_t free_memory() const override;
  std::size_t total_memory() const override;

 private:
  void* allocate(std::size_t bytes) override;
  void release(void* pointer) noexcept override;
  void set_stop_request(const StopRequest* request) noexcept override { pool_.set_stop_request(request); }
  // Calls body(first, size) for ranges that cover `bytes` bytes, each on one thread.
  template <class F>
  void for_each_chunk(std::size_t bytes, const F& body);
  CpuThreads pool_;
  std::atomic<std::size_t> trusted_{0};  // bytes that may be allocated before free memory is queried again
};

// Counts and times a labelled loop on the CPU if the backend's stats are timing. A BlockRecorder gets its blocks.
class KernelTimer {
 public:
  KernelTimer(Backend& backend, const char* label) : backend_(backend), label_(label) {
    if (backend.block_recorder() && !backend.is_cuda()) {
      recorded_ = &static_cast<CpuBackend&>(backend).pool();
      recorded_->record_next(backend.block_recorder(), label);
    }
    if (backend.stats().timing() || recorded_) start_ = std::chrono::steady_clock::now();
  }
  ~KernelTimer() {
    if (!backend_.stats().timing() && !recorded_) return;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    if (recorded_) end_record(seconds);
    if (backend_.stats().timing()) backend_.stats().add(label_, seconds);
  }
  KernelTimer(const KernelTimer&) = delete;
  KernelTimer& operator=(const KernelTimer&) = delete;

 private:
  void end_record(double seconds);
  Backend& backend_;
  const char* label_;
  std::chrono::steady_clock::time_point start_;
  CpuThreads* recorded_ = nullptr;
};

// Division of a memory range into blocks that threads clear or copy.
struct ZeroBlocks {
  std::size_t bytes = 4096;  // size of a block: a page, or larger if needed
  int count = 0;             // number of blocks; the last one may be shorter
};

// Blocks that cover `bytes`: small enough to distribute over threads, and few enough to count with an int for any size.
constexpr ZeroBlocks zero_blocks(std::size_t bytes) {
  constexpr std::size_t max_count = std::size_t{1} << 30;
  ZeroBlocks blocks;
  if (bytes == 0) return blocks;
  while ((bytes - 1) / blocks.bytes >= max_count) blocks.bytes *= 2;
  blocks.count = static_cast<int>((bytes - 1) / blocks.bytes + 1);
  return blocks;
}

}  // namespace perturb

#include "cuda/core/backend/cpu_backend.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>

#include "cuda/core/backend/block_recorder.h"
#include "cuda/core/backend/cpu_threads.h"
#include "cuda/core/backend/main_memory.h"
#include "cuda/core/backend/shared_memory.h"
#include "cuda/core/backend/timeline.h"

#if defined(__SSE__)
#include <immintrin.h>
#endif

namespace perturb {

namespace {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("model name", 0) == 0) {
      const std::size_t colon = line.find(": ");
      if (colon != std::string::npos) return line.substr(colon + 2);
    }
  return "CPU";
}

// An empty field has a null address, which memcpy does not accept even for zero bytes.
void copy(void* to, const void* from, std::size_t bytes) {
  if (bytes > 0) std::memcpy(to, from, bytes);
}

}  // namespace

CpuBackend::CpuBackend(int threads) : Backend(BackendKind::cpu, processor_name(), threads), pool_(threads) {}

void CpuBackend::copy_from_host(void* to, const void* from, std::size_t bytes) { copy(to, from, bytes); }
void CpuBackend::copy_to_host(void* to, const void* from, std::size_t bytes) { copy(to, from, bytes); }
// Always runs to its end: the state before a cancelled step is restored by copies.
void CpuBackend::copy_within(void* to, const void* from, std::size_t bytes) {
  const CpuThreads::UninterruptibleScope uninterruptible(pool_);
  for_each_chunk(bytes, [&](std::size_t first, std::size_t size) {
    std::memcpy(static_cast<char*>(to) + first, static_cast<const char*>(from) + first, size);
  });
}

void CpuBackend::fill_zero(void* to, std::size_t bytes) {
  for_each_chunk(bytes,
                 [&](std::size_t first, std::size_t size) { std::memset(static_cast<char*>(to) + first, 0, size); });
}

// Runs on the threads that will use the memory, so that on machines with several memory nodes each thread's part is
// local to it.
template <class F>
void CpuBackend::for_each_chunk(std::size_t bytes, const F& body) {
  const ZeroBlocks blocks = zero_blocks(bytes);
  const auto chunk = [&](int begin, int end) {
    const std::size_t first = static_cast<std::size_t>(begin) * blocks.bytes;
    const std::size_t last = std::min(static_cast<std::size_t>(end) * blocks.bytes, bytes);
    body(first, last - first);
  };
  pool_.for_row_blocks(blocks.count, 64, RowBlock(chunk));
}

std::size_t CpuBackend::free_memory() const { return main_memory().free; }
std::size_t CpuBackend::total_memory() const { return main_memory().total; }

void* CpuBackend::allocate(std::size_t bytes) {
  if (SharedAllocations::are_on()) return bytes > free_memory() ? nullptr : SharedMemory::of_process().allocate(bytes);
  // The kernel overcommits memory, so a grid that will not fit must be rejected here instead of being killed later. The
  // query takes at least a tenth of a millisecond, so small allocations are granted from a budget derived from the last
  // answer.
  std::size_t trusted = trusted_.load();
  while (bytes <= trusted)
    if (trusted_.compare_exchange_weak(trusted, trusted - bytes)) return allocate_main_memory(bytes);
  const std::size_t free = free_memory();
  if (bytes > free) return nullptr;
  trusted_ = (free - bytes) / 64;
  return allocate_main_memory(bytes);
}
void CpuBackend::release(void* pointer) noexcept {
  if (SharedMemory::has(pointer))
    SharedMemory::of_process().release(pointer);
  else
    std::free(pointer);
}

std::unique_ptr<Backend> Backend::make_cpu(int threads, Message* note) {
  if (note) *note = {};
  const int wanted = threads > 0 ? threads : CpuThreads::available();
  std::string why;
  const int started = CpuThreads::startable(wanted, &why);
  if (started < wanted && note)
    *note = Message(
        "Only {} of {} threads could be started ({}): raise the limit of memory or processes (ulimit -v, ulimit -u), "
        "or ask for fewer with --threads.",
        started, wanted, why);
  return std::make_unique<CpuBackend>(started);
}

namespace {

// Flushes subnormal numbers to zero while a block runs, as kernels on the GPU do (--ftz=true). The field ahead of every
// wave front fades through subnormals, and a processor takes a hundred times longer for each.
class FlushSubnormals {
 public:
#if defined(__SSE__)
  FlushSubnormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | 0x8040u); }  // flush to zero, denormals are zero
  ~FlushSubnormals() { _mm_setcsr(before_); }

 private:
  unsigned before_;
#elif defined(__aarch64__)
  FlushSubnormals() {
    asm volatile("mrs %0, fpcr" : "=r"(before_));
    asm volatile("msr fpcr, %0" ::"r"(before_ | (1ull << 24)));
  }
  ~FlushSubnormals() { asm volatile("msr fpcr, %0" ::"r"(before_)); }

 private:
  unsigned long long before_;
#endif
};

}  // namespace

void KernelTimer::end_record(double seconds) {
  recorded_->record_next(nullptr, nullptr);
  BlockRecorder* const recorder = backend_.block_recorder();
  if (recorder && recorder->is_open(label_)) recorder->end(seconds);
}

// The following are for both thread pools (cpu_threads.cpp, cpu_threads_own.cpp).
BlockStart* CpuThreads::begin_record(int blocks) {
  BlockRecorder* const recorder = std::exchange(recorder_, nullptr);
  return recorder ? recorder->begin(recorded_label_, blocks, 1) : nullptr;
}
void CpuThreads::run_block(int begin, int end, int min_rows, const RowBlock& body, BlockStart* start) const {
  if (start) *start = {Timeline::now(), current_core()};
  [[maybe_unused]] const FlushSubnormals flush_subnormals;
  if (!stop_request_) {
    body(begin, end);
    return;
  }
  // The pieces grow until one takes so long that checking the flag costs nothing in comparison.
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds enough(1), too_much(20);
  int piece = std::max(1, min_rows);
  for (int at = begin; at < end && !stop_request_->stop_requested();) {
    const int here = std::min(piece, end - at);
    const auto piece_start = Clock::now();
    body(at, at + here);
    at += here;
    const auto took = Clock::now() - piece_start;
    if (took < enough && piece <= (end - begin) / 2)
      piece *= 2;
    else if (took > too_much && piece > 1)
      piece /= 2;
  }
}

}  // namespace perturb

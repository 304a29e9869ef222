// Processing of one block of rows by a thread, for both thread pools.
#include <algorithm>
#include <chrono>

#include "cuda/core/backend/cpu_threads.h"

#if defined(__SSE__)
#include <immintrin.h>
#endif

namespace perturb {

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

void CpuThreads::run_block(int begin, int end, int least, const RowBlock& body) const {
  [[maybe_unused]] const FlushSubnormals flush_subnormals;
  if (!stop_request_) {
    body(begin, end);
    return;
  }
  // The pieces grow until one takes so long that checking the flag costs nothing in comparison.
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds enough(1), too_much(20);
  int piece = std::max(1, least);
  for (int at = begin; at < end && !stop_request_->stop_requested();) {
    const int here = std::min(piece, end - at);
    const auto start = Clock::now();
    body(at, at + here);
    at += here;
    const auto took = Clock::now() - start;
    if (took < enough && piece <= (end - begin) / 2)
      piece *= 2;
    else if (took > too_much && piece > 1)
      piece /= 2;
  }
}

}  // namespace perturb

#include "cuda/core/cpu_threads.h"

#include <algorithm>

#include <sched.h>
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>
#include <unistd.h>

#include "cuda/core/check.h"

#if defined(__SSE__)
#include <immintrin.h>
#endif

namespace perturb {

namespace {

// Numbers too small for the format's full precision are taken as zero while a block runs, as kernels on the GPU do
// (--ftz=true): ahead of every wave front the field fades through them, and a processor takes a hundred times longer for each.
class TinyIsZero {
 public:
#if defined(__SSE__)
  TinyIsZero() : before_(_mm_getcsr()) { _mm_setcsr(before_ | 0x8040u); }  // flush to zero, denormals are zero
  ~TinyIsZero() { _mm_setcsr(before_); }

 private:
  unsigned before_;
#elif defined(__aarch64__)
  TinyIsZero() {
    asm volatile("mrs %0, fpcr" : "=r"(before_));
    asm volatile("msr fpcr, %0" ::"r"(before_ | (1ull << 24)));
  }
  ~TinyIsZero() { asm volatile("msr fpcr, %0" ::"r"(before_)); }

 private:
  unsigned long long before_;
#endif
};

}  // namespace

// oneTBB waits the way this program needs it: workers spin for a moment, then sleep.
struct CpuThreads::Arena {
  // More threads than processors are allowed when asked for (tests do): oneTBB would quietly take fewer.
  explicit Arena(int threads)
      : limit(tbb::global_control::max_allowed_parallelism,
              std::max<std::size_t>(threads,
                                    tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism))),
        arena(threads) {}
  tbb::global_control limit;
  tbb::task_arena arena;
};

CpuThreads::CpuThreads(int threads) : count_(threads), arena_(std::make_unique<Arena>(threads)) {
  PERTURB_ASSERT(threads >= 1);
}

CpuThreads::~CpuThreads() = default;

void CpuThreads::for_row_blocks(int rows, int least, const RowBlock& body) {
  if (rows <= 0) return;
  if (count_ == 1 || rows <= least) {
    const TinyIsZero tiny_is_zero;
    body(0, rows);
    return;
  }
  // Equal blocks by index, not by stealing: block b is always the same rows, and goes to the same thread when it can.
  const int blocks = std::min(count_, (rows + least - 1) / least);
  arena_->arena.execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<int>(0, blocks, 1),
        [&](const tbb::blocked_range<int>& range) {
          const TinyIsZero tiny_is_zero;
          for (int b = range.begin(); b < range.end(); ++b) {
            const auto at = [&](int k) { return static_cast<int>(static_cast<long long>(rows) * k / blocks); };
            body(at(b), at(b + 1));
          }
        },
        tbb::static_partitioner());
  });
}

int CpuThreads::available() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1L, sysconf(_SC_NPROCESSORS_ONLN));
}

}  // namespace perturb

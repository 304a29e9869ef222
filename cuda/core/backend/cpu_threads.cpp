#include "cuda/core/backend/cpu_threads.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>
#include <vector>

#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>
#include <unistd.h>

#include "cuda/core/backend/block_recorder.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/control_groups.h"
#include "cuda/core/backend/main_memory.h"
#include "cuda/core/backend/tsan_fence.h"

namespace perturb {

namespace {

// Waits at a gate until it is opened.
void* wait_at(void* gate) {
  static_cast<std::atomic<bool>*>(gate)->wait(false);
  return nullptr;
}

// Number of threads of the process, plus two (the folder and its parent also count as links); 0: unknown.
nlink_t threads_of_process() {
  struct stat info {};
  return stat("/proc/self/task", &info) == 0 ? info.st_nlink : 0;
}

// A joined thread still counts against the thread limit until the system has cleaned it up.
void wait_until_cleared(nlink_t before) {
  for (int tries = 0; tries < 100 && threads_of_process() > before; ++tries)
    std::this_thread::sleep_for(std::chrono::microseconds(200));
}

}  // namespace

// oneTBB's workers wait as needed here: they spin briefly, then sleep.
struct CpuThreads::Arena {
  // Allows more threads than processors on request (tests use this): oneTBB would silently use fewer.
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
  if (threads == 1) return;
  // Starts oneTBB's threads before fields, OpenGL and others use up limited resources: oneTBB starts a thread only when
  // there is work, and ends the program if it cannot. So each thread gets work until all have started.
  std::atomic<int> here{0};
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
  const auto wait_for_others = [&](int, int) {
    ++here;
    while (here < threads && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  };
  for_row_blocks(threads, 1, RowBlock(wait_for_others));
}

CpuThreads::~CpuThreads() = default;

int CpuThreads::row_blocks(int rows, int min_rows) const {
  return count_ == 1 || rows <= min_rows ? 1 : std::min(count_, (rows + min_rows - 1) / min_rows);
}

void CpuThreads::for_row_blocks(int rows, int min_rows, const RowBlock& body) {
  if (rows <= 0) return;
  if (stop_request_ && stop_request_->stop_requested()) throw Stopped();
  const int blocks = row_blocks(rows, min_rows);
  BlockStart* const starts = begin_record(blocks);
  if (count_ == 1 || rows <= min_rows) {
    run_block(0, rows, min_rows, body, starts);
    if (stop_request_ && stop_request_->stop_requested()) throw Stopped();
    return;
  }
  // Equal blocks by index, without stealing: block b always has the same rows, and runs on the same thread if possible.
  TsanFence start, end;
  start.release();
  arena_->arena.execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<int>(0, blocks, 1),
        [&](const tbb::blocked_range<int>& range) {
          start.acquire();
          const ReleaseOnExit gives(end);
          for (int b = range.begin(); b < range.end(); ++b)
            run_block(first_row(rows, b, blocks), first_row(rows, b + 1, blocks), min_rows, body,
                      starts ? starts + b : nullptr);
        },
        tbb::static_partitioner());
  });
  end.acquire();
  if (stop_request_ && stop_request_->stop_requested()) throw Stopped();
}

int CpuThreads::startable(int wanted, std::string* why) {
  if (why) why->clear();
  // If memory is limited, the allocator must not reserve 64 MiB of address space per thread, and some memory must
  // remain for what oneTBB needs in addition to stacks.
  constexpr std::size_t left_over = std::size_t{32} << 20;
  void* reserve = MAP_FAILED;
  if (memory_of_process_is_limited()) {
#if defined(__GLIBC__)
    mallopt(M_ARENA_MAX, 1);
#endif
    reserve = mmap(nullptr, left_over, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (reserve == MAP_FAILED) {
      if (why) *why = std::strerror(errno);
      return 1;
    }
  }
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  // The stack size that oneTBB will use.
  pthread_attr_setstacksize(&attributes, tbb::global_control::active_value(tbb::global_control::thread_stack_size));
  std::atomic<bool> gate{false};
  std::vector<pthread_t> started;
  const nlink_t before = threads_of_process();
  for (int k = 1; k < wanted; ++k) {
    pthread_t thread;
    if (const int code = pthread_create(&thread, &attributes, wait_at, &gate)) {
      if (why) *why = std::strerror(code);
      break;
    }
    started.push_back(thread);
  }
  gate = true;
  gate.notify_all();
  for (const pthread_t thread : started) pthread_join(thread, nullptr);
  wait_until_cleared(before);
  if (reserve != MAP_FAILED) munmap(reserve, left_over);
  pthread_attr_destroy(&attributes);
  return 1 + static_cast<int>(started.size());
}

int CpuThreads::current_core() { return sched_getcpu(); }

int CpuThreads::available() {
  cpu_set_t set;
  const long processors = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
  // More threads than the quota of a container are stopped until its next period, and then all wait for them.
  const double quota = processor_quota();
  return static_cast<int>(std::max(1L, quota > 0 ? std::min(processors, std::lround(quota)) : processors));
}

}  // namespace perturb

// CpuThreads without oneTBB: for browsers, whose threads are workers that were started before the engine.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "cuda/core/backend/block_recorder.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/cpu_threads.h"

namespace perturb {

namespace {

// Number of flag checks before a thread sleeps: a few tens of microseconds, the pause between two loops of a step.
constexpr int looks = 20000;
// Blocks per thread in a long loop: rows differ in cost, and other programs may occupy a thread's processor.
constexpr int blocks_of_thread = 4;

template <class Condition>
bool spin_until(const Condition& condition) {
  for (int k = 0; k < looks; ++k)
    if (condition()) return true;
  return false;
}

}  // namespace

// In a round, each thread (including the caller) has its own blocks: the same part of every loop, which is in its
// cache. A thread that has finished takes blocks that others have not begun. A round ends when its blocks are done: a
// worker that wakes later, because other programs use its processor, finds it closed. (When rounds waited for every
// worker, two pages on two processors ran at a tenth of their speed.)
struct CpuThreads::Arena {
  explicit Arena(int threads) : shares(static_cast<std::size_t>(threads)) {
    for (int k = 1; k < threads; ++k) workers.emplace_back([this, k] { work(k); });
  }
  ~Arena() {
    {
      const std::lock_guard lock(mutex);
      ending = true;
      ++round;
    }
    begun.notify_all();
    for (std::thread& worker : workers) worker.join();
  }

  void work(int thread) {
    for (int seen = 0;;) {
      if (!spin_until([&] { return round.load() != seen; })) {
        std::unique_lock lock(mutex);
        ++sleeping;
        begun.wait(lock, [&] { return round.load() != seen; });
        --sleeping;
      }
      seen = round.load();
      if (ending) return;
      ++inside;
      if (open.load()) take_blocks(thread);
      if (inside.fetch_sub(1) == 1 && caller_sleeps.load()) {
        const std::lock_guard lock(mutex);
        done.notify_one();
      }
    }
  }

  struct Block {
    virtual void operator()(int index) const = 0;

   protected:
    ~Block() = default;
  };

  void take_blocks(int thread) {
    const int threads = static_cast<int>(shares.size());
    for (int k = 0; k < threads; ++k) {
      Share& share = shares[static_cast<std::size_t>((thread + k) % threads)];
      if (share.next.load(std::memory_order_relaxed) >= share.end) continue;
      for (int index = share.next.fetch_add(1); index < share.end; index = share.next.fetch_add(1)) (*block)(index);
    }
  }

  void run(int count, const Block& body) {
    block = &body;
    const int threads = static_cast<int>(shares.size());
    for (int k = 0; k < threads; ++k) {
      shares[static_cast<std::size_t>(k)].next = static_cast<int>(static_cast<long long>(count) * k / threads);
      shares[static_cast<std::size_t>(k)].end = static_cast<int>(static_cast<long long>(count) * (k + 1) / threads);
    }
    open = true;  // workers that are inside from now on can read what was written before
    bool workers_sleep;
    {
      const std::lock_guard lock(mutex);
      ++round;
      workers_sleep = sleeping > 0;
    }
    if (workers_sleep) begun.notify_all();
    take_blocks(0);
    open = false;  // workers that are inside now may be working and are waited for; later ones leave
    const auto all_done = [&] { return inside.load() == 0; };
    if (spin_until(all_done)) return;
    std::unique_lock lock(mutex);
    caller_sleeps = true;
    done.wait(lock, all_done);
    caller_sleeps = false;
  }

  // On separate cache lines, so that no thread waits for another thread's counter.
  struct alignas(128) Share {
    std::atomic<int> next{0};
    int end = 0;
  };
  std::vector<Share> shares;
  std::vector<std::thread> workers;
  std::mutex mutex;
  std::condition_variable begun, done;
  const Block* block = nullptr;
  int sleeping = 0;
  std::atomic<int> round{0}, inside{0};
  std::atomic<bool> open{false}, caller_sleeps{false}, ending{false};
};

CpuThreads::CpuThreads(int threads) : count_(threads), arena_(std::make_unique<Arena>(threads)) {
  PERTURB_ASSERT(threads >= 1);
}

CpuThreads::~CpuThreads() = default;

int CpuThreads::row_blocks(int rows, int min_rows) const {
  if (count_ == 1 || rows <= min_rows) return 1;
  const int enough = (rows + min_rows - 1) / min_rows, many = blocks_of_thread * count_;
  return enough >= many ? many : std::min(count_, enough);
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
  struct Rows final : Arena::Block {
    Rows(const CpuThreads& threads, int rows, int blocks, int min_rows, const RowBlock& body, BlockStart* starts)
        : threads_(threads), rows_(rows), blocks_(blocks), min_rows_(min_rows), body_(body), starts_(starts) {}
    void operator()(int b) const override {
      threads_.run_block(first_row(rows_, b, blocks_), first_row(rows_, b + 1, blocks_), min_rows_, body_,
                         starts_ ? starts_ + b : nullptr);
    }

   private:
    const CpuThreads& threads_;
    int rows_, blocks_, min_rows_;
    const RowBlock& body_;
    BlockStart* starts_;
  };
  arena_->run(blocks, Rows(*this, rows, blocks, min_rows, body, starts));
  if (stop_request_ && stop_request_->stop_requested()) throw Stopped();
}

int CpuThreads::startable(int wanted, std::string* why) {
  if (why) why->clear();
  std::vector<std::thread> started;
  try {
    for (int k = 1; k < wanted; ++k) started.emplace_back([] {});
  } catch (const std::system_error& error) {
    if (why) *why = error.what();
  }
  for (std::thread& thread : started) thread.join();
  return 1 + static_cast<int>(started.size());
}

int CpuThreads::current_core() { return -1; }

int CpuThreads::available() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

}  // namespace perturb

// CpuThreads where there is no oneTBB: in a browser, whose threads are workers that were started before the engine.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "cuda/core/check.h"
#include "cuda/core/cpu_threads.h"

namespace perturb {

namespace {

// Looks at a flag before a thread sleeps: some tens of microseconds, as long as the pause between two loops of a step.
constexpr int looks = 20000;
// Of a long loop for each thread: rows take more or less time, and the machine may have other work for one thread.
constexpr int blocks_of_thread = 4;

template <class Condition>
bool comes_soon(const Condition& condition) {
  for (int k = 0; k < looks; ++k)
    if (condition()) return true;
  return false;
}

}  // namespace

// A round's blocks are taken by whoever is free, by the caller too. Where there are no more than threads, each has its
// own, in every loop the same part, which it finds in its cache: short loops gain more by that. A round ends when every
// worker has seen it.
struct CpuThreads::Arena {
  explicit Arena(int threads) {
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
      if (!comes_soon([&] { return round.load() != seen; })) {
        std::unique_lock lock(mutex);
        ++sleeping;
        begun.wait(lock, [&] { return round.load() != seen; });
        --sleeping;
      }
      seen = round.load();
      if (ending) return;
      take_blocks(thread);
      if (left.fetch_sub(1) == 1 && caller_sleeps.load()) {
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
    if (blocks <= static_cast<int>(workers.size()) + 1) {
      if (thread < blocks) (*block)(thread);
      return;
    }
    for (int index = next.fetch_add(1); index < blocks; index = next.fetch_add(1)) (*block)(index);
  }

  void run(int count, const Block& body) {
    block = &body, blocks = count, next = 0;
    left = static_cast<int>(workers.size());
    bool somebody_sleeps;
    {
      const std::lock_guard lock(mutex);
      ++round;
      somebody_sleeps = sleeping > 0;
    }
    if (somebody_sleeps) begun.notify_all();
    take_blocks(0);
    const auto all_done = [&] { return left.load() == 0; };
    if (comes_soon(all_done)) return;
    std::unique_lock lock(mutex);
    caller_sleeps = true;
    done.wait(lock, all_done);
    caller_sleeps = false;
  }

  std::vector<std::thread> workers;
  std::mutex mutex;
  std::condition_variable begun, done;
  const Block* block = nullptr;
  int blocks = 0, sleeping = 0;
  std::atomic<int> round{0}, left{0}, next{0};
  std::atomic<bool> caller_sleeps{false}, ending{false};
};

CpuThreads::CpuThreads(int threads) : count_(threads), arena_(std::make_unique<Arena>(threads)) {
  PERTURB_ASSERT(threads >= 1);
}

CpuThreads::~CpuThreads() = default;

void CpuThreads::for_row_blocks(int rows, int least, const RowBlock& body) {
  if (rows <= 0) return;
  if (stop_ && stop_->asked()) throw Stopped();
  if (count_ == 1 || rows <= least) {
    run_block(0, rows, least, body);
    if (stop_ && stop_->asked()) throw Stopped();
    return;
  }
  const int enough = (rows + least - 1) / least, many = blocks_of_thread * count_;
  const int blocks = enough >= many ? many : std::min(count_, enough);
  struct Rows final : Arena::Block {
    Rows(const CpuThreads& threads, int rows, int blocks, int least, const RowBlock& body)
        : threads_(threads), rows_(rows), blocks_(blocks), least_(least), body_(body) {}
    void operator()(int b) const override {
      const auto at = [&](int k) { return static_cast<int>(static_cast<long long>(rows_) * k / blocks_); };
      threads_.run_block(at(b), at(b + 1), least_, body_);
    }

   private:
    const CpuThreads& threads_;
    int rows_, blocks_, least_;
    const RowBlock& body_;
  };
  arena_->run(blocks, Rows(*this, rows, blocks, least, body));
  if (stop_ && stop_->asked()) throw Stopped();
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

int CpuThreads::available() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

}  // namespace perturb

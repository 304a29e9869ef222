// Requests a stop of work that others wait for too long.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "cuda/core/backend/stop.h"

namespace perturb {

class TimeLimit {
 public:
  using Clock = std::chrono::steady_clock;

  // `is_awaited`: whether anybody waits for the work; called on a thread of its own after `limit`, then each second.
  TimeLimit(Clock::duration limit, std::function<bool()> is_awaited)
      : limit_(limit), is_awaited_(std::move(is_awaited)), thread_([this] { watch(); }) {}
  ~TimeLimit() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

  // The work of its lifetime is limited; it must observe stop().
  class Scope {
   public:
    explicit Scope(TimeLimit& limit) : limit_(limit) { limit_.set_end(Clock::now() + limit_.limit_); }
    ~Scope() { limit_.set_end(std::nullopt); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    TimeLimit& limit_;
  };
  const StopRequest& stop() const { return stop_; }

 private:
  void set_end(std::optional<Clock::time_point> end) {
    {
      const std::lock_guard lock(mutex_);
      end_ = end;
      stop_.reset();
    }
    if (end) wake_.notify_one();
  }
  void watch() {
    std::unique_lock lock(mutex_);
    while (!ends_) {
      if (!end_) {
        wake_.wait(lock);
      } else if (Clock::now() < *end_) {
        wake_.wait_until(lock, *end_);
      } else if (is_awaited_()) {
        stop_.request_stop();
        end_.reset();
      } else {
        *end_ += std::chrono::seconds(1);
      }
    }
  }

  const Clock::duration limit_;
  const std::function<bool()> is_awaited_;
  StopRequest stop_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::optional<Clock::time_point> end_;  // of the limit; none: no work is limited
  bool ends_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace perturb

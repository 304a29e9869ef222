// An asynchronous copy from a backend's memory to the host. On CUDA it goes through pinned memory, after the work that
// is already queued; on the CPU it completes at once.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/check.h"

namespace perturb {

class AsyncReadback {
 public:
  AsyncReadback(Backend& backend, std::size_t bytes) : bytes_(bytes), pinned_(backend.make_pinned_readback(bytes)) {
    if (!pinned_) plain_.resize(bytes_);
  }
  AsyncReadback(const AsyncReadback&) = delete;
  AsyncReadback& operator=(const AsyncReadback&) = delete;

  // Queues a copy of all bytes from `device`. The previous copy must have completed.
  void start(const void* device) {
    PERTURB_ASSERT(!pending_);
    if (pinned_) {
      pinned_->start(device);
      pending_ = true;
    } else {
      std::memcpy(plain_.data(), device, bytes_);
    }
  }
  // Whether no copy is pending. Does not wait. Throws Error if the device failed.
  bool ready() {
    if (pending_) pending_ = !pinned_->ready();
    return !pending_;
  }
  void wait() {
    if (pending_) pinned_->wait();
    pending_ = false;
  }
  // The bytes of the last completed copy.
  const void* data() const { return pinned_ ? pinned_->data() : plain_.data(); }

 private:
  std::size_t bytes_;
  bool pending_ = false;
  std::unique_ptr<PinnedReadback> pinned_;
  std::vector<std::byte> plain_;
};

}  // namespace perturb

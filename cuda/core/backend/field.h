// Memory on a backend: its allocation, its owners Array and Field, and asynchronous copies to the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/view.h"

namespace perturb {

// The single entry point for field memory on either backend, so that tests can count allocations and make them fail.
//
// Allocates `bytes` of memory that kernels of `backend` can access, aligned to 256 bytes and set to zero. Throws Error
// with the requested and the free memory if there is not enough, and Stopped under InterruptibleScope. `label` names
// the field in the message. With `from`, memory of `backend` of the same size, the result is a copy of it instead of
// zeros: the first write to untouched pages is slow, so they should not be written twice.
void* allocate_memory(Backend& backend, std::size_t bytes, const char* label, const void* from = nullptr);
void release_memory(Backend& backend, void* pointer, std::size_t bytes) noexcept;

// For tests: the `countdown`-th call of allocate_memory from now fails as if memory had run out (0: the next one; -1:
// none).
void fail_memory_after(std::int64_t countdown);

// An array of `size` elements, initialised to zero. Like Field, it can be moved; copies must be explicit.
template <class T>
class Array {
 public:
  Array() = default;
  Array(Backend& backend, std::size_t size, const char* label)
      : backend_(&backend), size_(size), data_(static_cast<T*>(allocate_memory(backend, size * sizeof(T), label))) {}
  // A copy of `other`, which must not be empty and must be on `backend`.
  Array(Backend& backend, const Array& other, const char* label)
      : backend_(&backend),
        size_(other.size_),
        data_(static_cast<T*>(allocate_memory(backend, other.size_ * sizeof(T), label, other.data_))) {}
  Array(Array&& other) noexcept { swap(other); }
  Array& operator=(Array&& other) noexcept {
    Array moved(std::move(other));
    swap(moved);
    return *this;
  }
  ~Array() {
    if (data_) release_memory(*backend_, data_, size_ * sizeof(T));
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() const { return data_; }
  Backend& backend() const { return *backend_; }
  View1D<T> view() { return {data_, size_}; }
  View1D<const T> view() const { return {data_, size_}; }

  // Copies from and to ordinary memory; both wait.
  void upload(std::span<const T> values) {
    PERTURB_ASSERT(values.size() <= size_);
    backend_->copy_from_host(data_, values.data(), values.size_bytes());
  }
  void download(std::span<T> values) const {
    PERTURB_ASSERT(values.size() <= size_);
    backend_->copy_to_host(values.data(), data_, values.size_bytes());
  }
  std::vector<T> download() const {
    std::vector<T> values(size_);
    download(std::span<T>(values));
    return values;
  }
  void fill_zero() {
    if (data_) backend_->fill_zero(data_, size_ * sizeof(T));
  }
  void copy_from(const Array& other) {
    PERTURB_ASSERT(other.size_ == size_);
    backend_->copy_within(data_, other.data_, size_ * sizeof(T));
  }
  void swap(Array& other) noexcept {
    std::swap(backend_, other.backend_);
    std::swap(size_, other.size_);
    std::swap(data_, other.data_);
  }

 private:
  Backend* backend_ = nullptr;
  std::size_t size_ = 0;
  T* data_ = nullptr;
};

// A grid of width x height elements, rows padded to 128 bytes, initialised to zero.
template <class T>
class Field {
 public:
  // Elements from one row to the next for a grid of this width.
  static int stride_of(int width) {
    constexpr int per_line = static_cast<int>(128 / sizeof(T));
    return (width + per_line - 1) / per_line * per_line;
  }
  // Bytes of a field of this shape.
  static std::size_t bytes_of(int width, int height) {
    return static_cast<std::size_t>(stride_of(width)) * height * sizeof(T);
  }

  Field() = default;
  Field(Backend& backend, int width, int height, const char* label)
      : width_(width), height_(height), array_(backend, static_cast<std::size_t>(stride_of(width)) * height, label) {}

  Field(Backend& backend, const Field& other, const char* label)
      : width_(other.width_), height_(other.height_), array_(backend, other.array_, label) {}

  int width() const { return width_; }
  int height() const { return height_; }
  bool empty() const { return array_.empty(); }
  View2D<T> view() { return {array_.data(), width_, height_, stride_of(width_)}; }
  View2D<const T> view() const { return {array_.data(), width_, height_, stride_of(width_)}; }

  // Row-major without padding, [height][width]; both wait.
  void upload(std::span<const T> values) {
    PERTURB_ASSERT(values.size() == static_cast<std::size_t>(width_) * height_);
    const std::size_t stride = stride_of(width_);
    std::vector<T> padded(array_.size());
    for (int j = 0; j < height_; ++j)
      for (int i = 0; i < width_; ++i) padded[j * stride + i] = values[static_cast<std::size_t>(j) * width_ + i];
    array_.upload(padded);
  }
  std::vector<T> download() const {
    const std::vector<T> padded = array_.download();
    const std::size_t stride = stride_of(width_);
    std::vector<T> values(static_cast<std::size_t>(width_) * height_);
    for (int j = 0; j < height_; ++j)
      for (int i = 0; i < width_; ++i) values[static_cast<std::size_t>(j) * width_ + i] = padded[j * stride + i];
    return values;
  }
  void fill_zero() { array_.fill_zero(); }
  void copy_from(const Field& other) { array_.copy_from(other.array_); }
  void swap(Field& other) noexcept {
    std::swap(width_, other.width_);
    std::swap(height_, other.height_);
    array_.swap(other.array_);
  }

 private:
  int width_ = 0, height_ = 0;
  Array<T> array_;
};

// An asynchronous copy from a backend's memory to the host. On CUDA it goes through pinned memory, after the work that
// is already queued; on the CPU it completes at once.
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

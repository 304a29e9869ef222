// Owners of memory on a backend. They can be moved; copies must be explicit.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/memory.h"
#include "cuda/core/backend/view.h"

namespace perturb {

// An array of `size` elements, initialised to zero.
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

}  // namespace perturb

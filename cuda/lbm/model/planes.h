// The memory of the populations: a plane for each link, one after the other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/core/simulation/state_copy.h"
#include "cuda/lbm/model/step_params.h"

namespace perturb::lbm {

// Planes of width x height elements, set to zero; rows padded to 128 bytes.
//
// A cell reads nine planes and writes nine at the same index. If planes were a multiple of 4096 bytes apart, as in any
// grid whose side is a power of two, all of these accesses would compete for the same few sets of a CPU's first-level
// cache, at half the speed. On the CPU planes are therefore some cache lines further apart, each at a different offset
// modulo 4096 bytes: at most 4 KiB a plane.
template <class T>
class Planes {
 public:
  Planes() = default;
  Planes(Backend& backend, int width, int height, const char* label)
      : width_(width),
        height_(height),
        apart_(apart_of(backend, width, height)),
        array_(backend, bytes_of(backend, width, height) / sizeof(T), label) {}
  static std::size_t bytes_of(const Backend& backend, int width, int height) {
    return lbm_links * (Field<T>::bytes_of(width, height) + apart_of(backend, width, height) * sizeof(T));
  }

  bool empty() const { return array_.empty(); }
  Populations<T> populations() const { return {array_.data(), width_, height_, Field<T>::stride_of(width_), apart_}; }

  // [link][height][width] without padding; both wait.
  void upload(std::span<const T> values) {
    PERTURB_ASSERT(values.size() == count());
    std::vector<T> padded(array_.size());
    each_row([&](std::size_t at, std::size_t padded_at) {
      std::copy_n(values.data() + at, width_, padded.data() + padded_at);
    });
    array_.upload(padded);
  }
  std::vector<T> download() const {
    const std::vector<T> padded = array_.download();
    std::vector<T> values(count());
    each_row([&](std::size_t at, std::size_t padded_at) {
      std::copy_n(padded.data() + padded_at, width_, values.data() + at);
    });
    return values;
  }
  void visit_members(MemberCopier& copy) { copy(width_, height_, apart_, array_); }
  void swap(Planes& other) noexcept {
    std::swap(width_, other.width_), std::swap(height_, other.height_), std::swap(apart_, other.apart_);
    array_.swap(other.array_);
  }

 private:
  static int apart_of(const Backend& backend, int width, int height) {
    if (backend.is_cuda()) return 0;
    constexpr std::size_t page = 4096,
                          apart = 13 * 128;  // 13: puts the planes at different ones of the 32 offsets of 128 bytes
    const std::size_t bytes = Field<T>::bytes_of(width, height);
    return static_cast<int>((page + apart - bytes % page) % page / sizeof(T));
  }
  std::size_t count() const { return lbm_links * static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_); }
  template <class F>
  void each_row(const F& copy) const {
    const auto width = static_cast<std::size_t>(width_), height = static_cast<std::size_t>(height_);
    const auto stride = static_cast<std::size_t>(Field<T>::stride_of(width_));
    const std::size_t plane = height * stride + static_cast<std::size_t>(apart_);
    for (std::size_t q = 0; q < lbm_links; ++q)
      for (std::size_t j = 0; j < height; ++j) copy((q * height + j) * width, q * plane + j * stride);
  }

  int width_ = 0, height_ = 0;
  int apart_ = 0;
  Array<T> array_;
};

}  // namespace perturb::lbm

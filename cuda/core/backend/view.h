// A kernel's view of a field: a pointer and its shape, copied by value; and the index ranges of loops.
#pragma once

#include <cstddef>
#include <type_traits>

#include "cuda/core/backend/check.h"
#include "cuda/core/backend/host_device.h"

namespace perturb {

// A row-major view of memory: column i of row j. Row 0 is the bottom of the image. Rows are `stride` elements apart, a
// multiple of 128 bytes, so that every row starts on a cache line.
template <class T>
struct View2D {
  T* data = nullptr;
  int width = 0, height = 0;
  int stride = 0;

  PERTURB_HD T& operator()(int i, int j) const {
    PERTURB_ASSERT(i >= 0 && i < width && j >= 0 && j < height);
    return data[static_cast<std::size_t>(j) * stride + i];
  }
  PERTURB_HD T* row(int j) const { return data + static_cast<std::ptrdiff_t>(j) * stride; }
  PERTURB_HD bool empty() const { return data == nullptr; }
  // Conversion to a read-only view.
  template <class U = const T>
  requires(!std::is_const_v<T> && std::is_same_v<U, const T>) PERTURB_HD operator View2D<U>() const {
    return {data, width, height, stride};
  }
};

// A contiguous range of elements.
template <class T>
struct View1D {
  T* data = nullptr;
  std::size_t size = 0;

  PERTURB_HD T& operator[](std::size_t i) const {
    PERTURB_ASSERT(i < size);
    return data[i];
  }
  PERTURB_HD bool empty() const { return size == 0; }
  // Conversion to a read-only view.
  template <class U = const T>
  requires(!std::is_const_v<T> && std::is_same_v<U, const T>) PERTURB_HD operator View1D<U>() const {
    return {data, size};
  }
};

// The indices of a parallel loop.
struct Range1D {
  int size = 0;
  int min_share = 256;  // elements per CPU thread: fewer threads are used if they would have less than half of that
};
// Columns [0, width) of rows [0, height).
struct Range2D {
  int width = 0, height = 0;
};

}  // namespace perturb

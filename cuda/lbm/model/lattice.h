// The lattice: the populations of every cell, in the storage that the kernel needs, and their edits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/core/loops/reduce.h"
#include "cuda/core/simulation/edited_kernel.h"
#include "cuda/core/simulation/field_difference.h"
#include "cuda/core/simulation/state.h"
#include "cuda/core/simulation/state_copy.h"
#include "cuda/lbm/model/edit.h"
#include "cuda/lbm/model/step_params.h"
#include "cuda/lbm/parameters.h"

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
  Planes(Backend& backend, const Planes& other, const char* label)
      : width_(other.width_), height_(other.height_), apart_(other.apart_), array_(backend, other.array_, label) {}
  static std::size_t bytes_of(const Backend& backend, int width, int height) {
    return lbm_links * (Field<T>::bytes_of(width, height) + apart_of(backend, width, height) * sizeof(T));
  }

  bool empty() const { return array_.empty(); }
  Populations<T> populations() const { return {array_.data(), width_, height_, Field<T>::stride_of(width_), apart_}; }

  View1D<const T> view() const { return array_.view(); }

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
    std::swap(width_, other.width_);
    std::swap(height_, other.height_);
    std::swap(apart_, other.apart_);
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

// The velocities of a flow's cells.
template <class T>
Velocity<T> lbm_velocity(const StepParams& flow, const Populations<T>& g) {
  return {g, flow.painted ? Walls{flow.links} : Walls{}, 0.5f * flow.rates.force_x, 0.5f * flow.rates.force_y};
}

// A push along a stroke: velocity (cell/step) and radius (cells).
struct Stroke {
  CellSegment line;
  float vx, vy, radius;
};

// Random velocities of up to `size` (cell/step), counted from a cell.
struct Disturbance {
  float size;
  std::uint32_t seed;
  std::int64_t step;
  int i, j;
};

// Outgoing populations of the cells, in FP32 or FP16, in two copies: a step reads one and writes the other. The kernel
// `in-place` needs one copy. `flow`: always the current step parameters.
class Lattice {
 public:
  // All fluid, at rest. Throws Error when memory runs out.
  Lattice(Backend& backend, int width, int height, Storage storage);

  bool is_half() const { return !half_now_.empty(); }
  // Converts to this storage. Throws Error, with nothing changed, when memory runs out.
  void store(bool half, bool one_copy);
  // Calls use(populations) with the current ones, Populations<float> or <Half>.
  template <class Use>
  void with_populations(const Use& use) const {
    if (is_half())
      use(half_now_.populations());
    else
      use(now_.populations());
  }

  // For kernels: from `now` to `next`, which FP32 allocates at the first use; then swap.
  Populations<float> now() const { return now_.populations(); }
  Populations<Half> half_now() const { return half_now_.populations(); }
  Populations<Half> half_next() const { return half_next_.populations(); }
  Populations<float> next() const { return next_.populations(); }
  void need_next();
  void swap() {
    if (is_half())
      half_now_.swap(half_next_);
    else
      now_.swap(next_);
  }

  // Bytes of a copy in FP32.
  std::size_t full_bytes() const { return Planes<float>::bytes_of(backend_, width_, height_); }
  // Moves both copies to where an edited kernel sees them, and back.
  void share(const EditedKernel& kernel);
  void unshare();

  void push(const StepParams& flow, const Stroke& stroke);
  // Sets the cells of the box to the equilibria of this flow.
  void set_flow(const StepParams& flow, const Flow& to, const Box& box);
  // Keeps the flow's velocity when the force on every cell changes by (x, y), in cell/step².
  void change_force(const StepParams& flow, double x, double y);
  void disturb(const StepParams& flow, const Disturbance& disturbance);
  // Initialises populations after the walls of `flow` are replaced by `wall`.
  void initialize_uncovered_cells(const StepParams& flow, View2D<const std::uint8_t> wall,
                                  const WallVelocity& wall_velocity = {});

  // The moments of one cell; waits for the device.
  Moments moments_at(const StepParams& flow, int i, int j) const;

  // "density", "velocity", "populations" and "populations_shifted"; `wall`: [height][width], 1 or 0.
  void save_to(State& state, const StepParams& flow, const std::vector<std::uint8_t>& wall) const;
  // The largest difference between the numbers that save_to() saves of this and another lattice of the same size on the
  // same backend. Waits for the device.
  double difference_from(const StepParams& flow, const Lattice& other, const StepParams& other_flow);
  // [link][height][width], each minus its weight.
  void load(const std::vector<float>& shifted);
  void visit_members(MemberCopier& copy) { copy(now_, half_now_); }

 private:
  Range2D whole() const { return {width_, height_}; }
  Planes<float> full_planes() const { return {backend_, width_, height_, "populations"}; }
  Planes<Half> half_planes() const { return {backend_, width_, height_, "populations in 16 bits"}; }
  std::vector<float> download() const;

  Backend& backend_;
  int width_, height_;
  // One of the two is empty.
  Planes<float> now_, next_;
  Planes<Half> half_now_, half_next_;
  std::optional<Reduction<LargestDifference>> difference_;  // created with the first comparison
};

}  // namespace perturb::lbm

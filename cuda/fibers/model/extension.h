// The paper's extension (Eriksson 2014, chapter 5): the interaction of all pairs on a device, in chunks that fit its
// memory, passed to a processor that does everything else. While the processor works on a chunk the device computes the
// next one.
#pragma once

#include <memory>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/core/backend/readback.h"
#include "cuda/fibers/model/layout.h"
#include "cuda/fibers/model/matrix.h"
#include "cuda/fibers/model/paper_grid.h"

namespace perturb::fibers {

enum class Fetching {
  in_turn,   // a kernel, its results, then the processor: what the paper timed as "non-parallel"
  at_once,   // the next kernel is queued when the results have arrived, by a blocking copy, as in the paper
  by_itself  // the results are copied asynchronously after the kernel, into pinned memory
};

// Theta_ml^{nk} of the columns first .. last-1: [(K+1)²·6][pairs], pairs by `grid.pair(m, l)`.
struct FiberChunk {
  PaperGrid grid;
  const double* numbers = nullptr;
};

class Extension {
 public:
  static constexpr int order = 5, columns = fiber_tensor * (order + 1), numbers = columns * (order + 1);

  // For `fibers` fibers of half-length 1 and an outer rule of `points`. `memory`: bytes that a chunk may take on the
  // device. Throws InputError if one column does not fit, Error when memory is short.
  Extension(Backend& device, int fibers, int points, std::size_t memory);

  int chunks() const { return static_cast<int>(grids_.size()); }
  // Bytes on the device.
  std::size_t bytes() const;

  // Begins an evaluation; positions in the host's memory, [fibers][3] each.
  void begin(const double* position, const double* tangent, const FiberRule& rule, double doublet, Fetching fetching);
  // Returns the next chunk, valid until the next call; null after the last.
  const FiberChunk* fetch();

 private:
  void queue(std::size_t chunk);

  Backend& device_;
  int points_;  // of the outer rule
  std::vector<PaperGrid> grids_;
  Array<int> begin_;
  Array<double> position_, tangent_, integrals_, results_;
  std::vector<double> plain_;
  std::unique_ptr<AsyncReadback> pinned_[2];
  FiberRule rule_;
  double doublet_ = 0;
  Fetching fetching_ = Fetching::in_turn;
  std::size_t queued_ = 0, fetched_ = 0;
  FiberChunk chunk_;
};

// The processor's work on a chunk: stores its tensors where products read them (mirrored layouts).
void assemble_chunk(Backend& cpu, const FiberChunk& chunk, const FiberLayout& layout, double* theta);

// Registers and occupancy of the kernel on CUDA; zero on the CPU.
LaunchShape fiber_extension_shape(const Backend& device);

namespace detail {
// kernels/extension_kernels.cu, or kernels/no_kernels.cpp. integrals: [columns][slots]; results: [numbers][pairs].
void fiber_extension_cuda(Backend&, const PaperGrid&, const Poses&, const FiberRule&, double doublet, std::size_t slots,
                          double* integrals, double* results);
LaunchShape fiber_extension_shape_cuda();
}  // namespace detail

}  // namespace perturb::fibers

#include "cuda/studies/fibers/patterns.h"

#include "cuda/core/backend/check.h"
#include "cuda/core/loops/parallel_for.h"

namespace perturb::fibers {

namespace {

struct MoveNumbers {
  GlobalPattern pattern;
  int working, numbers;
  std::size_t stride;  // from one number of a thread to the next, except for `own`
  const double* from;
  double* to;
  PERTURB_HD void operator()(int i) const {
    const int block = i / GlobalTraffic::block, thread = i % GlobalTraffic::block;
    if (thread >= working) return;
    const auto wide = static_cast<std::size_t>(numbers);
    const std::size_t padded = static_cast<std::size_t>(i),
                      packed = static_cast<std::size_t>(block) * working + static_cast<std::size_t>(thread);
    const std::size_t begin = pattern == GlobalPattern::own      ? padded * wide
                              : pattern == GlobalPattern::packed ? packed
                                                                 : padded;
    const std::size_t step = pattern == GlobalPattern::own ? 1 : stride;
    for (std::size_t c = 0; c < wide; ++c) to[begin + c * step] = from[begin + c * step];
  }
};

}  // namespace

const char* name_of(GlobalPattern pattern) {
  return pattern == GlobalPattern::padded   ? "side by side, blocks padded"
         : pattern == GlobalPattern::packed ? "side by side, blocks packed"
                                            : "a thread's own side by side";
}

const char* name_of(SharedPattern pattern) {
  switch (pattern) {
    case SharedPattern::rows:
      return "rows, single precision";
    case SharedPattern::one_bank:
      return "one bank, single precision";
    case SharedPattern::rows_double:
      return "rows, double precision";
    case SharedPattern::halves:
      return "rows of halves, double precision";
    case SharedPattern::own_double:
      return "a thread's own six, double precision";
  }
  return "";
}

const char* name_of(LoopPattern pattern) {
  switch (pattern) {
    case LoopPattern::recomputed:
      return "two values, recomputed";
    case LoopPattern::kept:
      return "two values, kept in registers";
    case LoopPattern::global:
      return "sums, matrix in global memory";
    case LoopPattern::shared:
      return "sums, matrix in shared memory";
    case LoopPattern::constant:
      return "sums, matrix in constant memory";
    case LoopPattern::tiled:
      return "sums in tiles, in shared memory";
  }
  return "";
}

void move_numbers(Backend& backend, GlobalPattern pattern, const GlobalTraffic& traffic, const double* from,
                  double* to) {
  parallel_for_in_blocks(backend, "fibers.traffic", Range1D{static_cast<int>(traffic.threads())}, GlobalTraffic::block,
                         MoveNumbers{pattern, traffic.working, traffic.numbers, traffic.threads(), from, to});
}

void run_shared_pattern(Backend& backend, SharedPattern pattern, int blocks, int turns, double* results) {
  if (!backend.is_cuda()) throw Error("Shared memory banks exist only on a GPU. Choose the CUDA backend.");
  detail::shared_pattern_cuda(backend, pattern, blocks, turns, results);
}

void run_loop_pattern(Backend& backend, LoopPattern pattern, int blocks, int turns, int parts, const double* numbers,
                      double* results) {
  if (!backend.is_cuda()) throw Error("These memories exist only on a GPU. Choose the CUDA backend.");
  detail::loop_pattern_cuda(backend, pattern, blocks, turns, parts, numbers, results);
}

}  // namespace perturb::fibers

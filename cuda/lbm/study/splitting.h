// The paper's figures 1 and 2 as kernels that run: a loop with two independent sums, whole or split, and two branches,
// in one kernel or in one kernel each.
#pragma once

#include <cstdint>

#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/host_device.h"

namespace perturb::lbm {

// Threads i add up `length` numbers of each of the four arrays, which are next to those of their neighbours.
struct LoopNumbers {
  int threads = 0, length = 0;
  const float *ptr1 = nullptr, *ptr2 = nullptr, *ptr3 = nullptr, *ptr4 = nullptr;
  float* result = nullptr;
};

template <bool split>
struct SumsOfLoops {
  LoopNumbers n;
  PERTURB_HD void operator()(int thread) const {
    float x = 0, y = 0;
    if constexpr (split) {
      for (int i = 0; i < n.length; ++i) x += n.ptr1[thread + i * n.threads] * n.ptr2[thread + i * n.threads];
      for (int i = 0; i < n.length; ++i) y += n.ptr3[thread + i * n.threads] / n.ptr4[thread + i * n.threads];
    } else {
      for (int i = 0; i < n.length; ++i) {
        x += n.ptr1[thread + i * n.threads] * n.ptr2[thread + i * n.threads];
        y += n.ptr3[thread + i * n.threads] / n.ptr4[thread + i * n.threads];
      }
    }
    n.result[thread] = x + y;
  }
};

// A branch that keeps `live` numbers at once, in registers on a GPU, and takes `turns` products and sums of each. The
// two branches differ, so that a compiler cannot merge them.
template <int live, bool is_else>
PERTURB_HD inline float work_of_branch(float x, int turns) {
  float v[live];
  for (int k = 0; k < live; ++k) v[k] = x + static_cast<float>(k);
  for (int turn = 0; turn < turns; ++turn)
    for (int k = 0; k < live; ++k)
      v[k] = is_else ? multiply_add(v[k], 0.25f, 0.5f * v[(k + live - 1) % live])
                     : multiply_add(v[k], 0.5f, 0.25f * v[(k + 1) % live]);
  float sum = 0;
  for (int k = 0; k < live; ++k) sum += v[k];
  return sum;
}

// Numbers that the branches keep: few and many, or equally many. Their products are as many in either.
enum class BranchKind { different, equal };
constexpr int few_live = 1, many_live = 48, equal_live = 7;
constexpr int live_of_if(BranchKind kind) { return kind == BranchKind::different ? few_live : equal_live; }
constexpr int live_of_else(BranchKind kind) { return kind == BranchKind::different ? many_live : equal_live; }

enum class BranchPart { both, only_if, only_else };

struct BranchNumbers {
  int threads = 0, products = 0;       // of a thread
  const std::uint8_t* mask = nullptr;  // 0: if-branch, 1: else-branch
  const float* input = nullptr;
  float* result = nullptr;
};

template <BranchKind kind, BranchPart part>
struct Branches {
  BranchNumbers n;
  PERTURB_HD void operator()(int thread) const {
    constexpr int of_if = live_of_if(kind), of_else = live_of_else(kind);
    if (n.mask[thread] == 0) {
      if constexpr (part != BranchPart::only_else)
        n.result[thread] = work_of_branch<of_if, false>(n.input[thread], n.products / of_if);
    } else if constexpr (part != BranchPart::only_if) {
      n.result[thread] = work_of_branch<of_else, true>(n.input[thread], n.products / of_else);
    }
  }
};

}  // namespace perturb::lbm

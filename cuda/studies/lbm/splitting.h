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

// Figure 1 has one sum for each pair of arrays. With `sums` of them, which divide the length, a loop keeps this many in
// registers that a GPU does not reach all of its occupancy: the condition under which the paper splits loops.
constexpr int many_sums = 16;
template <bool split, int sums = 1>
struct SumsOfLoops {
  LoopNumbers n;
  PERTURB_HD void add_products(float (&x)[sums], int thread, int first) const {
    for (int k = 0; k < sums; ++k) {
      const int at = thread + (first + k) * n.threads;
      x[k] += n.ptr1[at] * n.ptr2[at];
    }
  }
  PERTURB_HD void add_quotients(float (&y)[sums], int thread, int first) const {
    for (int k = 0; k < sums; ++k) {
      const int at = thread + (first + k) * n.threads;
      y[k] += n.ptr3[at] / n.ptr4[at];
    }
  }
  PERTURB_HD static float sum_of(const float (&x)[sums]) {
    float sum = x[0];
    for (int k = 1; k < sums; ++k) sum += x[k];
    return sum;
  }
  PERTURB_HD void operator()(int thread) const {
    float x[sums] = {}, y[sums] = {};
    if constexpr (split) {
      for (int i = 0; i < n.length; i += sums) add_products(x, thread, i);
      const float of_products = sum_of(x);  // one number is kept during the second loop
      for (int i = 0; i < n.length; i += sums) add_quotients(y, thread, i);
      n.result[thread] = of_products + sum_of(y);
    } else {
      for (int i = 0; i < n.length; i += sums) {
        add_products(x, thread, i);
        add_quotients(y, thread, i);
      }
      n.result[thread] = sum_of(x) + sum_of(y);
    }
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

// Numbers that the branches keep: few and many, or equally many. Their products are as many in either. The numbers are
// chosen: figure 2's branches need few and many registers too, and these do on a current GPU.
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

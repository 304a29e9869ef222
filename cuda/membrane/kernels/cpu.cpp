// Rows of the membrane's matrix in the CPU's vector registers. Compilers do not vectorise a loop over the fifteen sums
// of a patch of degree 4 this way.
#include <algorithm>
#include <cstring>
#include <type_traits>

#include "cuda/core/math/pack.h"
#include "cuda/membrane/model/sparse.h"

namespace perturb::membrane {

namespace {

template <int lanes>
Pack<double, lanes> load(const double* from) {
  Pack<double, lanes> pack;
  std::memcpy(&pack.v, from, sizeof pack.v);
  return pack;
}

// `count` sums, each added in the order of its products: in whole registers first, then in half registers and so on,
// because a column may end where the memory ends.
template <int count>
class PackSums {
  static constexpr int lanes = count >= register_lanes ? register_lanes : count >= 4 ? 4 : 2;
  static constexpr int packs = count / lanes, done = packs * lanes;
  using P = Pack<double, lanes>;

 public:
  PackSums() {
    PERTURB_UNROLL
    for (P& one : sums_) one = P(0.0);
  }
  // + a by
  void add(const double* a, double by) {
    PERTURB_UNROLL
    for (int k = 0; k < packs; ++k) sums_[k] = multiply_add(load<lanes>(a + k * lanes), P(by), sums_[k]);
    others_.add(a + done, by);
  }
  // + (a + shift b) by
  void add(const double* a, double shift, const double* b, double by) {
    PERTURB_UNROLL
    for (int k = 0; k < packs; ++k) {
      const P sum = multiply_add(P(shift), load<lanes>(b + k * lanes), load<lanes>(a + k * lanes));
      sums_[k] = multiply_add(sum, P(by), sums_[k]);
    }
    others_.add(a + done, shift, b + done, by);
  }
  void store(double* out) const {
    std::memcpy(out, sums_, sizeof sums_);
    others_.store(out + done);
  }

 private:
  P sums_[packs];
  [[no_unique_address]] PackSums<count - done> others_;
};

// In half a register: V8 keeps a scalar next to vectors in memory.
template <>
class PackSums<1> {
  using P = Pack<double, 2>;

 public:
  void add(const double* a, double by) { sum_ = multiply_add(with_zero(a), P(by), sum_); }
  void add(const double* a, double shift, const double* b, double by) {
    sum_ = multiply_add(multiply_add(P(shift), with_zero(b), with_zero(a)), P(by), sum_);
  }
  void store(double* out) const { *out = sum_[0]; }

 private:
  P sum_ = P(0.0);
};

template <>
class PackSums<0> {
 public:
  void add(const double*, double) {}
  void add(const double*, double, const double*, double) {}
  void store(double*) const {}
};

// Number of a patch's sums, from `at` on, computed in one pass over its entries: as few and as equal passes as the
// registers allow.
template <int functions, int at>
constexpr int cells_per_pass() {
  constexpr int left = functions - at, walks = (left + sums_at_once - 1) / sums_at_once;
  return (left + walks - 1) / walks;
}

// A column of a block is contiguous in memory.
template <int functions, int at = 0>
void row_of(const ApplyMatrix& apply, int i, double* out) {
  constexpr int count = cells_per_pass<functions, at>();
  const SpaceView& view = apply.view;
  const Matrix& matrix = apply.matrix;
  PackSums<count> sums;
  for (std::int64_t k = view.row[i]; k < view.row[i + 1]; ++k) {
    const Patch& p = view.patches[view.column[k]];
    const int columns = p.functions();
    const double* a = matrix.a + view.offset[k] + at;
    const double* from = apply.x + p.first;
    if (matrix.b) {
      const double* b = matrix.b + view.offset[k] + at;
      for (int m = 0; m < columns; ++m, a += functions, b += functions) sums.add(a, matrix.shift, b, from[m]);
    } else {
      for (int m = 0; m < columns; ++m, a += functions) sums.add(a, from[m]);
    }
  }
  sums.store(out + at);
  if constexpr (at + count < functions) row_of<functions, at + count>(apply, i, out);
}

template <int functions, int at = 0>
void block_of(const double* block, const double* from, double* out) {
  constexpr int count = cells_per_pass<functions, at>();
  PackSums<count> sums;
  for (int m = 0; m < functions; ++m) sums.add(block + m * functions + at, from[m]);
  sums.store(out + at);
  if constexpr (at + count < functions) block_of<functions, at + count>(block, from, out);
}

// Calls `use` with the number of a patch's functions as a compile-time constant, or with a number as it is: that of the
// few enriched patches, and of those outside of the domain.
template <class Use>
void with_functions(int functions, const Use& use) {
  switch (functions) {
    case membrane_functions(1):
      return use(std::integral_constant<int, membrane_functions(1)>());
    case membrane_functions(2):
      return use(std::integral_constant<int, membrane_functions(2)>());
    case membrane_functions(3):
      return use(std::integral_constant<int, membrane_functions(3)>());
    case membrane_functions(4):
      return use(std::integral_constant<int, membrane_functions(4)>());
    case membrane_functions(5):
      return use(std::integral_constant<int, membrane_functions(5)>());
    default:
      return use(functions);
  }
}

// Columns of `functions` numbers: out += sum of column m · from[m].
void add_columns(const double* a, const double* b, double shift, int functions, int columns, const double* from,
                 double* out) {
  for (int m = 0; m < columns; ++m)
    for (int n = 0; n < functions; ++n) {
      const int at = m * functions + n;
      out[n] = multiply_add(b ? multiply_add(shift, b[at], a[at]) : a[at], from[m], out[n]);
    }
}

void row_of_any(const ApplyMatrix& apply, int i, int functions, double* out) {
  const SpaceView& view = apply.view;
  const Matrix& matrix = apply.matrix;
  std::fill_n(out, functions, 0.0);
  for (std::int64_t k = view.row[i]; k < view.row[i + 1]; ++k) {
    const Patch& p = view.patches[view.column[k]];
    add_columns(matrix.a + view.offset[k], matrix.b ? matrix.b + view.offset[k] : nullptr, matrix.shift, functions,
                p.functions(), apply.x + p.first, out);
  }
}

}  // namespace

void ApplyMatrix::row(int i, double* sums) const {
  with_functions(view.functions(i), [&](auto functions) {
    if constexpr (std::is_same_v<decltype(functions), int>)
      row_of_any(*this, i, functions, sums);
    else
      row_of<functions()>(*this, i, sums);
  });
}

void times_block(const double* block, int functions, const double* from, double* sums) {
  with_functions(functions, [&](auto constant) {
    if constexpr (std::is_same_v<decltype(constant), int>) {
      std::fill_n(sums, functions, 0.0);
      add_columns(block, nullptr, 0, functions, functions, from, sums);
    } else {
      block_of<constant()>(block, from, sums);
    }
  });
}

// Four sums at once: one alone would wait for each of its products.
double dot_of_row(const double* a, const double* b, int count) {
  using P = Pack<double, native_lanes>;
  constexpr int sums_of_dot = 4;
  P sums[sums_of_dot];
  PERTURB_UNROLL
  for (P& one : sums) one = P(0.0);
  int k = 0;
  for (; k + sums_of_dot * native_lanes <= count; k += sums_of_dot * native_lanes) {
    PERTURB_UNROLL
    for (int s = 0; s < sums_of_dot; ++s)
      sums[s] = multiply_add(load<native_lanes>(a + k + s * native_lanes), load<native_lanes>(b + k + s * native_lanes),
                             sums[s]);
  }
  for (; k + native_lanes <= count; k += native_lanes)
    sums[0] = multiply_add(load<native_lanes>(a + k), load<native_lanes>(b + k), sums[0]);
  const P whole = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  double sum = 0;
  for (int lane = 0; lane < native_lanes; ++lane) sum += whole[lane];
  for (; k < count; ++k) sum = multiply_add(a[k], b[k], sum);
  return sum;
}

// `to` may alias an operand, which prevents a compiler from using vector registers.
void Combine::row(int begin, int end, int j) const {
  using P = Pack<double, native_lanes>;
  int i = begin;
  for (; i + native_lanes <= end; i += native_lanes) {
    const std::int64_t k = static_cast<std::int64_t>(j) * 1024 + i;
    if (k + native_lanes > size) break;
    P sum = u ? P(a) * load<native_lanes>(u + k) : P(0.0);
    if (v) sum = multiply_add(P(b), load<native_lanes>(v + k), sum);
    if (w) sum = multiply_add(P(c), load<native_lanes>(w + k), sum);
    std::memcpy(to + k, &sum.v, sizeof sum.v);
  }
  for (; i < end; ++i) (*this)(i, j);
}

}  // namespace perturb::membrane

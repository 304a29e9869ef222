#include "cuda/fibers/model/matrix.h"

#include <algorithm>

#include "cuda/core/backend/check.h"
#include "cuda/core/loops/parallel_for.h"
#include "cuda/core/math/pack.h"

namespace perturb::fibers {

namespace {

constexpr std::size_t scratch_bytes = std::size_t{192} << 20;

// Sums the partial products of a fiber, in the order of the tiles.
struct GatherSums {
  Layout layout;
  const double* partials;
  double* sums;
  int values;
  // Adds partials[at(k)] for k = 0 .. count - 1. Several are read before they are added, so that the reads overlap.
  template <class At>
  PERTURB_HD void add(int count, const At& at, double& sum) const {
    constexpr int together = 8;
    int k = 0;
    for (; k + together <= count; k += together) {
      double part[together];
      PERTURB_UNROLL
      for (int e = 0; e < together; ++e) part[e] = partials[at(k + e)];
      PERTURB_UNROLL
      for (int e = 0; e < together; ++e) sum += part[e];
    }
    for (; k < count; ++k) sum += partials[at(k)];
  }
  PERTURB_HD void operator()(int v, int m) const {
    const int own = m / layout.tile, place = m % layout.tile, splits = layout.splits;
    double sum = 0;
    if (layout.mirrored)
      add((own + 1) * splits,
          [&](int k) { return layout.partial_of_column(layout.tile_pair(k / splits, own), k % splits, place) + v; },
          sum);
    const int first = layout.mirrored ? own : 0;
    add(
        layout.tiles - first, [&](int k) { return layout.partial_of_row(layout.tile_pair(own, first + k), place) + v; },
        sum);
    sums[static_cast<std::size_t>(m) * values + v] = sum;
  }
};

std::size_t pair_numbers(const Layout& layout) {
  return static_cast<std::size_t>(layout.tile) * layout.tile * layout.components();
}

std::size_t real_bytes(const Parameters& p) { return p.precision == Precision::fp32 ? sizeof(float) : sizeof(double); }

// Tile pairs that the buffer of recomputed interaction holds.
long long scratch_pairs(const Layout& layout, std::size_t real) {
  const auto fit = static_cast<long long>(scratch_bytes / (pair_numbers(layout) * real));
  return std::clamp<long long>(fit, 1, layout.tile_pairs());
}

}  // namespace

std::size_t Matrix::bytes(const Layout& layout, const Parameters& p, Kernel kernel, bool stored) {
  const std::size_t real = real_bytes(p);
  const auto pairs = static_cast<std::size_t>(stored ? layout.tile_pairs() : scratch_pairs(layout, real));
  const bool keeps_points = kernel == Kernel::recursion && layout.tile == 32;
  return pairs * pair_numbers(layout) * real + layout.partials() * sizeof(double) +
         (keeps_points ? recursion_numbers(layout, p.subintervals * p.points_per_subinterval) * real : 0);
}

Matrix::Matrix(Backend& backend, const Layout& layout, const FiberRule& rule, const Parameters& p, Kernel kernel,
               bool stored)
    : backend_(backend),
      layout_(layout),
      rule_(rule),
      fp32_(p.precision == Precision::fp32),
      stored_(stored),
      kernel_(kernel),
      scratch_{0, stored ? layout.tile_pairs() : scratch_pairs(layout, real_bytes(p))} {
  take();
  partials_ = Array<double>(backend, layout_.partials(), "partial sums over fibers");
  if (kernel_ != Kernel::recursion || !backend.is_cuda()) return;
  const std::size_t numbers = recursion_numbers(layout_, rule_.points);
  if (fp32_)
    points32_ = Array<float>(backend, numbers, "inner integrals of the fibers");
  else
    points64_ = Array<double>(backend, numbers, "inner integrals of the fibers");
}

void Matrix::take() {
  if (!theta64_.empty() || !theta32_.empty()) return;
  const std::size_t numbers = static_cast<std::size_t>(scratch_.count) * pair_numbers(layout_);
  if (fp32_)
    theta32_ = Array<float>(backend_, numbers, "interaction of the fibers");
  else
    theta64_ = Array<double>(backend_, numbers, "interaction of the fibers");
}

void Matrix::release() {
  theta32_ = Array<float>();
  theta64_ = Array<double>();
}

std::size_t Matrix::stored_bytes() const {
  return stored_ ? theta64_.size() * sizeof(double) + theta32_.size() * sizeof(float) : 0;
}

void Matrix::set_external_matrix(ExternalMatrix external_matrix) {
  PERTURB_ASSERT(stored_ && !fp32_);
  external_matrix_ = std::move(external_matrix);
}

void Matrix::compute(Part part) {
  if (external_matrix_)
    external_matrix_(layout_, poses_, rule_, doublet_, theta64_.data());
  else if (fp32_)
    interaction(backend_, kernel_, layout_, part, poses_, rule_, doublet_, points32_.view(), theta32_.data());
  else
    interaction(backend_, kernel_, layout_, part, poses_, rule_, doublet_, points64_.view(), theta64_.data());
}

void Matrix::multiply(Product product, Part part, const double* f) {
  if (fp32_)
    fiber_product(backend_, product, layout_, part, theta32_.data(), f, partials_.data());
  else
    fiber_product(backend_, product, layout_, part, theta64_.data(), f, partials_.data());
}

void Matrix::prepare(const Poses& poses, double doublet) {
  poses_ = poses;
  doublet_ = doublet;
  if (stored_) compute(scratch_);
}

void Matrix::product(Product product, const double* f, double* sums) {
  const long long pairs = layout_.tile_pairs();
  for (Part part{0, scratch_.count}; part.first < pairs; part.first += part.count) {
    part.count = std::min(part.count, pairs - part.first);
    if (!stored_) {
      // The buffer held other pairs: entries outside this part must be zero again.
      if (fp32_)
        theta32_.fill_zero();
      else
        theta64_.fill_zero();
      compute(part);
    }
    multiply(product, part, f);
  }
  const int values = 3 * (layout_.order + 1);
  parallel_for(backend_, "fibers.gather", Range2D{values, layout_.fibers},
               GatherSums{layout_, partials_.data(), sums, values});
}

std::vector<double> Matrix::tensors(int m, int l) const {
  PERTURB_ASSERT(stored_ && layout_.holds(m, l));
  const std::size_t begin = layout_.row(layout_.tile_pair(m / layout_.tile, l / layout_.tile), m % layout_.tile) +
                            static_cast<std::size_t>(l % layout_.tile);
  std::vector<double> result(static_cast<std::size_t>(layout_.components()));
  for (std::size_t c = 0; c < result.size(); ++c) {
    const std::size_t at = begin + c * static_cast<std::size_t>(layout_.tile);
    if (fp32_) {
      float value = 0;
      backend_.copy_to_host(&value, theta32_.data() + at, sizeof value);
      result[c] = value;
    } else {
      backend_.copy_to_host(&result[c], theta64_.data() + at, sizeof(double));
    }
  }
  return result;
}

}  // namespace perturb::fibers

#include "cuda/membrane/model/spectrum.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cuda/core/backend/cpu_backend.h"
#include "cuda/core/backend/stop.h"
#include "cuda/core/loops/parallel_for.h"
#include "cuda/membrane/model/eigenpairs.h"
#include "cuda/membrane/model/kernels.h"
#include "cuda/membrane/model/sparse.h"

namespace perturb::membrane {

namespace {

// The sum of the cubes of the sectors' sizes: four sectors of 260, or one of 412.
constexpr double max_work = 7.1e7;
constexpr std::int64_t max_unknowns = 4 * 260;

// A cover of one patch has no mirror images.
bool can_mirror(const Structure& s) { return s.uniform && s.same_degree && s.per_side % 2 == 0; }

// On the CPU; CUDA has kernels (kernels/kernels.cu).
struct Fold {
  SpectrumView view;
  const double* from;
  double* folded;
  PERTURB_HD void operator()(int r, int sector) const { folded[sector * view.size + r] = view.fold(sector, r, from); }
};
struct Project {
  SpectrumView view;
  const double* folded;
  double* coordinates;
  PERTURB_HD void operator()(int, int) const {}
  void task(int at) const {
    const std::int64_t row = static_cast<std::int64_t>(at) * view.size;
    coordinates[at] = dot_of_row(view.by_vector + row, folded + at / view.size * view.size, view.size);
  }
};
struct Weigh {
  SpectrumView view;
  double shift, coupling;
  bool quadrature;
  const double* coordinates;
  double* weights;
  PERTURB_HD void operator()(int r, int sector) const {
    const int at = sector * view.size + r;
    weights[at] = coordinates[at] * inverse_factor(view.values[at] + shift, coupling, quadrature);
  }
};
struct Expand {
  SpectrumView view;
  const double* weights;
  double* to;
  PERTURB_HD void operator()(int, int) const {}
  void task(int r) const {
    double sums[4];
    for (int s = 0; s < view.sectors; ++s) {
      const std::int64_t row = static_cast<std::int64_t>(s * view.size + r) * view.size;
      sums[s] = dot_of_row(view.by_coordinate + row, weights + s * view.size, view.size);
    }
    for (int m = 0; m < view.sectors; ++m) {
      double sum = 0;
      for (int s = 0; s < view.sectors; ++s) sum += view.sign(s, m, r) * sums[s];
      to[view.image[m * view.size + r]] = sum;
    }
  }
};

}  // namespace

bool Spectrum::fits(const Structure& s, bool mirror_x, bool mirror_y) {
  const int sectors = can_mirror(s) ? (mirror_x ? 2 : 1) * (mirror_y ? 2 : 1) : 1;
  const double size = static_cast<double>(s.unknowns) / sectors;
  return s.unknowns <= max_unknowns && sectors * size * size * size <= max_work;
}

std::size_t Spectrum::bytes(std::int64_t unknowns) {
  if (unknowns > max_unknowns) return 0;
  // Vectors in both orders: a single sector needs most, up to its largest size.
  const double largest = std::min(static_cast<double>(unknowns), std::cbrt(max_work));
  const double vectors = std::max(largest * largest, static_cast<double>(unknowns * unknowns) / 2);
  return static_cast<std::size_t>(2 * vectors * sizeof(double)) +
         static_cast<std::size_t>(unknowns) * (4 * sizeof(double) + 2 * sizeof(int)) + 4096;
}

void Spectrum::allocate(const Structure& s, bool mirror_x, bool mirror_y) {
  const bool mirrors = can_mirror(s);
  SpectrumView view;
  std::vector<int> masks = {0};
  if (mirrors && mirror_x) masks.push_back(1);
  if (mirrors && mirror_y)
    for (std::size_t k = 0, count = masks.size(); k < count; ++k) masks.push_back(masks[k] | 2);
  view.sectors = static_cast<int>(masks.size());
  std::copy(masks.begin(), masks.end(), view.masks);
  view.size = static_cast<int>(s.unknowns) / view.sectors;
  view.scale = 1 / std::sqrt(view.sectors);
  const int n = s.per_side;
  std::vector<int> image(static_cast<std::size_t>(s.unknowns)), parity(static_cast<std::size_t>(view.size));
  int r = 0;
  for (int i = 0; i < s.count(); ++i) {
    // The patches in the left half, the lower half or the lower left quarter represent all of their mirror images.
    if (mirrors && ((mirror_x && i % n >= n / 2) || (mirror_y && i / n >= n / 2))) continue;
    for (int f = 0; f < s.patches[static_cast<std::size_t>(i)].functions(); ++f, ++r) {
      for (std::size_t m = 0; m < masks.size(); ++m) {
        const int x = (masks[m] & 1) != 0 ? n - 1 - i % n : i % n, y = (masks[m] & 2) != 0 ? n - 1 - i / n : i / n;
        const auto patch = static_cast<std::size_t>(masks[m] == 0 ? i : y * n + x);
        image[m * static_cast<std::size_t>(view.size) + static_cast<std::size_t>(r)] =
            static_cast<int>(s.patches[patch].first) + f;
      }
      const Powers powers = membrane_powers(f);
      parity[static_cast<std::size_t>(r)] = powers.a % 2 + 2 * (powers.b % 2);
    }
  }
  const auto size = static_cast<std::size_t>(view.size), all = static_cast<std::size_t>(view.sectors) * size;
  if (by_vector_.size() != all * size || image_.size() != image.size() || parity_.size() != parity.size()) {
    by_vector_ = {};
    by_coordinate_ = {};
    by_vector_ = Array<double>(backend_, all * size, "eigenvectors");
    by_coordinate_ = Array<double>(backend_, all * size, "eigenvectors");
    device_values_ = Array<double>(backend_, all, "eigenvalues");
    folded_ = Array<double>(backend_, all, "folded vector");
    coordinates_ = Array<double>(backend_, all, "coordinates");
    weights_ = Array<double>(backend_, all, "weighted coordinates");
    image_ = Array<int>(backend_, image.size(), "mirror images");
    parity_ = Array<int>(backend_, parity.size(), "parities");
  }
  image_.upload(image);
  parity_.upload(parity);
  view.image = image_.data();
  view.parity = parity_.data();
  view.by_vector = by_vector_.data();
  view.by_coordinate = by_coordinate_.data();
  view.values = device_values_.data();
  view_ = view;
}

void Spectrum::compute(const Structure& s, const double* stiffness, const double* mass, bool mirror_x, bool mirror_y) {
  if (valid_) return;
  values_.clear();
  errors_.clear();
  order_.clear();
  allocate(s, mirror_x, mirror_y);
  std::vector<double> k(static_cast<std::size_t>(s.values)), m(k.size());
  backend_.copy_to_host(k.data(), stiffness, k.size() * sizeof(double));
  backend_.copy_to_host(m.data(), mass, m.size() * sizeof(double));
  const std::vector<int> image = image_.download(), parity = parity_.download();
  SpectrumView view = view_;  // with tables of the host
  view.image = image.data();
  view.parity = parity.data();
  const auto size = static_cast<std::size_t>(view.size), sectors = static_cast<std::size_t>(view.sectors);

  // Which coordinate and which mirror image an unknown is.
  std::vector<int> coordinate(image.size()), which(image.size());
  for (std::size_t at = 0; at < image.size(); ++at) {
    coordinate[static_cast<std::size_t>(image[at])] = static_cast<int>(at % size);
    which[static_cast<std::size_t>(image[at])] = static_cast<int>(at / size);
  }
  std::vector<Eigenpairs> found(sectors);
  const auto compute_sector = [&](std::size_t sector) {
    // The rows of the representatives, their columns folded.
    std::vector<double> dense_k(size * size), dense_m(size * size);
    for (std::size_t i = 0; i < s.patches.size(); ++i) {
      const Patch& p = s.patches[i];
      const int rows = p.functions();
      if (rows == 0 || which[static_cast<std::size_t>(p.first)] != 0) continue;
      for (std::int64_t block = s.row[i]; block < s.row[i + 1]; ++block) {
        const Patch& q = s.patches[static_cast<std::size_t>(s.column[static_cast<std::size_t>(block)])];
        const int columns = q.functions();
        for (int c = 0; c < columns; ++c) {
          const auto unknown = static_cast<std::size_t>(q.first + c);
          const int to = coordinate[unknown];
          const double sign = view.sign(static_cast<int>(sector), which[unknown], to) / view.scale;
          for (int r = 0; r < rows; ++r) {
            const auto from = static_cast<std::size_t>(s.offset[static_cast<std::size_t>(block)] + c * rows + r);
            const std::size_t at = static_cast<std::size_t>(to) * size +
                                   static_cast<std::size_t>(coordinate[static_cast<std::size_t>(p.first + r)]);
            dense_k[at] += sign * k[from];
            dense_m[at] += sign * m[from];
          }
        }
      }
    }
    found[sector] = membrane_eigenpairs(view.size, dense_k, dense_m);
  };
  if (!backend_.is_cuda()) {
    const auto block = [&](int begin, int end) {
      for (int sector = begin; sector < end; ++sector) compute_sector(static_cast<std::size_t>(sector));
    };
    static_cast<CpuBackend&>(backend_).pool().for_row_blocks(view.sectors, 1, RowBlock(block));
  } else {
    for (std::size_t sector = 0; sector < sectors; ++sector) {
      backend_.stop_point();
      compute_sector(sector);
    }
  }
  valid_ = true;
  if (!std::all_of(found.begin(), found.end(), [](const Eigenpairs& pairs) { return pairs.complete; })) return;

  std::vector<double> by_vector, by_coordinate(by_vector_.size());
  defect_ = 0;
  for (std::size_t sector = 0; sector < sectors; ++sector) {
    const Eigenpairs& pairs = found[sector];
    values_.insert(values_.end(), pairs.values.begin(), pairs.values.end());
    errors_.insert(errors_.end(), pairs.errors.begin(), pairs.errors.end());
    by_vector.insert(by_vector.end(), pairs.vectors.begin(), pairs.vectors.end());
    defect_ += pairs.defect;
    for (std::size_t vector = 0; vector < size; ++vector)
      for (std::size_t r = 0; r < size; ++r)
        by_coordinate[(sector * size + r) * size + vector] = pairs.vectors[vector * size + r];
  }
  by_vector_.upload(by_vector);
  by_coordinate_.upload(by_coordinate);
  device_values_.upload(values_);
  order_.resize(values_.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return values_[a] < values_[b]; });
}

// The residual of u = V D⁻¹ Vᵀ F, with D = Lambda + s + i c, is (1 - M V Vᵀ) F - R D⁻¹ Vᵀ F.
double Spectrum::residual(double shift, double coupling) const {
  double sum = 0;
  for (std::size_t k = 0; k < values_.size(); ++k) {
    const double d = values_[k] + shift;
    sum += errors_[k] / (d * d + coupling * coupling);
  }
  return std::sqrt(defect_) + std::sqrt(sum);
}

double Spectrum::residual_of(std::size_t k) const { return std::sqrt(errors_[order_[k]]); }

void Spectrum::solve(double shift, double coupling, const double* load, double* u, double* q) {
  if (backend_.is_cuda()) {
    cuda_project(backend_, view_, load, coordinates_.data());
  } else {
    parallel_tasks(backend_, "membrane.fold", Tasks{view_.size, view_.sectors, 4.0 * view_.sectors * view_.sectors},
                   Fold{view_, load, folded_.data()});
    parallel_tasks(backend_, "membrane.project", Tasks{view_.sectors * view_.size, 1, 2.0 * view_.size},
                   Project{view_, folded_.data(), coordinates_.data()});
  }
  expand(shift, coupling, u, q);
}

void Spectrum::expand(double shift, double coupling, double* u, double* q) {
  if (backend_.is_cuda()) {
    cuda_expand(backend_, view_, coordinates_.data(), shift, coupling, u, q);
    return;
  }
  for (double* to : {u, q}) {
    if (!to) continue;
    parallel_tasks(backend_, "membrane.weigh", Tasks{view_.size, view_.sectors, 10.0 * view_.sectors},
                   Weigh{view_, shift, coupling, to == q, coordinates_.data(), weights_.data()});
    parallel_tasks(backend_, "membrane.expand", Tasks{view_.size, 1, 2.0 * view_.sectors * view_.size},
                   Expand{view_, weights_.data(), to});
  }
}

void Spectrum::vector(std::size_t k, double* to) {
  std::vector<double> one(values_.size());
  const std::size_t at = order_[k];
  one[at] = values_[at] + 1;  // solved with the shift 1: exactly 1
  coordinates_.upload(one);
  expand(1, 0, to, nullptr);
}

}  // namespace perturb::membrane

// Direct solution of small systems. With all eigenpairs of K x = lambda M x, as columns of V with Vᵀ M V = 1,
//
//   (K + s M + i c M)⁻¹ = V (Lambda + s + i c)⁻¹ Vᵀ
//
// for every shift s and coupling c: two products with a dense matrix, whatever the frequency, the damping or the time
// step are. K and M must not change.
//
// A uniform cover with equal opposite sides is symmetric about a middle line, and its eigenvectors are even or odd
// there. They are computed and stored for each of the two or four symmetries alone, its *sector*: four sectors need a
// sixteenth of the time and a quarter of the memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/membrane/model/algebra.h"

namespace perturb::membrane {

// For kernels. A sector's coordinate r is that of the unknown image[r], and of its mirror images in the same order of
// `masks`: bit 0 mirrored left-right, bit 1 upside down. Sector s has the parities masks[s], a set bit meaning odd.
struct SpectrumView {
  int size = 0;     // coordinates of a sector
  int sectors = 1;  // and mirror images of an unknown
  int masks[4] = {0, 0, 0, 0};
  double scale = 1;                       // 1/sqrt(sectors)
  const int* image = nullptr;             // [sectors][size]
  const int* parity = nullptr;            // [size] of the unknown's own function
  const double* by_vector = nullptr;      // [sectors][vector][coordinate]
  const double* by_coordinate = nullptr;  // [sectors][coordinate][vector]
  const double* values = nullptr;         // [sectors][vector]

  // The factor of mirror image `which` of coordinate r in a sector.
  PERTURB_HD double sign(int sector, int which, int r) const {
    const int odd = (parity[r] ^ masks[sector]) & masks[which];
    return ((odd ^ (odd >> 1)) & 1) != 0 ? -scale : scale;
  }
  // The coordinate r of a vector of all unknowns.
  PERTURB_HD double fold(int sector, int r, const double* from) const {
    double sum = 0;
    for (int m = 0; m < sectors; ++m) sum += sign(sector, m, r) * from[image[m * size + r]];
    return sum;
  }
};

// 1/(d + i c) = (d - i c)/(d² + c²): the factor of the real part, or with `quadrature` that of the imaginary one.
PERTURB_HD inline double inverse_factor(double d, double c, bool quadrature) {
  if (c == 0) return quadrature ? 0 : 1 / d;
  return (quadrature ? -c : d) / (d * d + c * c);
}

class Spectrum {
 public:
  explicit Spectrum(Backend& backend) : backend_(backend) {}

  // Whether computing the eigenpairs of this cover is worthwhile: a tenth of a second on one core. `mirror_x`: left and
  // right side are of the same kind; `mirror_y`: bottom and top.
  static bool fits(const Structure& structure, bool mirror_x, bool mirror_y);
  // In the backend's memory, if it fits, for any kinds of sides.
  static std::size_t bytes(std::int64_t unknowns);

  // Computes all eigenpairs of these matrices, unless they are valid; waits. Throws Error if there is not enough
  // memory, and Stopped.
  void compute(const Structure& structure, const double* stiffness, const double* mass, bool mirror_x, bool mirror_y);
  // Call when the matrices change.
  void invalidate() { valid_ = false; }
  // Whether compute() has succeeded since: it fails if the mass matrix is not definite to rounding.
  bool usable() const { return valid_ && !values_.empty(); }

  // An upper bound of the residual of solve() for any load, relative to the load, in the norm of (K + M)⁻¹. It contains
  // the errors of the eigenpairs, which grow near a mode; the rounding of the products is not in it.
  double residual(double shift, double coupling) const;
  // u + i q = (K + shift·M + i coupling·M)⁻¹ load; q may be null if the coupling is 0. Queued.
  void solve(double shift, double coupling, const double* load, double* u, double* q);

  // The eigenpairs by increasing value, from 0, and the residual of one in that norm, relative to M x.
  std::size_t count() const { return order_.size(); }
  double value(std::size_t k) const { return values_[order_[k]]; }
  double residual_of(std::size_t k) const;
  void vector(std::size_t k, double* to);

 private:
  void allocate(const Structure& structure, bool mirror_x, bool mirror_y);
  void expand(double shift, double coupling, double* u, double* q);

  Backend& backend_;
  SpectrumView view_;
  std::vector<double> values_, errors_;  // [sectors][vector]
  double defect_ = 0;
  std::vector<std::size_t> order_;
  bool valid_ = false;
  Array<double> by_vector_, by_coordinate_, device_values_, folded_, coordinates_, weights_;
  Array<int> image_, parity_;
};

}  // namespace perturb::membrane

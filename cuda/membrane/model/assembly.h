// The integrals of a cover: stiffness K, mass M and load F, by three methods that agree up to rounding.
#pragma once

#include "cuda/core/simulation/simulation.h"
#include "cuda/membrane/model/cover.h"

namespace perturb::membrane {

// The integrands, in addition to the cover.
struct Form {
  Rule rule;
  Rule near;                                 // where the singular function is far from a polynomial
  bool fixed[4] = {true, true, true, true};  // left, right, bottom, top: u = g by Nitsche's method, else free
  double nitsche = 5;                        // C in beta = C p²/s
  Source source;
  Rim rim;  // g
};

// Destinations of the integrals; null: not computed. Without a separate mass matrix, `stiffness` takes K + shift·M.
struct Targets {
  double* stiffness = nullptr;
  double* mass = nullptr;
  double* load = nullptr;
  double shift = 0;
};

enum class Kernel { rows, cells, tensor };

// Integrals over one direction of a uniform cover, in units of its cells. They suffice because weights, polynomials and
// quadrature rules are products. Indexed by kind of patch (0 inside, 1 first, 2 last, 3 the only one), neighbour (-1,
// 0, 1 as 0, 1, 2) and powers: mass = integral of v w, stiff = integral of v' w' with Nitsche's terms at fixed ends.
struct Tables {
  double mass[4][3][max_powers][max_powers];
  double stiff[4][3][max_powers][max_powers];
};
// `low` and `high`: whether the ends are fixed.
Tables membrane_tables(int per_side, double overlap, int degree, Basis basis, const Rule& rule, bool low, bool high,
                       double nitsche);

PERTURB_HD inline int kind_of(int i, int per_side) {
  return per_side == 1 ? 3 : i == 0 ? 1 : i == per_side - 1 ? 2 : 0;
}

class Assembler {
 public:
  explicit Assembler(Backend& backend);

  // Assembles on `space`; queued on CUDA. The kernels `cells` and `tensor` require uniform covers; other covers use
  // `rows`.
  void run(Kernel kernel, const Structure& structure, const Space& space, const Form& form, const Targets& targets);

  // Bytes needed for a cover with this many cells per direction.
  static std::size_t bytes(int per_side);

 private:
  void run_rows(const Space& space, const Form& form, const Targets& targets);
  void run_cells(const Structure& structure, const Space& space, const Form& form, const Targets& targets);
  void run_tensor(const Structure& structure, const Space& space, const Form& form, const Targets& targets);

  Backend& backend_;
  Array<Tables> tables_;  // of x and of y
  Array<double> loads_;   // the load's factors, by direction, patch and power
  Array<int> schedule_;   // cells by their number of patches
};

// Launch parameters of a kernel on CUDA, for `bench`; empty on the CPU.
LaunchShape membrane_launch_shape(Backend& backend, Kernel kernel, int degree);

}  // namespace perturb::membrane

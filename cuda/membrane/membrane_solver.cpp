#include "cuda/membrane/membrane_solver.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "cuda/core/parallel_tasks.h"
#include "cuda/membrane/membrane_kernels.h"
#include "cuda/membrane/membrane_sparse.h"

namespace perturb {

namespace {

constexpr int work_vectors = 8;

std::size_t level_bytes(std::int64_t unknowns, std::int64_t patches, std::int64_t coarser, int most,
                        std::int64_t values_of_coarse) {
  return static_cast<std::size_t>(values_of_coarse + patches * most * most + 3 * unknowns) * sizeof(double) +
         static_cast<std::size_t>(2 * patches + 4 * coarser) * sizeof(int) + 2048;
}

}  // namespace

MembraneTransfer membrane_transfer(double overlap, MembraneBasis basis) {
  MembraneTransfer t{};
  // The parent's coordinate is half the child's and a quarter of a cell to the side. Each power of it is written in the
  // child's, from the highest down: exact, since no degree is lost.
  for (int half = 0; half < 2; ++half) {
    const double shift = (half == 0 ? -0.5 : 0.5) / overlap;
    // Interpolation in as many points as there are powers decides the polynomial; Gauss points
    // keep it well conditioned.
    const MembraneRule rule = membrane_gauss_rule(membrane_most_powers);
    if (basis == MembraneBasis::legendre) {
      for (int g = 0; g < rule.count; ++g) {
        double child[membrane_most_powers], parent[membrane_most_powers];
        membrane_polynomial_values(basis, membrane_most_degree, rule.point[g], child);
        membrane_polynomial_values(basis, membrane_most_degree, 0.5 * rule.point[g] + shift, parent);
        for (int a = 0; a < membrane_most_powers; ++a)
          for (int b = a; b < membrane_most_powers; ++b)
            t.value[half][a][b] += 0.5 * (2 * a + 1) * rule.weight[g] * child[a] * parent[b];
      }
    } else {
      // (t/2 + shift)^b by the binomial theorem.
      for (int b = 0; b < membrane_most_powers; ++b) {
        double binomial = 1;
        for (int a = 0; a <= b; ++a) {
          t.value[half][a][b] = binomial * std::pow(0.5, a) * std::pow(shift, b - a);
          binomial = binomial * (b - a) / (a + 1);
        }
      }
    }
  }
  return t;
}

MembraneSolver::MembraneSolver(Backend& backend)
    : backend_(backend), dot_(backend), assembler_(backend), transfer_(backend, 1, "transfer between levels") {}

std::size_t MembraneSolver::bytes(const MembraneCover& cover, double overlap) {
  std::size_t sum = MembraneAssembler::bytes(cover.per_side()) + sizeof(MembraneTransfer);
  MembraneCover level = cover;
  for (bool finest = true;; finest = false) {
    const MembraneStructure s(level, overlap);
    const bool last = level.finest_level() == 0;
    const MembraneCover next = last ? MembraneCover() : level.coarser();
    sum += level_bytes(s.unknowns, s.count(), last ? 0 : next.count(), membrane_functions(s.highest_degree),
                       finest ? 0 : s.values);
    if (finest)
      sum += static_cast<std::size_t>(work_vectors * s.unknowns) * sizeof(double);
    else
      sum += MembraneSpace::bytes(s);
    if (last) break;
    level = next;
  }
  return sum;
}

std::size_t MembraneSolver::uniform_bytes(int level, int degree) {
  std::size_t sum = MembraneAssembler::bytes(1 << level) + sizeof(MembraneTransfer);
  const int most = membrane_functions(degree);
  for (int l = level; l >= 0; --l) {
    const std::int64_t patches = std::int64_t{1} << (2 * l);
    sum += level_bytes(patches * most, patches, l > 0 ? patches / 4 : 0, most,
                       l == level ? 0 : membrane_uniform_values(l, degree));
    sum += l == level ? static_cast<std::size_t>(work_vectors * patches * most) * sizeof(double)
                      : MembraneSpace::uniform_bytes(l);
  }
  return sum;
}

void MembraneSolver::set_cover(const MembraneCover& cover, const MembraneStructure& finest,
                               const MembraneSpace& space) {
  backend_.synchronize();
  levels_.clear();
  work_ = {};
  finest_ = &finest, space_ = &space;
  work_ = Array<double>(backend_, static_cast<std::size_t>(work_vectors * finest.unknowns), "solver's vectors");
  std::vector<MembraneLevel> levels;
  MembraneCover here = cover;
  while (true) {
    MembraneLevel level;
    const bool is_finest = levels.empty();
    if (!is_finest) {
      level.structure = MembraneStructure(here, finest.overlap);
      level.space = MembraneSpace(backend_, level.structure);
      level.values = Array<double>(backend_, static_cast<std::size_t>(level.structure.values), "matrix of a level");
    }
    const MembraneStructure& s = is_finest ? finest : level.structure;
    const auto most = static_cast<std::size_t>(membrane_functions(s.highest_degree));
    level.inverse = Array<double>(backend_, static_cast<std::size_t>(s.count()) * most * most, "inverses of blocks");
    level.vectors = Array<double>(backend_, static_cast<std::size_t>(3 * s.unknowns), "vectors of a level");
    const bool last = here.finest_level() == 0;
    MembraneCover next;
    if (!last) {
      next = here.coarser();
      std::map<std::array<int, 3>, int> coarse;
      if (!next.uniform())
        for (int k = 0; k < next.count(); ++k) {
          const MembraneLeaf& leaf = next.leaves()[static_cast<std::size_t>(k)];
          coarse[{leaf.level, leaf.i, leaf.j}] = k;
        }
      const auto find = [&](int l, int i, int j) {
        return next.uniform() ? j * next.per_side() + i : coarse.at({l, i, j});
      };
      std::vector<int> family(static_cast<std::size_t>(2 * here.count() + 4 * next.count()), -1);
      int* children = family.data() + 2 * here.count();
      for (int k = 0; k < here.count(); ++k) {
        const MembraneLeaf& leaf = here.leaves()[static_cast<std::size_t>(k)];
        const bool stays = leaf.level < here.finest_level();
        const int parent = stays ? find(leaf.level, leaf.i, leaf.j) : find(leaf.level - 1, leaf.i / 2, leaf.j / 2);
        const int child = stays ? membrane_only_child : leaf.i % 2 + 2 * (leaf.j % 2);
        family[static_cast<std::size_t>(2 * k)] = parent, family[static_cast<std::size_t>(2 * k + 1)] = child;
        children[4 * parent + (stays ? 0 : child)] = k;
      }
      level.family = Array<int>(backend_, family.size(), "parents and children of patches");
      level.family.upload(family);
    }
    levels.push_back(std::move(level));
    if (last) break;
    here = std::move(next);
  }
  levels_ = std::move(levels);
}

MembraneMatrix MembraneSolver::matrix_of(int level) const {
  if (level == 0) return preconditioned_;
  return {levels_[static_cast<std::size_t>(level)].values.data(), nullptr, 0};
}

void MembraneSolver::prepare(const MembraneMatrix& matrix, const MembraneForm& form,
                             MembranePreconditioner preconditioner) {
  preconditioned_ = matrix;
  if (preconditioner == MembranePreconditioner::none) return;
  const int count = preconditioner == MembranePreconditioner::patch ? 1 : levels();
  const MembraneTransfer transfer = membrane_transfer(finest_->overlap, space_->view().basis);
  transfer_.upload(std::span<const MembraneTransfer>(&transfer, 1));
  for (int l = 0; l < count; ++l) {
    MembraneLevel& level = levels_[static_cast<std::size_t>(l)];
    const MembraneStructure& s = structure(l);
    if (l > 0) {
      level.space.set_basis(space_->view().basis);
      MembraneTargets targets;
      targets.stiffness = level.values.data();
      targets.shift = matrix.b ? matrix.shift : 0;
      assembler_.run(MembraneKernel::tensor, s, level.space, form, targets);
    }
    const int most = membrane_functions(s.highest_degree);
    parallel_tasks(backend_, "membrane.invert", Tasks{s.count(), 1, 1.0 * most * most * most},
                   MembraneInvert{space(l).view(), matrix_of(l), level.inverse.data(), most});
  }
}

void MembraneSolver::apply_level(int level, const MembraneMatrix& matrix, const double* right, const double* x,
                                 double* y) {
  const MembraneView& view = space(level).view();
  const double functions = membrane_functions(view.highest_degree);
  if (backend_.is_cuda()) {
    membrane_cuda_rows(backend_, "membrane.apply", view, matrix, right, const_cast<double*>(x), y, nullptr, view.count,
                       static_cast<int>(functions), nullptr);  // x is written only where an inverse is given
    return;
  }
  parallel_tasks(backend_, "membrane.apply", Tasks{view.count, static_cast<int>(functions), 18 * functions * functions},
                 MembraneApply{view, matrix, right, x, y, nullptr});
}

void MembraneSolver::relax(int level, const double* right, double* x, bool backwards) {
  const MembraneStructure& s = structure(level);
  const MembraneView& view = space(level).view();
  const int most = membrane_functions(s.highest_degree), colors = static_cast<int>(s.color_begin.size()) - 1;
  double* rest = levels_[static_cast<std::size_t>(level)].vectors.data() + 2 * s.unknowns;
  const double* inverse = levels_[static_cast<std::size_t>(level)].inverse.data();
  for (int k = 0; k < colors; ++k) {
    const auto c = static_cast<std::size_t>(backwards ? colors - 1 - k : k);
    const int* list = space(level).colored() + s.color_begin[c];
    const int count = s.color_begin[c + 1] - s.color_begin[c];
    const MembraneApply apply{view, matrix_of(level), right, x, rest, list};
    const MembraneBlockSolve solve{view, inverse, most, rest, x, list, false};
    const Tasks tasks{count, most, 20.0 * most * most};
    if (backend_.is_cuda())
      membrane_cuda_rows(backend_, "membrane.relax", view, matrix_of(level), right, x, nullptr, list, count, most,
                         inverse);
    else
      parallel_tasks(backend_, "membrane.relax", tasks, MembraneRelaxColor{apply, solve, x});
  }
}

// x = B right with the V-cycle B, which is symmetric: what is done before the coarser level is
// undone in reverse after it.
void MembraneSolver::cycle(int level, const double* right, double* x) {
  const MembraneStructure& s = structure(level);
  backend_.fill_zero(x, static_cast<std::size_t>(s.unknowns) * sizeof(double));
  relax(level, right, x, false);
  if (level + 1 == levels()) return;  // a single patch is solved exactly by its own block
  MembraneLevel& here = levels_[static_cast<std::size_t>(level)];
  MembraneLevel& coarse = levels_[static_cast<std::size_t>(level) + 1];
  const MembraneStructure& t = structure(level + 1);
  double* rest = here.vectors.data() + 2 * s.unknowns;
  double* coarse_x = coarse.vectors.data();
  double* coarse_right = coarse.vectors.data() + t.unknowns;
  apply_level(level, matrix_of(level), right, x, rest);
  const MembraneView &fine_view = space(level).view(), &coarse_view = space(level + 1).view();
  const int fine_most = membrane_functions(s.highest_degree), coarse_most = membrane_functions(t.highest_degree);
  const double operations = 4.0 * coarse_most * coarse_most;
  parallel_tasks(backend_, "membrane.restrict", Tasks{t.count(), coarse_most, operations},
                 MembraneRestrict{fine_view, coarse_view, here.family.data() + 2 * s.count(), transfer_.data(), rest,
                                  coarse_right});
  cycle(level + 1, coarse_right, coarse_x);
  parallel_tasks(backend_, "membrane.prolong", Tasks{s.count(), fine_most, operations / 4},
                 MembraneProlong{fine_view, coarse_view, here.family.data(), transfer_.data(), coarse_x, x});
  relax(level, right, x, true);
}

void MembraneSolver::precondition(MembranePreconditioner kind, const double* x, double* y) {
  const auto bytes = static_cast<std::size_t>(finest_->unknowns) * sizeof(double);
  if (kind == MembranePreconditioner::none) {
    backend_.copy_within(y, x, bytes);
  } else if (kind == MembranePreconditioner::patch) {
    const MembraneView& view = space_->view();
    const int most = membrane_functions(finest_->highest_degree);
    parallel_tasks(backend_, "membrane.blocks", Tasks{view.count, most, 2.0 * most * most},
                   MembraneBlockSolve{view, levels_[0].inverse.data(), most, x, y, nullptr, true});
  } else {
    cycle(0, x, y);
  }
}

void MembraneSolver::apply(const MembraneMatrix& matrix, const double* x, double* y) {
  apply_level(0, matrix, nullptr, x, y);
}

namespace {
Range2D runs(std::int64_t size) { return {1024, static_cast<int>((size + 1023) / 1024)}; }
}  // namespace

double MembraneSolver::dot_of(std::int64_t size, const double* x, const double* y) {
  dot_.start("membrane.dot", runs(size), MembraneDotOf{size, x, y});
  dot_.wait();
  return dot_.result().sum;
}
double MembraneSolver::dot(const double* x, const double* y) { return dot_of(finest_->unknowns, x, y); }

void MembraneSolver::combine_of(std::int64_t size, double a, const double* u, double b, const double* v, double c,
                                const double* w, double* to) {
  parallel_for(backend_, "membrane.combine", runs(size), MembraneCombine{size, a, b, c, u, v, w, to});
}
void MembraneSolver::combine(double a, const double* u, double b, const double* v, double c, const double* w,
                             double* to) {
  combine_of(finest_->unknowns, a, u, b, v, c, w, to);
}

MembraneSolved MembraneSolver::solve(const MembraneMatrix& matrix, bool definite, const double* load, double* u,
                                     const MembraneSolveOptions& options) {
  return definite ? solve_definite(matrix, load, u, options) : minres({matrix, {}}, load, u, work_.data(), options);
}

MembraneSolved MembraneSolver::solve_definite(const MembraneMatrix& matrix, const double* load, double* u,
                                              const MembraneSolveOptions& options) {
  const std::int64_t n = finest_->unknowns;
  double *r = work_.data(), *z = r + n, *p = z + n, *q = p + n;
  MembraneSolved solved;
  // How large the load is in the norm that residuals are measured in.
  precondition(options.preconditioner, load, z);
  const double scale = std::sqrt(std::max(dot(load, z), 0.0));
  if (!(scale > 0)) {
    backend_.fill_zero(u, static_cast<std::size_t>(n) * sizeof(double));
    return solved;
  }
  apply_level(0, matrix, load, u, r);
  precondition(options.preconditioner, r, z);
  double rz = dot(r, z);
  combine(1, z, 0, nullptr, 0, nullptr, p);
  const auto residual = [&] { return std::sqrt(std::max(rz, 0.0)) / scale; };
  solved.history.push_back(residual());
  while (solved.history.back() > options.tolerance && solved.iterations < options.max_iterations) {
    apply_level(0, matrix, nullptr, p, q);
    const double pq = dot(p, q);
    if (!(pq > 0) || !std::isfinite(pq)) break;  // not definite after all, or nothing left to gain from rounding
    const double alpha = rz / pq;
    combine(1, u, alpha, p, 0, nullptr, u);
    combine(1, r, -alpha, q, 0, nullptr, r);
    precondition(options.preconditioner, r, z);
    const double before = rz;
    rz = dot(r, z);
    combine(1, z, rz / before, p, 0, nullptr, p);
    ++solved.iterations;
    solved.history.push_back(residual());
    if (!std::isfinite(solved.history.back())) break;
  }
  solved.residual = solved.history.back();
  solved.converged = solved.residual <= options.tolerance;
  return solved;
}

void MembraneSolver::apply_system(const System& system, const double* right, const double* x, double* y) {
  if (!system.pair) return apply_level(0, system.matrix, right, x, y);
  const std::int64_t n = finest_->unknowns;
  apply_level(0, system.matrix, nullptr, x, y);
  apply_level(0, system.mass, nullptr, x + n, system.spare);
  combine(1, y, -system.coupling, system.spare, 0, nullptr, y);
  apply_level(0, system.matrix, nullptr, x + n, y + n);
  apply_level(0, system.mass, nullptr, x, system.spare);
  combine(-1, y + n, -system.coupling, system.spare, 0, nullptr, y + n);
  if (right) combine_of(2 * n, 1, right, -1, y, 0, nullptr, y);
}

void MembraneSolver::precondition_system(const System& system, MembranePreconditioner kind, const double* x,
                                         double* y) {
  precondition(kind, x, y);
  if (system.pair) precondition(kind, x + finest_->unknowns, y + finest_->unknowns);
}

MembraneSolved MembraneSolver::solve_pair(const MembraneMatrix& matrix, const MembraneMatrix& mass, double coupling,
                                          const double* load, double* pair, double* work,
                                          const MembraneSolveOptions& options) {
  const std::int64_t n = finest_->unknowns;
  double *right = work, *spare = right + 2 * n;
  const auto bytes = static_cast<std::size_t>(n) * sizeof(double);
  backend_.copy_within(right, load, bytes);
  backend_.fill_zero(right + n, bytes);
  return minres({matrix, mass, coupling, true, spare}, right, pair, spare + n, options);
}

MembraneSolved MembraneSolver::minres(const System& system, const double* load, double* u, double* work,
                                      const MembraneSolveOptions& options) {
  const std::int64_t n = system.pair ? 2 * finest_->unknowns : finest_->unknowns;
  const auto dot = [&](const double* x, const double* y) { return dot_of(n, x, y); };
  const auto combine = [&](double a, const double* x, double b, const double* y, double c, const double* other,
                           double* to) { combine_of(n, a, x, b, y, c, other, to); };
  const auto precondition = [&](const double* x, double* y) {
    precondition_system(system, options.preconditioner, x, y);
  };
  double *v0 = work, *v1 = v0 + n, *q = v1 + n, *z = q + n, *z_next = z + n, *w0 = z_next + n, *w1 = w0 + n,
         *w = w1 + n;
  MembraneSolved solved;
  solved.minres = true;
  precondition(load, z);
  const double scale = std::sqrt(std::max(dot(load, z), 0.0));
  if (!(scale > 0)) {
    backend_.fill_zero(u, static_cast<std::size_t>(n) * sizeof(double));
    return solved;
  }
  for (double* vector : {v0, w0, w1}) backend_.fill_zero(vector, static_cast<std::size_t>(n) * sizeof(double));
  apply_system(system, load, u, v1);
  precondition(v1, z);
  double gamma0 = 1, gamma1 = std::sqrt(std::max(dot(v1, z), 0.0)), eta = gamma1;
  double s0 = 0, s1 = 0, c0 = 1, c1 = 1;
  solved.history.push_back(eta / scale);
  while (solved.history.back() > options.tolerance && solved.iterations < options.max_iterations) {
    combine(1 / gamma1, z, 0, nullptr, 0, nullptr, z);
    apply_system(system, nullptr, z, q);
    const double delta = dot(q, z);
    combine(1, q, -delta / gamma1, v1, -gamma1 / gamma0, v0, v0);
    std::swap(v0, v1);  // v1 is now the new vector, v0 the one before
    precondition(v1, z_next);
    const double gamma2 = std::sqrt(std::max(dot(v1, z_next), 0.0));
    const double a0 = c1 * delta - c0 * s1 * gamma1, a1 = std::sqrt(a0 * a0 + gamma2 * gamma2);
    const double a2 = s1 * delta + c0 * c1 * gamma1, a3 = s0 * gamma1;
    if (!(a1 > 0) || !std::isfinite(a1)) break;
    c0 = c1, s0 = s1;
    c1 = a0 / a1, s1 = gamma2 / a1;
    combine(1 / a1, z, -a3 / a1, w0, -a2 / a1, w1, w);
    combine(1, u, c1 * eta, w, 0, nullptr, u);
    eta = -s1 * eta;
    double* oldest = w0;
    w0 = w1, w1 = w, w = oldest;
    std::swap(z, z_next);
    gamma0 = gamma1, gamma1 = gamma2;
    ++solved.iterations;
    solved.history.push_back(std::abs(eta) / scale);
    if (!(gamma1 > 0)) break;  // the space is exhausted
  }
  solved.residual = solved.history.back();
  solved.converged = solved.residual <= options.tolerance;
  return solved;
}

}  // namespace perturb

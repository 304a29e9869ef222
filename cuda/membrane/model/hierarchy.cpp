#include "cuda/membrane/model/hierarchy.h"

#include <array>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "cuda/core/loops/parallel_for.h"
#include "cuda/membrane/model/kernels.h"
#include "cuda/membrane/model/sparse.h"

namespace perturb::membrane {

namespace {

std::size_t level_bytes(std::int64_t unknowns, std::int64_t patches, std::int64_t coarser, int block_side,
                        std::int64_t values_of_coarse) {
  return static_cast<std::size_t>(values_of_coarse + patches * block_side * block_side + 3 * unknowns) *
             sizeof(double) +
         static_cast<std::size_t>(2 * patches + 4 * coarser) * sizeof(int) + 2048;
}

Transfer transfer_of(double overlap, Basis basis) {
  Transfer t{};
  // The parent's coordinate is half the child's, shifted by a quarter of a cell. Each power of it is written in powers
  // of the child's, from the highest down: exact, because the degree is the same.
  for (int half = 0; half < 2; ++half) {
    const double shift = (half == 0 ? -0.5 : 0.5) / overlap;
    // The polynomial is determined by interpolation at as many points as there are powers; Gauss points keep this well
    // conditioned.
    const Rule rule = membrane_gauss_rule(max_powers);
    if (basis == Basis::legendre) {
      for (int g = 0; g < rule.count; ++g) {
        double child[max_powers], parent[max_powers];
        polynomial_values(basis, membrane_max_degree, rule.point[g], child);
        polynomial_values(basis, membrane_max_degree, 0.5 * rule.point[g] + shift, parent);
        for (int a = 0; a < max_powers; ++a)
          for (int b = a; b < max_powers; ++b)
            t.value[half][a][b] += 0.5 * (2 * a + 1) * rule.weight[g] * child[a] * parent[b];
      }
    } else {
      // (t/2 + shift)^b by the binomial theorem.
      for (int b = 0; b < max_powers; ++b) {
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

// For each patch, its parent in the next coarser cover and which child it is; then each parent's children.
std::vector<int> family_of(const Cover& here, const Cover& coarser) {
  std::map<std::array<int, 3>, int> places;
  if (!coarser.uniform())
    for (int k = 0; k < coarser.count(); ++k) {
      const Leaf& leaf = coarser.leaves()[static_cast<std::size_t>(k)];
      places[{leaf.level, leaf.i, leaf.j}] = k;
    }
  const auto find = [&](int l, int i, int j) {
    return coarser.uniform() ? j * coarser.per_side() + i : places.at({l, i, j});
  };
  std::vector<int> family(static_cast<std::size_t>(2 * here.count() + 4 * coarser.count()), -1);
  int* children = family.data() + 2 * here.count();
  for (int k = 0; k < here.count(); ++k) {
    const Leaf& leaf = here.leaves()[static_cast<std::size_t>(k)];
    const bool stays = leaf.level < here.finest_level();
    const int parent = stays ? find(leaf.level, leaf.i, leaf.j) : find(leaf.level - 1, leaf.i / 2, leaf.j / 2);
    const int child = stays ? only_child : leaf.i % 2 + 2 * (leaf.j % 2);
    family[static_cast<std::size_t>(2 * k)] = parent;
    family[static_cast<std::size_t>(2 * k + 1)] = child;
    children[4 * parent + (stays ? 0 : child)] = k;
  }
  return family;
}

}  // namespace

std::size_t Hierarchy::bytes(const Cover& cover, const Structure& finest) {
  std::size_t sum = Assembler::bytes(cover.per_side()) + sizeof(Transfer);
  Cover here = cover;
  Structure coarse;
  for (const Structure* s = &finest;; s = &coarse) {
    const bool last = here.finest_level() == 0, is_finest = s == &finest;
    Cover next = last ? Cover() : here.coarser();
    sum +=
        level_bytes(s->unknowns, s->count(), last ? 0 : next.count(), s->most_functions(), is_finest ? 0 : s->values);
    if (!is_finest) sum += Space::bytes(*s);
    if (last) return sum;
    here = std::move(next);
    coarse = Structure(here, finest.overlap, finest.domain);
  }
}

std::size_t Hierarchy::uniform_bytes(int level, int degree) {
  std::size_t sum = Assembler::bytes(1 << level) + sizeof(Transfer);
  const int block_side = membrane_functions(degree);
  for (int l = level; l >= 0; --l) {
    const std::int64_t patches = std::int64_t{1} << (2 * l);
    sum += level_bytes(patches * block_side, patches, l > 0 ? patches / 4 : 0, block_side,
                       l == level ? 0 : uniform_values(l, degree));
    if (l < level) sum += Space::uniform_bytes(l);
  }
  return sum;
}

Hierarchy::Hierarchy(Backend& backend, const Cover& cover, const Structure& finest, const Space& space)
    : backend_(backend),
      finest_(finest),
      space_(space),
      assembler_(backend),
      transfer_(backend, 1, "transfer between levels") {
  Cover here = cover;
  for (bool last = false; !last;) {
    Level level;
    const bool is_finest = levels_.empty();
    if (!is_finest) {
      level.structure = Structure(here, finest.overlap, finest.domain);
      level.space = Space(backend, level.structure);
      level.values = Array<double>(backend, static_cast<std::size_t>(level.structure.values), "matrix of a level");
    }
    const Structure& s = is_finest ? finest : level.structure;
    const auto block_side = static_cast<std::size_t>(s.most_functions());
    level.inverse =
        Array<double>(backend, static_cast<std::size_t>(s.count()) * block_side * block_side, "inverses of blocks");
    level.vectors = Array<double>(backend, static_cast<std::size_t>(3 * s.unknowns), "vectors of a level");
    last = here.finest_level() == 0;
    if (!last) {
      Cover next = here.coarser();
      const std::vector<int> family = family_of(here, next);
      level.family = Array<int>(backend, family.size(), "parents and children of patches");
      level.family.upload(family);
      here = std::move(next);
    }
    levels_.push_back(std::move(level));
  }
}

void Hierarchy::prepare(const Matrix& matrix, const Form& form, Preconditioner kind) {
  matrix_ = matrix;
  if (kind == Preconditioner::none) return;
  const int count = kind == Preconditioner::patch ? 1 : levels();
  const Transfer transfer = transfer_of(finest_.overlap, space_.view().basis);
  transfer_.upload(std::span<const Transfer>(&transfer, 1));
  for (int l = 0; l < count; ++l) {
    Level& level = at(l);
    const Structure& s = structure(l);
    if (l > 0) {
      level.space.set_basis(space_.view().basis);
      Targets targets;
      targets.stiffness = level.values.data();
      targets.shift = matrix.b ? matrix.shift : 0;
      assembler_.run(Kernel::tensor, s, level.space, form, targets);
    }
    const int block_side = s.most_functions();
    parallel_tasks(backend_, "membrane.invert", Tasks{s.count(), 1, 1.0 * block_side * block_side * block_side},
                   Invert{space(l).view(), matrix_of(l), level.inverse.data(), block_side});
  }
}

void Hierarchy::relax(int level, const double* right, double* x, bool backwards) {
  const Structure& s = structure(level);
  const SpaceView& view = space(level).view();
  const int block_side = s.most_functions(), colors = static_cast<int>(s.color_begin.size()) - 1;
  double* rest = at(level).vectors.data() + 2 * s.unknowns;
  const double* inverse = at(level).inverse.data();
  for (int k = 0; k < colors; ++k) {
    const auto c = static_cast<std::size_t>(backwards ? colors - 1 - k : k);
    const int* list = space(level).colored() + s.color_begin[c];
    const int count = s.color_begin[c + 1] - s.color_begin[c];
    const ApplyMatrix apply{view, matrix_of(level), right, x, rest, list};
    const BlockSolve solve{view, inverse, block_side, rest, x, list, false};
    const Tasks tasks{count, block_side, 20.0 * block_side * block_side};
    if (backend_.is_cuda())
      cuda_rows(backend_, "membrane.relax", view, matrix_of(level), right, x, nullptr, list, count, block_side,
                inverse);
    else
      parallel_tasks(backend_, "membrane.relax", tasks, RelaxColor{apply, solve, x});
  }
}

// x = B right with the V-cycle B, which is symmetric: the steps before the coarser level are repeated in reverse order
// after it.
void Hierarchy::cycle(int level, const double* right, double* x) {
  const Structure& s = structure(level);
  backend_.fill_zero(x, static_cast<std::size_t>(s.unknowns) * sizeof(double));
  relax(level, right, x, false);
  if (level + 1 == levels()) return;  // a single patch is solved exactly by its own block
  Level& here = at(level);
  Level& coarse = at(level + 1);
  const Structure& t = structure(level + 1);
  double* rest = here.vectors.data() + 2 * s.unknowns;
  double* coarse_x = coarse.vectors.data();
  double* coarse_right = coarse.vectors.data() + t.unknowns;
  membrane_apply(backend_, space(level), matrix_of(level), right, x, rest);
  const SpaceView &fine_view = space(level).view(), &coarse_view = space(level + 1).view();
  const int max_fine = s.most_functions(), max_coarse = t.most_functions();
  const double operations = 4.0 * max_coarse * max_coarse;
  parallel_tasks(
      backend_, "membrane.restrict", Tasks{t.count(), max_coarse, operations},
      Restrict{fine_view, coarse_view, here.family.data() + 2 * s.count(), transfer_.data(), rest, coarse_right});
  cycle(level + 1, coarse_right, coarse_x);
  parallel_tasks(backend_, "membrane.prolong", Tasks{s.count(), max_fine, operations / 4},
                 Prolong{fine_view, coarse_view, here.family.data(), transfer_.data(), coarse_x, x});
  relax(level, right, x, true);
}

void Hierarchy::precondition(Preconditioner kind, const double* x, double* y) {
  const auto bytes = static_cast<std::size_t>(finest_.unknowns) * sizeof(double);
  if (kind == Preconditioner::none) {
    backend_.copy_within(y, x, bytes);
  } else if (kind == Preconditioner::patch) {
    const SpaceView& view = space_.view();
    const int block_side = finest_.most_functions();
    parallel_tasks(backend_, "membrane.blocks", Tasks{view.count, block_side, 2.0 * block_side * block_side},
                   BlockSolve{view, levels_[0].inverse.data(), block_side, x, y, nullptr, true});
  } else {
    cycle(0, x, y);
  }
}

}  // namespace perturb::membrane

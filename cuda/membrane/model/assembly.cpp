#include "cuda/membrane/model/assembly.h"

#include "cuda/core/loops/parallel_for.h"
#include "cuda/membrane/model/integrals.h"
#include "cuda/membrane/model/kernels.h"

namespace perturb::membrane {

namespace {

struct OneDirection {
  double value[max_powers], slope[max_powers];
};

// phi P_a and its derivative at `xi` from the patch's centre, in units of a cell; `side`: the neighbour that also
// covers the point (0: none).
OneDirection shapes_at(double xi, double half, int side, int degree, Basis basis) {
  OneDirection s{};
  double p[max_powers], dp[max_powers];
  polynomials(basis, degree, xi / half, p, dp);
  double phi = 1, phi_slope = 0;
  if (side != 0) {
    const double mine = hat(xi / half), theirs = hat((xi - side) / half), sum = mine + theirs;
    const double mine_slope = hat_slope(xi, half), theirs_slope = hat_slope(xi - side, half);
    phi = mine / sum;
    phi_slope = (mine_slope * sum - mine * (mine_slope + theirs_slope)) / (sum * sum);
  }
  for (int a = 0; a <= degree; ++a) {
    s.value[a] = phi * p[a];
    s.slope[a] = phi_slope * p[a] + phi * dp[a] / half;
  }
  return s;
}

}  // namespace

Tables membrane_tables(int per_side, double overlap, int degree, Basis basis, const Rule& rule, bool low, bool high,
                       double nitsche) {
  Tables t{};
  const double half = 0.5 * overlap, reach = 1 - half;  // the part that only this patch covers: |xi| < reach
  const double beta = nitsche * degree * degree;        // times 1/side, which the unit cells omit
  for (int kind = 0; kind < 4; ++kind) {
    const bool first = kind == 1 || kind == 3, last = kind == 2 || kind == 3;
    const auto add = [&](int neighbour, double begin, double end, int side) {
      for (int g = 0; g < rule.count; ++g) {
        const double xi = 0.5 * (begin + end) + 0.5 * (end - begin) * rule.point[g];
        const double weight = 0.5 * (end - begin) * rule.weight[g];
        const OneDirection v = shapes_at(xi, half, side, degree, basis);
        const OneDirection w = neighbour == 0 ? v : shapes_at(xi - neighbour, half, -neighbour, degree, basis);
        for (int a = 0; a <= degree; ++a)
          for (int b = 0; b <= degree; ++b) {
            t.mass[kind][neighbour + 1][a][b] += weight * (v.value[a] * w.value[b]);
            t.stiff[kind][neighbour + 1][a][b] += weight * (v.slope[a] * w.slope[b]);
          }
      }
    };
    add(0, first ? -0.5 : -reach, last ? 0.5 : reach, 0);
    if (!first) add(0, -half, -reach, -1);
    if (!last) {
      add(0, reach, half, 1);
      add(1, reach, half, 1);
    }
    const auto hold = [&](double xi, double normal) {
      const OneDirection v = shapes_at(xi, half, 0, degree, basis);
      for (int a = 0; a <= degree; ++a)
        for (int b = 0; b <= degree; ++b)
          t.stiff[kind][1][a][b] +=
              beta * (v.value[a] * v.value[b]) - normal * (v.value[a] * v.slope[b] + v.slope[a] * v.value[b]);
    };
    if (first && low) hold(-0.5, -1);
    if (last && high) hold(0.5, 1);
  }
  // Uses the left neighbour's entries for its right neighbour, so that the matrices are symmetric bit for bit. The
  // overlap is the same for every kind.
  for (int kind = 0; kind < 4; ++kind)
    for (int a = 0; a <= degree; ++a)
      for (int b = 0; b <= degree; ++b) {
        t.mass[kind][2][a][b] = t.mass[0][2][a][b];
        t.mass[kind][0][a][b] = t.mass[0][2][b][a];
        t.stiff[kind][2][a][b] = t.stiff[0][2][a][b];
        t.stiff[kind][0][a][b] = t.stiff[0][2][b][a];
      }
  (void)per_side;
  return t;
}

Assembler::Assembler(Backend& backend) : backend_(backend), tables_(backend, 2, "integrals of one direction") {}

std::size_t Assembler::bytes(int per_side) {
  return 2 * sizeof(Tables) + 2 * static_cast<std::size_t>(per_side) * max_powers * sizeof(double) + 1024;
}

void Assembler::run(Kernel kernel, const Structure& structure, const Space& space, const Form& form,
                    const Targets& targets) {
  if (!structure.uniform || kernel == Kernel::rows)
    run_rows(space, form, targets);
  else if (kernel == Kernel::cells)
    run_cells(structure, space, form, targets);
  else
    run_tensor(structure, space, form, targets);
  const SpaceView& view = space.view();
  const double functions = view.most_functions();
  if (targets.load && form.source.formula) {
    const double points = form.rule.count * form.rule.count;
    parallel_tasks(backend_, "membrane.formula",
                   Tasks{view.count, 1, 9 * points * (10 * form.source.formula->steps + 20 * functions)},
                   FormulaLoad{view, form.rule, form.near, *form.source.formula, form.source.of_formula, targets.load});
  }
  if (targets.load && !form.rim.is_flat()) {
    parallel_tasks(backend_, "membrane.rim", Tasks{view.count, 1, 50 + 2 * form.rule.count * functions},
                   RimLoad{view, form, targets.load});
  }
}

void Assembler::run_rows(const Space& space, const Form& form, const Targets& targets) {
  const SpaceView& view = space.view();
  const double functions = view.most_functions(), points = form.rule.count * form.rule.count;
  const double operations = 9 * points * functions * (targets.stiffness ? 36 * functions : 20);
  parallel_tasks(backend_, targets.stiffness ? "membrane.rows" : "membrane.load",
                 Tasks{view.count, view.most_functions(), operations}, Rows{view, form, targets});
}

void Assembler::run_cells(const Structure& structure, const Space& space, const Form& form, const Targets& targets) {
  // Scheduling on the host, as in the paper: cells with the same number of patches run together, separated by parity so
  // that two cells that run at the same time share no patch.
  const int n = structure.per_side, along = 2 * n - 1;
  std::vector<int> schedule;
  schedule.reserve(static_cast<std::size_t>(along) * along);
  struct Batch {
    int begin, count, over;
  };
  std::vector<Batch> batches;
  for (const int kind : {0, 1, 2, 3})  // 0: one patch; 1, 2: two next to each other, or one above the other; 3: four
    for (int color = 0; color < (kind == 0 ? 1 : kind == 3 ? 4 : 2); ++color) {
      const bool pair_x = kind & 1, pair_y = kind & 2;
      const int phase_x = pair_x ? 2 * (color % 2) : 0, phase_y = pair_y ? 2 * (kind == 3 ? color / 2 : color % 2) : 0;
      Batch batch{static_cast<int>(schedule.size()), 0, (pair_x ? 2 : 1) * (pair_y ? 2 : 1)};
      for (int y = (pair_y ? 1 : 0) + phase_y; y < along; y += pair_y ? 4 : 2)
        for (int x = (pair_x ? 1 : 0) + phase_x; x < along; x += pair_x ? 4 : 2) schedule.push_back(y * along + x);
      batch.count = static_cast<int>(schedule.size()) - batch.begin;
      if (batch.count > 0) batches.push_back(batch);
    }
  if (schedule_.size() < schedule.size()) {
    backend_.synchronize();
    schedule_ = Array<int>(backend_, schedule.size(), "schedule of the integration cells");
  }
  schedule_.upload(schedule);
  const SpaceView& view = space.view();
  if (targets.stiffness)
    backend_.fill_zero(targets.stiffness, static_cast<std::size_t>(structure.values) * sizeof(double));
  if (targets.stiffness && targets.mass)
    backend_.fill_zero(targets.mass, static_cast<std::size_t>(structure.values) * sizeof(double));
  if (targets.load) backend_.fill_zero(targets.load, static_cast<std::size_t>(structure.unknowns) * sizeof(double));
  for (const Batch& batch : batches) {
    const int* list = schedule_.data() + batch.begin;
    if (backend_.is_cuda() && structure.same_degree) {
      cuda_cells(backend_, view, form, targets, list, batch.count, batch.over);
      continue;
    }
    const double functions = batch.over * membrane_functions(view.highest_degree);
    parallel_tasks(backend_, "membrane.cells",
                   Tasks{batch.count, 1, form.rule.count * form.rule.count * functions * (60 + 5 * functions)},
                   Cells{view, form, targets, list});
  }
}

void Assembler::run_tensor(const Structure& structure, const Space& space, const Form& form, const Targets& targets) {
  const SpaceView& view = space.view();
  const int n = structure.per_side, functions = membrane_functions(view.highest_degree);
  const double side = 1.0 / n;
  if (targets.stiffness) {
    const Tables tables[2] = {membrane_tables(n, view.overlap, view.highest_degree, view.basis, form.rule,
                                              form.fixed[0], form.fixed[1], form.nitsche),
                              membrane_tables(n, view.overlap, view.highest_degree, view.basis, form.rule,
                                              form.fixed[2], form.fixed[3], form.nitsche)};
    tables_.upload(tables);
    if (backend_.is_cuda() && structure.same_degree) {
      cuda_tensor(backend_, view, tables_.data(), targets);
    } else {
      Tensor body{
          view, tables_.data(), tables_.data() + 1, targets.stiffness, targets.mass, targets.shift, side * side, {},
          {}};
      for (int k = 0; k < max_functions; ++k) {
        body.powers_a[k] = membrane_powers(k).a;
        body.powers_b[k] = membrane_powers(k).b;
      }
      parallel_tasks(backend_, "membrane.tensor", Tasks{view.count, functions, 9.0 * functions * functions * 8}, body);
    }
  }
  if (targets.load) {
    const std::size_t size = 2 * static_cast<std::size_t>(n) * max_powers;
    if (loads_.size() < size) {
      backend_.synchronize();
      loads_ = Array<double>(backend_, size, "load of one direction");
    }
    parallel_tasks(backend_, "membrane.load_factors", Tasks{2 * n, 1, 3.0 * form.rule.count * 60},
                   Loads{form.source, form.rule, view.basis, n, view.highest_degree, view.overlap, loads_.data()});
    LoadProducts body{view, loads_.data(), form.source.strength, targets.load, {}, {}};
    for (int k = 0; k < max_functions; ++k) {
      body.powers_a[k] = membrane_powers(k).a;
      body.powers_b[k] = membrane_powers(k).b;
    }
    parallel_tasks(backend_, "membrane.load", Tasks{view.count, functions, 8.0 * functions}, body);
  }
}

LaunchShape membrane_launch_shape(Backend& backend, Kernel kernel, int degree) {
  return backend.is_cuda() ? cuda_shape(kernel, degree) : LaunchShape{};
}

}  // namespace perturb::membrane

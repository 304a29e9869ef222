#include "cuda/membrane/kernels/cell_results.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <span>
#include <type_traits>

#include "cuda/core/loops/loop_shape.h"
#include "cuda/core/loops/parallel_for.h"
#include "cuda/membrane/model/integrals.h"

namespace perturb::membrane {

namespace {

// Results of one cell: K and M of all of its functions with each other, then F.
struct ResultLayout {
  int size = 0;  // number of functions of all patches over the cell
  std::int64_t of_entry = 1, of_cell = 1;
  PERTURB_HD std::int64_t entries() const { return 2 * static_cast<std::int64_t>(size) * size + size; }
  PERTURB_HD std::int64_t at(int cell, std::int64_t entry) const { return cell * of_cell + entry * of_entry; }
};

// One cell per thread; a thread writes only its own results. `functions` of a patch, `over`: patches over the cell.
template <int functions, int over>
struct IntegrateCell {
  SpaceView view;
  Form form;
  const int* schedule;
  double* results;
  ResultLayout layout;

  PERTURB_HD void operator()(int index, int) const { (*this)(index); }
  PERTURB_HD void operator()(int index) const {
    const int along = 2 * view.per_side - 1, number = schedule[index];
    const Cell c = view.uniform_cell(number % along, number / along);
    for (std::int64_t e = 0; e < layout.entries(); ++e) results[layout.at(index, e)] = 0;
    const double mx = 0.5 * (c.x0 + c.x1), hx = 0.5 * (c.x1 - c.x0), my = 0.5 * (c.y0 + c.y1), hy = 0.5 * (c.y1 - c.y0);
    for (int b = 0; b < form.rule.count; ++b)
      for (int a = 0; a < form.rule.count; ++a)
        at_point(c, index, mx + hx * form.rule.point[a], my + hy * form.rule.point[b],
                 hx * hy * form.rule.weight[a] * form.rule.weight[b]);
  }

 private:
  PERTURB_HD void at_point(const Cell& c, int index, double x, double y, double weight) const {
    Weights w;
    w.at(x, y, over, PatchesOf{view.patches, c.patches});
    Shapes s[over];
    for (int k = 0; k < over; ++k)
      s[k].at(view.patches[c.patches[k]], view.basis, x, y, w.phi[k], w.phi_x[k], w.phi_y[k]);
    constexpr int size = over * functions;
    constexpr std::int64_t mass = static_cast<std::int64_t>(size) * size, load = 2 * mass;
    const double f = weight * form.source(x, y);
    for (int j = 0; j < over; ++j)
      for (int m = 0; m < functions; ++m) {
        const std::int64_t column = static_cast<std::int64_t>(j * functions + m) * size;
        results[layout.at(index, load + j * functions + m)] += f * s[j].value[m];
        for (int i = 0; i < over; ++i)
          for (int n = 0; n < functions; ++n) {
            const std::int64_t entry = column + i * functions + n;
            results[layout.at(index, entry)] += weight * (s[i].x[n] * s[j].x[m] + s[i].y[n] * s[j].y[m]);
            results[layout.at(index, mass + entry)] += weight * (s[i].value[n] * s[j].value[m]);
          }
      }
  }
};

// The same with so few registers that more blocks are on a multiprocessor at once.
template <class Integrate>
struct LimitedRegisters : Integrate {
  static constexpr int min_blocks = CellResults::limited_blocks;
};

// Calls `f` with the numbers of functions and patches as constants.
template <int functions, class F>
void with_patches(int over, const F& f) {
  using Functions = std::integral_constant<int, functions>;
  if (over == 1) return f(Functions{}, std::integral_constant<int, 1>{});
  if (over == 2) return f(Functions{}, std::integral_constant<int, 2>{});
  f(Functions{}, std::integral_constant<int, 4>{});
}
template <class F>
void with_sizes(int degree, int over, const F& f) {
  static_assert(membrane_max_degree == 5);
  switch (degree) {
    case 1:
      return with_patches<membrane_functions(1)>(over, f);
    case 2:
      return with_patches<membrane_functions(2)>(over, f);
    case 3:
      return with_patches<membrane_functions(3)>(over, f);
    case 4:
      return with_patches<membrane_functions(4)>(over, f);
    default:
      return with_patches<membrane_functions(5)>(over, f);
  }
}

// Launches the kernel of these sizes, on CUDA in the paper's blocks.
struct LaunchIntegration {
  Backend& backend;
  int count;
  double operations;
  SpaceView view;
  Form form;
  const int* schedule;
  double* results;
  ResultLayout layout;
  bool limited;

  template <int functions, int over>
  void operator()(std::integral_constant<int, functions>, std::integral_constant<int, over>) const {
    const IntegrateCell<functions, over> integrate{view, form, schedule, results, layout};
    if constexpr (over == 4)
      if (limited && backend.is_cuda())
        return parallel_for_in_blocks(backend, "membrane.cell_results", Range1D{count}, cell_results_block,
                                      LimitedRegisters<IntegrateCell<functions, over>>{integrate});
    if (backend.is_cuda())
      parallel_for_in_blocks(backend, "membrane.cell_results", Range1D{count}, cell_results_block, integrate);
    else
      parallel_tasks(backend, "membrane.cell_results", Tasks{count, 1, operations}, integrate);
  }
};

struct ShapeOfIntegration {
  const Backend& backend;
  LaunchShape& shape;
  bool limited;

  template <int functions, int over>
  void operator()(std::integral_constant<int, functions>, std::integral_constant<int, over>) const {
    if constexpr (over == 4)
      if (limited) {
        shape = loop_shape<LimitedRegisters<IntegrateCell<functions, over>>>(backend, cell_results_block);
        return;
      }
    shape = loop_shape<IntegrateCell<functions, over>>(backend, cell_results_block);
  }
};

// Cells with one patch, with two and with four.
std::array<std::vector<int>, 3> cells_by_patches(int per_side) {
  std::array<std::vector<int>, 3> lists;
  const int along = 2 * per_side - 1;
  for (int y = 0; y < along; ++y)
    for (int x = 0; x < along; ++x) lists[static_cast<std::size_t>(x % 2 + y % 2)].push_back(y * along + x);
  return lists;
}

}  // namespace

CellResults::CellResults(Backend& backend, const Structure& structure, std::size_t buffer_bytes)
    : backend_(backend),
      structure_(structure),
      max_numbers_(buffer_bytes / sizeof(double)),
      entries_first_(backend.is_cuda()),
      space_(backend, structure),
      stiffness_(static_cast<std::size_t>(structure.values)),
      mass_(stiffness_.size()),
      load_(static_cast<std::size_t>(structure.unknowns)) {}

std::size_t CellResults::bytes(int level, int degree) {
  return static_cast<std::size_t>(2 * uniform_values(level, degree) + uniform_unknowns(level, degree)) * sizeof(double);
}

CellSeconds CellResults::run(const Form& form) {
  using Clock = std::chrono::steady_clock;
  CellSeconds seconds;
  Clock::time_point last = Clock::now();
  const auto book = [&](double& part) {
    backend_.synchronize();
    const Clock::time_point now = Clock::now();
    part += std::chrono::duration<double>(now - last).count();
    last = now;
  };
  std::fill(stiffness_.begin(), stiffness_.end(), 0.0);
  std::fill(mass_.begin(), mass_.end(), 0.0);
  std::fill(load_.begin(), load_.end(), 0.0);
  book(seconds.insert);
  const std::array<std::vector<int>, 3> lists = cells_by_patches(structure_.per_side);
  book(seconds.schedule);
  const int functions = membrane_functions(structure_.highest_degree);
  for (std::size_t kind = 0; kind < lists.size(); ++kind) {
    const int over = 1 << kind;
    ResultLayout layout;
    layout.size = over * functions;
    const auto entries = static_cast<std::size_t>(layout.entries());
    const int all = static_cast<int>(lists[kind].size());
    const int room = static_cast<int>(
        std::clamp<std::size_t>(max_numbers_ / entries, 1, static_cast<std::size_t>(std::max(1, all))));
    for (int begin = 0; begin < all; begin += room) {
      const int count = std::min(room, all - begin);
      const std::size_t numbers = entries * static_cast<std::size_t>(count);
      if (results_.size() < numbers) results_ = Array<double>(backend_, numbers, "result matrices of cells");
      if (back_.size() < numbers) back_.resize(numbers);
      if (schedule_.size() < static_cast<std::size_t>(count))
        schedule_ = Array<int>(backend_, static_cast<std::size_t>(count), "schedule of the integration cells");
      book(seconds.schedule);
      backend_.copy_from_host(schedule_.data(), lists[kind].data() + begin,
                              static_cast<std::size_t>(count) * sizeof(int));
      book(seconds.there);
      layout.of_entry = entries_first_ ? count : 1;
      layout.of_cell = entries_first_ ? 1 : layout.entries();
      with_sizes(
          structure_.highest_degree, over,
          LaunchIntegration{backend_, count, 5.0 * form.rule.count * form.rule.count * static_cast<double>(entries),
                            space_.view(), form, schedule_.data(), results_.data(), layout, limited_});
      book(seconds.evaluate);
      backend_.copy_to_host(back_.data(), results_.data(), numbers * sizeof(double));
      book(seconds.back);
      insert(lists[kind], begin, count, over);
      book(seconds.insert);
    }
  }
  return seconds;
}

void CellResults::insert(const std::vector<int>& cells, int begin, int count, int over) {
  const int functions = membrane_functions(structure_.highest_degree), along = 2 * structure_.per_side - 1;
  ResultLayout layout;
  layout.size = over * functions;
  layout.of_entry = entries_first_ ? count : 1;
  layout.of_cell = entries_first_ ? 1 : layout.entries();
  const std::int64_t mass = static_cast<std::int64_t>(layout.size) * layout.size;
  // Positions of the cell's patches, without the device's copy of the cover.
  SpaceView view;
  view.per_side = structure_.per_side;
  view.overlap = structure_.overlap;
  view.row = structure_.row.data();
  view.column = structure_.column.data();
  // If entries come first, adds as many cells together as share a cache line: one cell at a time would fetch a line for
  // each of its entries.
  const int together = entries_first_ ? 8 : 1;
  std::array<Cell, 8> c;
  for (int first = 0; first < count; first += together) {
    const int some = std::min(together, count - first);
    for (int k = 0; k < some; ++k) {
      const int number = cells[static_cast<std::size_t>(begin + first + k)];
      c[static_cast<std::size_t>(k)] = view.uniform_cell(number % along, number / along);
    }
    for (int j = 0; j < over; ++j)
      for (int m = 0; m < functions; ++m)
        for (int k = 0; k < some; ++k) {
          const int patch = c[static_cast<std::size_t>(k)].patches[j];
          load_[static_cast<std::size_t>(structure_.patches[static_cast<std::size_t>(patch)].first + m)] +=
              back_[static_cast<std::size_t>(layout.at(first + k, 2 * mass + j * functions + m))];
        }
    for (int i = 0; i < over; ++i)
      for (int j = 0; j < over; ++j) {
        std::array<std::int64_t, 8> place;
        for (int k = 0; k < some; ++k) {
          const Cell& cell = c[static_cast<std::size_t>(k)];
          place[static_cast<std::size_t>(k)] =
              structure_.offset[static_cast<std::size_t>(view.block(cell.patches[i], cell.patches[j]))];
        }
        for (int m = 0; m < functions; ++m)
          for (int n = 0; n < functions; ++n) {
            const std::int64_t entry = static_cast<std::int64_t>(j * functions + m) * layout.size + i * functions + n;
            for (int k = 0; k < some; ++k) {
              const auto to = static_cast<std::size_t>(place[static_cast<std::size_t>(k)] + m * functions + n);
              stiffness_[to] += back_[static_cast<std::size_t>(layout.at(first + k, entry))];
              mass_[to] += back_[static_cast<std::size_t>(layout.at(first + k, mass + entry))];
            }
          }
      }
  }
}

LaunchShape cell_results_shape(const Backend& backend, int degree, int over, bool limited) {
  LaunchShape shape;
  with_sizes(degree, over, ShapeOfIntegration{backend, shape, limited});
  return shape;
}

}  // namespace perturb::membrane

#include "cuda/membrane/measure/marks.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "cuda/core/simulation/format.h"
#include "cuda/core/simulation/marks.h"

namespace perturb::membrane {

namespace {

constexpr int mark_cells = 96;

std::vector<TheoryMark> as_marks(std::vector<std::vector<CurvePoint>> lines, const Message& label) {
  std::vector<TheoryMark> marks;
  // The longest line has the label.
  std::size_t longest = 0;
  for (std::size_t k = 0; k < lines.size(); ++k)
    if (lines[k].size() > lines[longest].size()) longest = k;
  for (std::size_t k = 0; k < lines.size(); ++k)
    marks.push_back({TheoryMark::Shape::line, std::move(lines[k]), k == longest ? label : Message(), false});
  return marks;
}

// Contribution of a mode to the samples: their mean product with its shape, relative to that of the shape with itself.
double share_of(const Mode& mode, const Parameters& p, std::span<const double> samples, GridSize size) {
  const ModeFactor x = membrane_wave(p.boundary_left, p.boundary_right, mode.m),
                   y = membrane_wave(p.boundary_bottom, p.boundary_top, mode.n);
  double product = 0, square = 0;
  for (int j = 0; j < size.height; ++j)
    for (int i = 0; i < size.width; ++i) {
      const double shape = x.value((i + 0.5) / size.width) * y.value((j + 0.5) / size.height);
      product +=
          shape *
          samples[static_cast<std::size_t>(j) * static_cast<std::size_t>(size.width) + static_cast<std::size_t>(i)];
      square += shape * shape;
    }
  return square > 0 ? product / square : 0;
}

std::vector<TheoryMark> marks_of_mode(const Parameters& p, int mode, std::span<const double> samples, GridSize size) {
  const std::vector<Mode> modes = modes_of_frequency(p, mode);
  std::vector<double> shares;
  for (const Mode& one : modes) shares.push_back(modes.size() > 1 ? share_of(one, p, samples, size) : 1);
  const auto shape = [&](double x, double y) {
    double sum = 0;
    for (std::size_t k = 0; k < modes.size(); ++k)
      sum += shares[k] * membrane_wave(p.boundary_left, p.boundary_right, modes[k].m).value(x) *
             membrane_wave(p.boundary_bottom, p.boundary_top, modes[k].n).value(y);
    return sum;
  };
  const Message label = modes.size() == 1
                            ? Message("Mode ({}, {})", modes[0].m, modes[0].n)
                            : Message("Modes ({}, {}) and ({}, {})", modes[0].m, modes[0].n, modes[1].m, modes[1].n);
  return as_marks(zero_lines(shape, mark_cells), label);
}

std::vector<TheoryMark> marks_of_response(const Parameters& p) {
  if (const Known known = membrane_known(p); known.is_known) {
    if (!known.rim.is_flat()) return {};
    return as_marks(zero_lines([&](double x, double y) { return known.value(x, y); }, mark_cells), {});
  }
  const std::vector<double> u = exact_displacement(p, mark_cells);
  if (u.empty()) return {};
  if (p.frequency > 0) return as_marks(zero_lines(u, mark_cells), {});
  const auto most = static_cast<int>(
      std::max_element(u.begin(), u.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }) - u.begin());
  const int side = mark_cells + 1, i = most % side, j = most / side;
  const double height = u[static_cast<std::size_t>(most)];
  // Between the points: the top of the parabola through three of them.
  const auto shift = [&](int at, int step) {
    if (at == 0 || at == mark_cells) return 0.0;
    const double low = u[static_cast<std::size_t>(most - step)], high = u[static_cast<std::size_t>(most + step)];
    const double bend = low - 2 * height + high;
    return bend == 0 ? 0 : std::clamp(0.5 * (low - high) / bend, -0.5, 0.5);
  };
  const CurvePoint at{zero_line_position(i, mark_cells) + shift(i, 1) / mark_cells,
                      zero_line_position(j, mark_cells) + shift(j, side) / mark_cells};
  return {{TheoryMark::Shape::point,
           {at},
           Message("Greatest deflection: {}", with_unit(format_number(height, 3), "height")),
           false}};
}

}  // namespace

std::vector<Mode> modes_of_frequency(const Parameters& p, int mode) {
  // A few more, so that the last frequency has all of its modes.
  const std::vector<Mode> all = lowest_modes(p, static_cast<std::size_t>(mode) + 4);
  const double value = all[static_cast<std::size_t>(mode) - 1].eigenvalue;
  std::vector<Mode> same;
  for (const Mode& one : all)
    if (std::abs(one.eigenvalue - value) <= 1e-9 * (1 + value)) same.push_back(one);
  return same;
}

void TheoryMarks::add(const Parameters& solved, int mode, std::span<const double> samples, GridSize size,
                      Diagnostics& d) {
  if (solved.modal()) {
    if (mode > 0) d.marks = marks_of_mode(solved, mode, samples, size);
    return;
  }
  if (!is_found_ || !(found_for_ == solved)) {
    of_response_ = marks_of_response(solved);
    found_for_ = solved;
    is_found_ = true;
  }
  d.marks = of_response_;
}

}  // namespace perturb::membrane

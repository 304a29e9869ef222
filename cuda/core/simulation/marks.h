// Building blocks for Diagnostics::marks: theory drawn into the view.
#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "cuda/core/simulation/diagnostics.h"

namespace perturb {

// Adds marks whose positions are given in a length unit, for a domain of that extent.
class Marks {
 public:
  Marks(Diagnostics& diagnostics, double width, double height) : list_(diagnostics.marks), extent_{width, height} {}

  void add(TheoryMark::Shape shape, std::vector<CurvePoint> points, Message label = {}, bool measured = false) {
    for (CurvePoint& p : points) p = {p.x / extent_.x, p.y / extent_.y};
    list_.push_back({shape, std::move(points), std::move(label), measured});
  }
  void line(std::vector<CurvePoint> points, Message label = {}, bool measured = false) {
    add(TheoryMark::Shape::line, std::move(points), std::move(label), measured);
  }
  void dashed(std::vector<CurvePoint> points, Message label = {}, bool measured = false) {
    add(TheoryMark::Shape::dashed, std::move(points), std::move(label), measured);
  }
  void arrow(CurvePoint tail, CurvePoint head, Message label = {}, bool measured = false) {
    add(TheoryMark::Shape::arrow, {tail, head}, std::move(label), measured);
  }
  void point(CurvePoint at, Message label = {}, bool measured = false) {
    add(TheoryMark::Shape::point, {at}, std::move(label), measured);
  }
  // A length from one point to another, with a stroke across each end. `cross`: half the length of the strokes.
  void bar(CurvePoint from, CurvePoint to, double cross, Message label = {}, bool measured = false);

 private:
  std::vector<TheoryMark>& list_;
  CurvePoint extent_;
};

// The lines on which a function of the unit square is zero, as polylines in fractions of the square; a closed line ends
// at its first point. `values`: the function at zero_line_position(i), zero_line_position(j), with i fastest, each from
// 0 to `cells`. Between them the lines are straight. The edge of the square is no line, even if the function is zero
// there.
std::vector<std::vector<CurvePoint>> zero_lines(std::span<const double> values, int cells);
std::vector<std::vector<CurvePoint>> zero_lines(const std::function<double(double x, double y)>& function, int cells);
// Just inside the square at its ends: at a fixed edge a function is zero up to rounding, and has no sign.
double zero_line_position(int index, int cells);

}  // namespace perturb

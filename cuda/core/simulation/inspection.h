// One place of a running simulation in numbers: what the next step computes there (Inspectable).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cuda/core/backend/message.h"
#include "cuda/core/simulation/diagnostics.h"

namespace perturb {

// A labelled number, or a row of a table of numbers with the same unit.
struct InspectedNumber {
  Message label;
  std::vector<double> values;
  std::string unit{};
};

// A sign drawn over the inspected place. Positions are fractions of the domain.
struct Glyph {
  enum class Shape { arrow, circle, square, cross, text };  // a square may have unequal sides
  // subject: what is inspected; neighbour: what it reads; result: what is computed; boundary: walls and sides.
  enum class Role { subject, neighbour, result, boundary };
  Shape shape = Shape::text;
  Role role = Role::subject;
  CurvePoint at{0, 0};  // the tail of an arrow, the centre of other shapes
  CurvePoint to{0, 0};  // the head of an arrow, a point of a circle, a corner of a square
  Message label{};      // at the head of an arrow, at the centre of other shapes; lines are separated by "\n"
};

struct Inspection {
  Message title;  // "Cell (12, 40)"; empty: nothing is here
  // The size of the inspected thing, fractions of the domain: glyphs need it to be large enough on the screen.
  CurvePoint extent{0, 0};
  std::vector<InspectedNumber> numbers;
  std::vector<Glyph> glyphs;
  Message remark;  // about the numbers, a whole sentence; empty: none

  bool empty() const { return title.empty(); }
  void add(Message label, double value, std::string unit = {}) {
    numbers.push_back({std::move(label), {value}, std::move(unit)});
  }
  void add_row(Message label, std::vector<double> values, std::string unit = {}) {
    numbers.push_back({std::move(label), std::move(values), std::move(unit)});
  }
};

// Implemented by simulations that can show what the next step computes at a point.
class Inspectable {
 public:
  // At a point of the domain (fractions), in numbers of the current state; empty outside the domain and where nothing
  // is. Copies only the few values needed, but waits for the device.
  Inspection inspect(double x, double y) {
    return x >= 0 && x < 1 && y >= 0 && y < 1 ? inspect_inside(x, y) : Inspection();
  }

 protected:
  ~Inspectable() = default;
  virtual Inspection inspect_inside(double x, double y) = 0;
};

// Adds glyphs whose positions are given in a length unit, for a domain of that extent.
class Glyphs {
 public:
  Glyphs(Inspection& inspection, double width, double height) : list_(inspection.glyphs), extent_{width, height} {}

  void arrow(Glyph::Role role, CurvePoint tail, CurvePoint head, Message label = {}) {
    add(Glyph::Shape::arrow, role, tail, head, std::move(label));
  }
  void circle(Glyph::Role role, CurvePoint center, double radius, Message label = {}) {
    add(Glyph::Shape::circle, role, center, {center.x + radius, center.y}, std::move(label));
  }
  // `half`: half of its side, or half of each.
  void square(Glyph::Role role, CurvePoint center, double half, Message label = {}) {
    rectangle(role, center, {half, half}, std::move(label));
  }
  void rectangle(Glyph::Role role, CurvePoint center, CurvePoint half, Message label = {}) {
    add(Glyph::Shape::square, role, center, {center.x + half.x, center.y + half.y}, std::move(label));
  }
  void cross(Glyph::Role role, CurvePoint center, Message label = {}) {
    add(Glyph::Shape::cross, role, center, center, std::move(label));
  }
  void text(Glyph::Role role, CurvePoint center, Message label) {
    add(Glyph::Shape::text, role, center, center, std::move(label));
  }

 private:
  void add(Glyph::Shape shape, Glyph::Role role, CurvePoint at, CurvePoint to, Message label) {
    list_.push_back(
        {shape, role, {at.x / extent_.x, at.y / extent_.y}, {to.x / extent_.x, to.y / extent_.y}, std::move(label)});
  }

  std::vector<Glyph>& list_;
  CurvePoint extent_;
};

}  // namespace perturb

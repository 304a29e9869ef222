// Objects that a user places in the box: flames and ice at the floor, which have a temperature, and thermometers, which
// change nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cuda/core/simulation/object.h"
#include "cuda/core/simulation/state.h"
#include "cuda/particles/model/cell.h"

namespace perturb::particles {

constexpr int max_thermometers = 2;

struct Circle {
  double x = 0, y = 0, radius = 0;
  PERTURB_HD bool contains(double px, double py) const {
    return (px - x) * (px - x) + (py - y) * (py - y) <= radius * radius;
  }
  bool operator==(const Circle&) const = default;
};

// x, y and size in fractions of the box: of the width, of the height, of the width. A plate lies at the floor, `size`
// wide about x, and y is not used. A thermometer is a circle about (x, y) with the radius `size`.
struct Fixture {
  enum class Kind { flame, ice, thermometer };
  int id = 0;
  Kind kind = Kind::flame;
  double x = 0.5, y = 0.5, size = 0.1;
  double temperature = 0;  // of a plate, kT

  bool is_plate() const { return kind != Kind::thermometer; }
  bool operator==(const Fixture&) const = default;
};

// In the order of creation.
class Fixtures {
 public:
  static constexpr int max_count = max_plates + max_thermometers;
  static constexpr int first_id = 2;  // 1 is the right wall

  // Whether actions of this kind, or of the kind "change-<kind>", place or change one.
  static bool is_fixture(const std::string& kind);
  const std::vector<Fixture>& all() const { return all_; }
  bool has_plates() const;
  // Circles of the thermometers in a box of this size.
  std::vector<Circle> thermometers(double width, double height) const;

  // By an action that is_fixture(). Throws InputError if there are too many, or none of this number and kind.
  void apply(const Action& action);
  // Returns whether there was one of this number.
  bool remove(int id);

  // `aspect`: height of the box over its width.
  std::vector<SceneObject> objects(double aspect) const;
  std::vector<std::string> placeable() const;

  void save(State& state) const;
  static Fixtures saved_in(const State& state);

 private:
  int count_of(bool plates) const;

  std::vector<Fixture> all_;
  int last_id_ = first_id - 1;
};

// Numbers of a fixture in a state: id, kind, x, y, size, temperature.
constexpr std::size_t saved_fixture_numbers = 6;

}  // namespace perturb::particles
